import CZlib

/// Expands a gzip member in memory, a part at a time, into room that its caller has.
package final class GzipReader {
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let input: [UInt8]
  private var position = 0
  private var isComplete = false

  /// Bytes handed to zlib at a time.
  private static let inputBytes = 16 * 1024

  /// A reader of that member.
  package init(_ member: [UInt8]) throws(CompressionError) {
    input = member
    stream.initialize(to: z_stream())
    let code = seedbank_gzip_inflate_init(stream)
    guard code == Z_OK else {
      stream.deallocate()
      throw .cannotStart(code)
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Fills the room as far as there are bytes; 0 at the end.
  package func read(into room: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int {
    var filled = 0
    while filled < room.count, !isComplete {
      let before = position
      let count = try step(into: UnsafeMutableRawBufferPointer(rebasing: room[filled...]))
      guard count > 0 || position > before || isComplete else { throw .truncated }
      filled += count
    }
    return filled
  }

  private func step(into room: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int {
    var code = Z_OK
    let piece = input[position...].prefix(Self.inputBytes)
    piece.withUnsafeBufferPointer { bytes in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
      stream.pointee.avail_in = UInt32(bytes.count)
      stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(clamping: room.count)
      code = inflate(stream, Z_NO_FLUSH)
    }
    position += piece.count - Int(stream.pointee.avail_in)
    isComplete = code == Z_STREAM_END
    guard isComplete || code == Z_OK || code == Z_BUF_ERROR else { throw .damaged }
    return min(room.count, Int(UInt32.max)) - Int(stream.pointee.avail_out)
  }
}
