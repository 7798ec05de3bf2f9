internal import CMicroHTTPD
import SeedFormat
import SeedSystem

/// Owns a libmicrohttpd response, which can be sent repeatedly.
final class PreparedResponse: Sendable {
  let status: Int
  /// Bytes of the body; 0 for 304.
  let bodyBytes: Int64
  /// Bytes of the head that are known in advance.
  let headBytes: Int64
  let isLastPart: Bool
  let bytesInMemory: Int
  /// Whether connections may send it concurrently. libmicrohttpd locks a response while it sends a part of a file or
  /// reads from a stream. Connections that share such a response would wait for each other at every part.
  let isShareable: Bool
  let mark: (any Sendable)?
  // Thread-safe, because libmicrohttpd only changes the count of users, under its own lock.
  private nonisolated(unsafe) let response: OpaquePointer

  init(_ source: HTTPResponse, ending: Bool) throws(Problem) {
    headBytes = source.headers.fields.reduce(Self.fixedHeadBytes) {
      $0 + Int64($1.name.utf8.count + $1.value.utf8.count + 4)
    }
    guard 200...599 ~= source.status, source.body.isSound, headBytes <= HeadSize.responseLimit else {
      throw .malformedResponse
    }
    let isUnchanged = source.status == 304
    let sent = isUnchanged ? .empty : try source.body.inMemoryIfSmall()
    guard let made = isUnchanged ? Self.announcing(source.body.length) : Self.make(sent) else {
      throw .tooManyFiles
    }
    guard Self.add(source.headers, to: made, ending: ending) else {
      MHD_destroy_response(made)
      throw .malformedResponse
    }
    response = made
    status = source.status
    bodyBytes = isUnchanged ? 0 : source.body.length
    mark = source.mark
    isLastPart = !isUnchanged && source.body.hasEnd
    bytesInMemory = sent.bytesInMemory
    isShareable = sent.isInMemory
  }

  /// The status line, `Date`, `Content-Length` and `X-Content-Type-Options`.
  private static let fixedHeadBytes: Int64 = 130

  deinit { MHD_destroy_response(response) }

  /// Queues the response to the connection's request. Returns false if the connection must be dropped.
  func send(to current: CurrentRequest, on connection: OpaquePointer) -> Bool {
    current.send(self)
    return seedbank_mhd_queue(connection, UInt32(status), response) != 0
  }

  private static func add(_ headers: HTTPHeaders, to response: OpaquePointer, ending: Bool) -> Bool {
    // The library rejects line breaks, but silently cuts a value at a NUL.
    headers.fields.allSatisfy { field in
      ByteSet.token.containsAll(of: field.name) && ByteSet.fieldValue.containsAll(of: field.value)
        && seedbank_mhd_add_field(response, field.name, field.value) != 0
    } && seedbank_mhd_add_field(response, "X-Content-Type-Options", "nosniff") != 0
      && (!ending || seedbank_mhd_add_field(response, "Connection", "close") != 0)
  }

  /// A response for 304, which announces a body's length without sending the body: libmicrohttpd 0.9.75 announces the
  /// length of the response that it gets. The block size is 1, because the library allocates and clears a block.
  private static func announcing(_ length: Int64) -> OpaquePointer? {
    guard length > 0 else { return seedbank_mhd_response_copying(nil, 0) }
    return MHD_create_response_from_callback(UInt64(length), 1, readStream, nil, nil)
  }

  private static func make(_ body: HTTPBody) -> OpaquePointer? {
    switch body {
    case .empty: seedbank_mhd_response_copying(nil, 0)
    case .bytes(let bytes): bytes.withUnsafeBytes { seedbank_mhd_response_copying($0.baseAddress, $0.count) }
    case .stream(let length, let open): make(open(), length: length)
    case .file(let file, let offset, let length): make(file, offset: offset, length: length)
    }
  }

  private static func make(_ stream: any HTTPByteStream, length: Int64) -> OpaquePointer? {
    guard length > 0 else { return seedbank_mhd_response_copying(nil, 0) }
    let box = Unmanaged.passRetained(StreamBox(stream)).toOpaque()
    let made = MHD_create_response_from_callback(
      UInt64(length), streamChunkBytes, readStream, box, releaseStream)
    if made == nil { Unmanaged<StreamBox>.fromOpaque(box).release() }
    return made
  }

  private static func make(_ file: OpenFile, offset: Int64, length: Int64) -> OpaquePointer? {
    guard length > 0 else { return seedbank_mhd_response_copying(nil, 0) }
    guard let descriptor = file.duplicatedDescriptor() else { return nil }
    let made = MHD_create_response_from_fd_at_offset64(UInt64(length), descriptor, UInt64(offset))
    if made == nil { close(descriptor) }
    return made
  }
}

extension Problem {
  fileprivate static let malformedResponse = Problem(
    .internalError, "The response cannot be sent: its status, its head or its file's range is wrong.")
  fileprivate static let unreadableFile = Problem(
    .internalError, "Cannot send the response, because its file is unreadable.")
}

extension HTTPBody {
  fileprivate var hasEnd: Bool {
    guard case .file(let file, let offset, let length) = self else { return false }
    return length > 0 && offset + length == file.length
  }

  /// A small file is sent faster from memory together with its head.
  fileprivate func inMemoryIfSmall() throws(Problem) -> HTTPBody {
    guard case .file(let file, let offset, let length) = self, length <= Self.smallFileBytes else {
      return self
    }
    guard let bytes = file.bytes(offset: offset, length: length) else { throw .unreadableFile }
    return .bytes(bytes)
  }

  private static let smallFileBytes: Int64 = 16 * 1024

  fileprivate var isSound: Bool {
    guard case .file(let file, let offset, let length) = self else { return true }
    return offset >= 0 && length >= 0 && offset <= file.length && length <= file.length - offset
  }
}

private let streamChunkBytes = 32 * 1024

private final class StreamBox {
  let stream: any HTTPByteStream

  init(_ stream: any HTTPByteStream) { self.stream = stream }
}

private func readStream(
  box: UnsafeMutableRawPointer?, position: UInt64, room: UnsafeMutablePointer<CChar>?, size: Int
) -> Int {
  // MHD_CONTENT_READER_END_WITH_ERROR; Swift does not import the macro, which is a cast.
  let failure = -2
  guard let box, let room, size > 0 else { return failure }
  let stream = Unmanaged<StreamBox>.fromOpaque(box).takeUnretainedValue().stream
  return stream.next(into: UnsafeMutableRawBufferPointer(start: room, count: size)) ?? failure
}

private func releaseStream(box: UnsafeMutableRawPointer?) {
  if let box { Unmanaged<StreamBox>.fromOpaque(box).release() }
}
