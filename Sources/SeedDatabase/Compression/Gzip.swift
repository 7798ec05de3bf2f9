import CZlib

/// A zlib stream, which is on the heap because zlib keeps a pointer to it.
final class ZStream {
  let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let end: (UnsafeMutablePointer<z_stream>) -> Void

  init(
    _ start: (UnsafeMutablePointer<z_stream>) -> Int32,
    end: @escaping (UnsafeMutablePointer<z_stream>) -> Void
  ) throws(CompressionError) {
    self.end = end
    pointer.initialize(to: z_stream())
    let code = start(pointer)
    guard code == Z_OK else { throw .cannotStart(code) }
  }

  deinit {
    end(pointer)
    pointer.deallocate()
  }

  static func inflating() throws(CompressionError) -> ZStream {
    try ZStream({ seedbank_gzip_inflate_init($0) }, end: { inflateEnd($0) })
  }

  /// Expands the remaining input into the output, both set by the caller; returns true at the member's end.
  func inflate() throws(CompressionError) -> Bool {
    let code = CZlib.inflate(pointer, Z_NO_FLUSH)
    guard code == Z_STREAM_END || code == Z_OK || code == Z_BUF_ERROR else { throw .damaged }
    return code == Z_STREAM_END
  }

  /// Calls zlib with a fresh output buffer and passes the output to `sink`; returns true if more may follow.
  func pump(_ sink: ([UInt8]) throws -> Void, _ call: () throws -> Void) throws -> Bool {
    let output = try [UInt8](unsafeUninitializedCapacity: codecChunkBytes) { buffer, count in
      pointer.pointee.next_out = buffer.baseAddress
      pointer.pointee.avail_out = UInt32(buffer.count)
      try call()
      count = buffer.count - Int(pointer.pointee.avail_out)
    }
    if !output.isEmpty { try sink(output) }
    return output.count == codecChunkBytes
  }
}

/// Compresses to one gzip member without a time in its header, so that equal content gives equal bytes. The member is
/// spliceable (see ``GzipSplice``): a full flush precedes its final, empty block.
final class GzipEncoder: StreamCodec {
  private let stream: ZStream

  /// zlib's default level.
  private static let level: Int32 = 6

  init() throws(CompressionError) {
    stream = try ZStream({ seedbank_gzip_deflate_init($0, Self.level) }, end: { deflateEnd($0) })
  }

  func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws {
    try run(input, isLast ? Z_FULL_FLUSH : Z_NO_FLUSH, sink)
    if isLast { try run([], Z_FINISH, sink) }
  }

  private func run(_ input: [UInt8], _ flush: Int32, _ sink: ([UInt8]) throws -> Void) throws {
    try input.withUnsafeBufferPointer { input in
      stream.pointer.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointer.pointee.avail_in = UInt32(input.count)
      // Free room in the output means that deflate has consumed and flushed everything.
      while try stream.pump(sink, { deflate(stream.pointer, flush) }) {}
    }
  }
}

package final class GzipDecoder: StreamCodec {
  private let stream: ZStream
  private var isComplete = false
  private let takesMembers: Bool

  /// `takesMembers` also accepts several consecutive members, which RFC 1952, section 2.2, calls a gzip file.
  package init(takesMembers: Bool = false) throws(CompressionError) {
    self.takesMembers = takesMembers
    stream = try .inflating()
  }

  package func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws {
    try input.withUnsafeBufferPointer { input in
      stream.pointer.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointer.pointee.avail_in = UInt32(input.count)
      var isFilled = true
      while beginMember(), isFilled || stream.pointer.pointee.avail_in > 0 {
        isFilled = try stream.pump(sink) { isComplete = try stream.inflate() }
      }
      if stream.pointer.pointee.avail_in > 0 { throw CompressionError.trailingBytes }
    }
    if isLast, !isComplete { throw CompressionError.truncated }
  }

  private func beginMember() -> Bool {
    guard isComplete else { return true }
    guard takesMembers, stream.pointer.pointee.avail_in > 0 else { return false }
    inflateReset(stream.pointer)
    isComplete = false
    return true
  }
}

/// Expands a gzip member in memory into the caller's buffers, part by part.
package final class GzipReader {
  private let stream: ZStream
  private let input: [UInt8]
  private var position = 0
  private var isComplete = false

  package init(_ member: [UInt8]) throws(CompressionError) {
    input = member
    stream = try .inflating()
  }

  /// Fills the buffer as far as possible; returns 0 at the end.
  package func read(into room: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int {
    guard !isComplete else { return 0 }
    let (zlib, size) = (stream.pointer, UInt32(clamping: room.count))
    try input.withUnsafeBufferPointer { bytes throws(CompressionError) in
      zlib.pointee.next_in = bytes.baseAddress.map { UnsafeMutablePointer(mutating: $0 + position) }
      zlib.pointee.avail_in = UInt32(bytes.count - position)
      zlib.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      zlib.pointee.avail_out = size
      isComplete = try stream.inflate()
      position = bytes.count - Int(zlib.pointee.avail_in)
    }
    let count = Int(size - zlib.pointee.avail_out)
    guard count > 0 || isComplete else { throw .truncated }
    return count
  }
}
