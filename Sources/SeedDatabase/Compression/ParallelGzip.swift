import CZlib
import Dispatch
import SeedSystem

import class Foundation.Thread

/// Compresses a file to one gzip member with several threads; the output does not depend on their number. Each thread
/// takes the next block of fixed size, deflates it, and waits until the previous block is written, so memory holds one
/// block per thread.
package final class ParallelGzip: Sendable {
  /// Smaller blocks compress worse, larger ones take more memory.
  static let blockBytes = 1024 * 1024

  private let input: Mutex<Input>
  private let output: Mutex<Output>

  private struct Input: ~Copyable {
    let file: File
    var meter = Meter()
    var window: [UInt8] = []
    var isAtEnd = false
    var turn: DispatchSemaphore
  }

  fileprivate struct Output: ~Copyable {
    let file: File
    var meter = Meter()
    var checksum = crc32(0, nil, 0)
    var failure: (any Error)?
  }

  private struct Block {
    let bytes: [UInt8]
    let window: [UInt8]
    let isLast: Bool
    let myTurn: DispatchSemaphore
    let nextTurn: DispatchSemaphore
  }

  package init(_ path: String, to destination: String) throws {
    let first = DispatchSemaphore(value: 0)
    first.signal()
    input = Mutex(Input(file: try File(path, for: .reading), turn: first))
    var member = Output(file: try File(destination, for: .replacing))
    try GzipSplice.header.withUnsafeBytes { try member.write($0) }
    output = Mutex(member)
  }

  func run(threads: Int) throws -> (raw: Compression.Measure, stored: Compression.Measure) {
    // Starts threads itself, because Dispatch starts none while its few are busy elsewhere.
    let others = DispatchGroup()
    for _ in 1..<max(1, threads) {
      others.enter()
      Thread.detachNewThread { [self] in
        defer { others.leave() }
        work()
      }
    }
    work()
    others.wait()
    return try finish()
  }

  /// Returns the measures of input and synced output, or throws. Call it after every ``work()`` has returned.
  package func finish() throws -> (raw: Compression.Measure, stored: Compression.Measure) {
    let raw = input.withLock { input in input.meter.measure() }
    return (raw, try output.withLock { output in try output.end(rawLength: raw.length) })
  }

  /// Compresses until no block is left. Call it from at least one thread.
  package func work() {
    do {
      let deflater = try BlockDeflater(blockBytes: Self.blockBytes)
      while let block = try take() {
        let deflated = block.bytes.withUnsafeBytes { bytes in
          block.window.withUnsafeBytes { window in
            deflater.deflate(bytes, after: window, isLast: block.isLast)
          }
        }
        block.myTurn.wait()
        // Signals even after a failure, because the next thread waits for it.
        defer { block.nextTurn.signal() }
        try put(deflated, of: block)
      }
    } catch { output.withLock { output in output.failure = output.failure ?? error } }
  }

  private func take() throws -> Block? {
    if output.withLock({ output in output.failure != nil }) { return nil }
    return try input.withLock { input in
      guard !input.isAtEnd else { return nil }
      let bytes = try input.file.read(Self.blockBytes)
      input.isAtEnd = bytes.count < Self.blockBytes
      input.meter.take(bytes)
      let (window, turn) = (input.window, input.turn)
      input.window = Array(bytes.suffix(BlockDeflater.windowBytes))
      input.turn = DispatchSemaphore(value: 0)
      return Block(bytes: bytes, window: window, isLast: input.isAtEnd, myTurn: turn, nextTurn: input.turn)
    }
  }

  private func put(_ deflated: UnsafeRawBufferPointer, of block: Block) throws {
    let checksum = block.bytes.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) }
    try output.withLock { output in
      guard output.failure == nil else { return }
      output.checksum = crc32_combine(output.checksum, checksum, numericCast(block.bytes.count))
      try output.write(deflated)
    }
  }
}

extension ParallelGzip.Output {
  fileprivate mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    meter.take(bytes)
    try file.write(bytes)
  }

  fileprivate mutating func end(rawLength: Int) throws -> Compression.Measure {
    if let failure { throw failure }
    let trailer = [UInt32(truncatingIfNeeded: checksum), UInt32(truncatingIfNeeded: rawLength)]
    for word in trailer { try withUnsafeBytes(of: word.littleEndian) { try write($0) } }
    try file.sync()
    return meter.measure()
  }
}
