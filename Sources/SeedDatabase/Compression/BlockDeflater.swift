import CZlib

/// Deflates blocks of a longer content, each so that it can stand between the others. A block begins with the 32 KiB
/// before it as its dictionary and ends at a byte boundary: so blocks can be deflated at the same time, and laid end
/// to end they are one stream.
final class BlockDeflater {
  private let owner: ZStream
  private let output: UnsafeMutableBufferPointer<UInt8>

  static let windowBytes = 32 * 1024

  /// zlib's level 6 searches long chains for matches that are hardly ever longer, and gives up early on lazy ones.
  /// This takes less than half the time of level 6. Of two databases the timetable was 1 % smaller with it and the one of
  /// names and texts 2 % larger, source code 4 %.
  private enum Effort {
    static let level: Int32 = 6
    static let goodMatch: Int32 = 8
    static let lazyMatch: Int32 = 32
    static let niceMatch: Int32 = 64
    static let chain: Int32 = 10
  }

  /// Bytes that a flush and the final block add.
  private static let endingBytes = 64

  init(blockBytes: Int) throws(CompressionError) {
    owner = try ZStream({ seedbank_raw_deflate_init($0, Effort.level) }, end: { deflateEnd($0) })
    let bound = Int(deflateBound(owner.pointer, UInt(blockBytes)))
    output = .allocate(capacity: bound + Self.endingBytes)
  }

  deinit { output.deallocate() }

  private var stream: UnsafeMutablePointer<z_stream> { owner.pointer }

  enum Ending {
    case open
    case final
    /// It is the last one, and what stands before the final empty block can be cut out and joined with others.
    case spliceable
  }

  /// Deflates `block`, which stands behind `dictionary`; hands out the result, good until the next call.
  func deflate(
    _ block: UnsafeRawBufferPointer, after dictionary: UnsafeRawBufferPointer, _ ending: Ending
  ) -> UnsafeRawBufferPointer {
    mustSucceed(deflateReset(stream))
    mustSucceed(deflateTune(stream, Effort.goodMatch, Effort.lazyMatch, Effort.niceMatch, Effort.chain))
    if let bytes = dictionary.baseAddress, !dictionary.isEmpty {
      mustSucceed(
        deflateSetDictionary(stream, bytes.assumingMemoryBound(to: UInt8.self), UInt32(dictionary.count)))
    }
    stream.pointee.next_in = block.baseAddress.map {
      UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
    }
    stream.pointee.avail_in = UInt32(block.count)
    stream.pointee.next_out = output.baseAddress
    stream.pointee.avail_out = UInt32(output.count)
    run(ending)
    let count = output.count - Int(stream.pointee.avail_out)
    precondition(count < output.count, "deflate needs more room than its bound")
    return UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: output[..<count]))
  }

  private func run(_ ending: Ending) {
    switch ending {
    case .open: mustSucceed(CZlib.deflate(stream, Z_SYNC_FLUSH))
    case .final: mustSucceed(CZlib.deflate(stream, Z_FINISH), Z_STREAM_END)
    case .spliceable:
      mustSucceed(CZlib.deflate(stream, Z_FULL_FLUSH))
      mustSucceed(CZlib.deflate(stream, Z_FINISH), Z_STREAM_END)
    }
  }

  /// With room for all output these calls fail by a mistake of ours only.
  private func mustSucceed(_ code: Int32, _ expected: Int32 = Z_OK) {
    precondition(code == expected, "zlib refused a call that cannot fail (\(code))")
  }
}
