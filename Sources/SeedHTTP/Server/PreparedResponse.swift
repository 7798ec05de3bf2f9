internal import CMicroHTTPD
import SeedSystem

/// Owns one response of libmicrohttpd, which can be sent any number of times, on several connections at once.
final class PreparedResponse: Sendable {
  let status: Int
  /// Bytes of its body where it is sent with one.
  let bodyBytes: Int64
  /// Bytes of its body that it keeps in memory.
  let bytesInMemory: Int
  /// The file that its body is sent from.
  let file: OpenFile.Identity?
  /// What the handler wants to be told again; see ``HTTPResponse/mark``.
  let mark: Int
  // libmicrohttpd counts its users with a lock of its own, and changes nothing else of it.
  private nonisolated(unsafe) let response: OpaquePointer

  /// Why a response cannot be sent.
  enum Failure: String, Error {
    /// Its parts are at fault.
    case malformed = "its status, a header or its file's range is not right"
    /// The process has no descriptor or memory left.
    case exhausted = "there is no descriptor or memory left"
  }

  /// The response as the library takes it.
  init(_ source: HTTPResponse, ending: Bool) throws(Failure) {
    // Of what 304 stands for only the length is told.
    let body: HTTPBody =
      source.status == 304 ? .stream(length: source.body.length) { NoBytes() } : source.body
    guard 200...599 ~= source.status, body.isSound else { throw .malformed }
    guard let made = Self.make(body) else { throw .exhausted }
    guard Self.add(source.headers, to: made, ending: ending) else {
      MHD_destroy_response(made)
      throw .malformed
    }
    response = made
    status = source.status
    bodyBytes = source.status == 304 ? 0 : source.body.length
    mark = source.mark
    bytesInMemory = source.body.bytesInMemory
    file = source.body.file
  }

  deinit { MHD_destroy_response(response) }

  /// Hands it to the connection.
  func queue(on connection: OpaquePointer) -> Bool {
    seedbank_mhd_queue(connection, UInt32(status), response) != 0
  }

  private static func add(_ headers: HTTPHeaders, to response: OpaquePointer, ending: Bool) -> Bool {
    var all = headers
    all.set("X-Content-Type-Options", to: "nosniff")
    if ending { all.set("Connection", to: "close") }
    return all.fields.allSatisfy { add($0, to: response) }
  }

  // The library refuses line breaks, and would cut a value at a NUL without a word.
  private static func add(_ field: HTTPHeaders.Field, to response: OpaquePointer) -> Bool {
    ByteSet.token.containsAll(of: field.name) && ByteSet.fieldValue.containsAll(of: field.value)
      && seedbank_mhd_add_field(response, field.name, field.value) != 0
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

extension PreparedResponse.Failure {
  /// What is sent in place of the response.
  var response: HTTPResponse {
    switch self {
    case .malformed:
      .problem(
        "internal-error", status: 500, title: "Internal error",
        detail: "the answer could not be put together: the operator has to look at it")
    case .exhausted:
      .problem(
        "overloaded", status: 503, title: "Overloaded",
        detail: "too many files are open: try again in a moment",
        headers: ["Retry-After": Self.retryAfterSeconds])
    }
  }

  /// Seconds after which some other answer has most likely let go of its file.
  private static let retryAfterSeconds = "2"
}

extension HTTPBody {
  /// Whether a file has all bytes of its part that is to be sent.
  fileprivate var isSound: Bool {
    if case .file(let file, let offset, let length) = self {
      file.holds(offset: offset, length: length)
    } else {
      true
    }
  }

  fileprivate var file: OpenFile.Identity? {
    if case .file(let file, _, _) = self { file.identity } else { nil }
  }

  fileprivate var bytesInMemory: Int {
    if case .bytes(let bytes) = self { bytes.count } else { 0 }
  }
}

/// Bytes that a stream is asked for at a time.
private let streamChunkBytes = 32 * 1024

/// A stream, as libmicrohttpd holds it.
private final class StreamBox {
  let stream: any HTTPByteStream

  init(_ stream: any HTTPByteStream) { self.stream = stream }
}

/// The body of an answer that is sent without one.
private final class NoBytes: HTTPByteStream {
  func next(into room: UnsafeMutableRawBufferPointer) -> Int? { nil }
}

private func readStream(
  box: UnsafeMutableRawPointer?, position: UInt64, room: UnsafeMutablePointer<CChar>?, size: Int
) -> Int {
  // MHD_CONTENT_READER_END_WITH_ERROR; the macro is a cast, which Swift does not import.
  let failure = -2
  guard let box, let room, size > 0 else { return failure }
  let stream = Unmanaged<StreamBox>.fromOpaque(box).takeUnretainedValue().stream
  return stream.next(into: UnsafeMutableRawBufferPointer(start: room, count: size)) ?? failure
}

private func releaseStream(box: UnsafeMutableRawPointer?) {
  if let box { Unmanaged<StreamBox>.fromOpaque(box).release() }
}
