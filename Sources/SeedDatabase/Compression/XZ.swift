#if canImport(CLZMA)
import CLZMA

final class XZCodec: StreamCodec {
  private var stream = seedbank_lzma_stream()
  private var isComplete = false

  private static let preset: UInt32 = 6
  /// Memory limit for expansion; preset 6 needs 9 MiB, preset 9 needs 65 MiB.
  private static let memoryLimitBytes: UInt64 = 128 * 1024 * 1024

  init(compressing: Void) throws(CompressionError) {
    try start(lzma_easy_encoder(&stream, Self.preset, LZMA_CHECK_CRC64))
  }

  init(expanding: Void = ()) throws(CompressionError) {
    try start(lzma_stream_decoder(&stream, Self.memoryLimitBytes, 0))
  }

  deinit { lzma_end(&stream) }

  private func start(_ code: lzma_ret) throws(CompressionError) {
    guard code == LZMA_OK else { throw .cannotStart(Int32(code.rawValue)) }
  }

  func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws {
    try input.withUnsafeBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = input.count
      var isFilled = true
      while !isComplete, isFilled || stream.avail_in > 0 { isFilled = try step(isLast, sink) }
      if stream.avail_in > 0 { throw CompressionError.trailingBytes }
    }
    if isLast, !isComplete { throw CompressionError.truncated }
  }

  private func step(_ isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws -> Bool {
    var code = LZMA_OK
    let output = [UInt8](unsafeUninitializedCapacity: codecChunkBytes) { buffer, count in
      stream.next_out = buffer.baseAddress
      stream.avail_out = buffer.count
      code = lzma_code(&stream, isLast ? LZMA_FINISH : LZMA_RUN)
      count = buffer.count - stream.avail_out
    }
    if !output.isEmpty { try sink(output) }
    isComplete = code == LZMA_STREAM_END
    guard isComplete || code == LZMA_OK || code == LZMA_BUF_ERROR else { throw CompressionError.damaged }
    return output.count == codecChunkBytes
  }
}
#else
private import Compression

/// Expands one .xz stream with the platform's library; devices never compress.
final class XZCodec: StreamCodec {
  private let stream = UnsafeMutablePointer<compression_stream>.allocate(capacity: 1)
  private var isStarted = false
  private var isComplete = false

  init(expanding: Void = ()) throws(CompressionError) {
    let code = compression_stream_init(stream, COMPRESSION_STREAM_DECODE, COMPRESSION_LZMA)
    guard code == COMPRESSION_STATUS_OK else { throw .cannotStart(code.rawValue) }
    isStarted = true
  }

  deinit {
    // The initialiser may have thrown before it started the stream.
    if isStarted { compression_stream_destroy(stream) }
    stream.deallocate()
  }

  func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws {
    try input.withUnsafeBufferPointer { input in
      guard let start = input.baseAddress ?? UnsafePointer(bitPattern: 1) else { return }
      stream.pointee.src_ptr = start
      stream.pointee.src_size = input.count
      var isFilled = true
      while !isComplete, isFilled || stream.pointee.src_size > 0 { isFilled = try step(isLast, sink) }
      if stream.pointee.src_size > 0 { throw CompressionError.trailingBytes }
    }
    if isLast, !isComplete { throw CompressionError.truncated }
  }

  private func step(_ isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws -> Bool {
    var code = COMPRESSION_STATUS_OK
    let output = [UInt8](unsafeUninitializedCapacity: codecChunkBytes) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      stream.pointee.dst_ptr = start
      stream.pointee.dst_size = buffer.count
      code = compression_stream_process(stream, isLast ? Int32(COMPRESSION_STREAM_FINALIZE.rawValue) : 0)
      count = buffer.count - stream.pointee.dst_size
    }
    if !output.isEmpty { try sink(output) }
    isComplete = code == COMPRESSION_STATUS_END
    guard isComplete || code == COMPRESSION_STATUS_OK else { throw CompressionError.damaged }
    return output.count == codecChunkBytes
  }
}
#endif
