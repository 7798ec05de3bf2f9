import CZlib

/// Compresses to one gzip member without a time in its header: equal content gives equal bytes.
final class GzipEncoder: StreamCodec {
  // zlib keeps a pointer back to the stream, so it must stay where it is.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let isSpliceable: Bool

  /// A spliceable member ends with a full flush before its final empty block, so that a server can cut
  /// out its deflate data at a byte boundary and join it with others.
  init(level: Int32, isSpliceable: Bool) throws(CompressionError) {
    stream.initialize(to: z_stream())
    self.isSpliceable = isSpliceable
    let code = seedbank_gzip_deflate_init(stream, level)
    guard code == Z_OK else { throw .cannotStart(code) }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws {
    guard isLast, isSpliceable else { return try run(input, isLast ? Z_FINISH : Z_NO_FLUSH, sink) }
    try run(input, Z_FULL_FLUSH, sink)
    try run([], Z_FINISH, sink)
  }

  private func run(_ input: [UInt8], _ flush: Int32, _ sink: ([UInt8]) throws -> Void) throws {
    try input.withUnsafeBufferPointer { input in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      // Room left in the output means that deflate has taken everything and flushed what was asked.
      while try pump(stream, sink, { deflate($0, flush) }).filled {}
    }
  }
}

/// Expands gzip members and nothing else.
package final class GzipDecoder: StreamCodec {
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var isComplete = false
  private let takesMembers: Bool

  /// A decoder of one member; or of several behind one another, which RFC 1952, section 2.2, calls a gzip file.
  package init(takesMembers: Bool = false) throws(CompressionError) {
    self.takesMembers = takesMembers
    stream.initialize(to: z_stream())
    let code = seedbank_gzip_inflate_init(stream)
    guard code == Z_OK else { throw .cannotStart(code) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  package func process(_ input: [UInt8], isLast: Bool, _ sink: ([UInt8]) throws -> Void) throws {
    try input.withUnsafeBufferPointer { input in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      var isFilled = true
      while beginMember(), isFilled || stream.pointee.avail_in > 0 {
        let step = try pump(stream, sink) { inflate($0, Z_NO_FLUSH) }
        isFilled = step.filled
        isComplete = step.code == Z_STREAM_END
        guard isComplete || step.code == Z_OK || step.code == Z_BUF_ERROR else {
          throw CompressionError.damaged
        }
      }
      if stream.pointee.avail_in > 0 { throw CompressionError.trailingBytes }
    }
    if isLast, !isComplete { throw CompressionError.truncated }
  }

  /// Whether a member is at hand: the one that is not complete, or another behind it.
  private func beginMember() -> Bool {
    guard isComplete else { return true }
    guard takesMembers, stream.pointee.avail_in > 0 else { return false }
    inflateReset(stream)
    isComplete = false
    return true
  }
}

/// One call of zlib with a fresh output buffer; `filled` says that more may be waiting.
private func pump(
  _ stream: UnsafeMutablePointer<z_stream>, _ sink: ([UInt8]) throws -> Void,
  _ call: (UnsafeMutablePointer<z_stream>) -> Int32
) throws -> (code: Int32, filled: Bool) {
  var code = Z_OK
  let output = [UInt8](unsafeUninitializedCapacity: codecChunkBytes) { buffer, count in
    stream.pointee.next_out = buffer.baseAddress
    stream.pointee.avail_out = UInt32(buffer.count)
    code = call(stream)
    count = buffer.count - Int(stream.pointee.avail_out)
  }
  if !output.isEmpty { try sink(output) }
  return (code, output.count == codecChunkBytes)
}

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
