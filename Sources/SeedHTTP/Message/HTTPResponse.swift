package import SeedFormat
package import SeedSystem

/// A handler's response. The server adds `Date`, `Content-Length`, `X-Content-Type-Options` and, if needed,
/// `Connection`. It sends a 500 instead of a response with an invalid header, such as an empty value or a line break.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: HTTPHeaders
  /// The body; for HEAD, it only determines the headers.
  package var body: HTTPBody
  /// Whether the response depends only on the target and the preference for gzip. If so, the server sends it for each
  /// GET and HEAD of this target, without calling the handler again, until ``HTTPServer/forgetResponses`` is called.
  package var isReusable = false
  /// Identifies the response in its measurement. The handler's module chooses the type.
  package var mark: (any Sendable)?

  package init(status: Int, headers: HTTPHeaders = [:], body: HTTPBody = .empty) {
    (self.status, self.headers, self.body) = (status, headers, body)
    if status == 503, headers["Retry-After"] == nil {
      self.headers.append("Retry-After", Self.retryAfterSeconds)
    }
  }

  /// Seconds after which a client may repeat a request that got a 503.
  private static let retryAfterSeconds = "2"

  /// A problem response that caches do not store (RFC 9457).
  package init(_ problem: Problem) {
    self.init(
      status: problem.type.status, headers: ["Content-Type": Problem.mediaType, "Cache-Control": "no-store"],
      body: .bytes(problem.json.bytes))
    if problem.type == .methodNotAllowed { headers.append("Allow", HTTPMethod.allowed) }
  }

  /// Encodes a response with an in-memory body, and adds `Connection: close`.
  func lastBytes(isHead: Bool, at now: UTCTime) -> [UInt8] {
    var all: HTTPHeaders = ["Date": now.httpText, "Content-Length": "\(body.length)", "Connection": "close"]
    all.append(contentsOf: headers)
    all.set("X-Content-Type-Options", to: "nosniff")
    let lines = all.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    let head = Array("HTTP/1.1 \(status) \r\n\(lines)\r\n".utf8)
    if case .bytes(let bytes) = body, !isHead { return head + bytes }
    return head
  }
}

extension Problem {
  package static let methodNotAllowed = Problem(
    .methodNotAllowed, "Only \(HTTPMethod.allowed) are supported.")
  package static let tooManyFiles = Problem(
    .overloaded, "Too many files are open. Try again in a few seconds.")
}

/// Produces a body in pieces, on the connection's thread.
package protocol HTTPByteStream: AnyObject {
  /// Fills the start of the buffer. Returns the number of bytes, at least one, or nil to abort the connection.
  func next(into room: UnsafeMutableRawBufferPointer) -> Int?
}

/// A response's body; its length is known in advance.
package enum HTTPBody: Sendable {
  case empty
  case bytes([UInt8])
  /// A body of that length, produced while it is sent. Each response opens its own stream.
  case stream(length: Int64, @Sendable () -> any HTTPByteStream)
  /// A part of a file, sent by the kernel without a copy in this process.
  case file(OpenFile, offset: Int64, length: Int64)

  package static func file(_ file: OpenFile) -> HTTPBody { .file(file, offset: 0, length: file.length) }

  var isStream: Bool { if case .stream = self { true } else { false } }

  var isInMemory: Bool {
    switch self {
    case .empty, .bytes: true
    case .stream, .file: false
    }
  }

  package var length: Int64 {
    switch self {
    case .empty: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .stream(let length, _): length
    case .file(_, _, let length): length
    }
  }
}

/// A regular file held open and shared by responses, which are unaffected if the file is replaced.
package final class OpenFile: Sendable {
  private let file: File
  /// Bytes in the file when it was opened.
  package let length: Int64

  /// Rejects a path that is a symbolic link.
  package init(path: String) throws(FileError) {
    file = try File(path, for: .readingRegular(followsLinks: false))
    length = Int64(try file.length())
  }

  /// A part of the file; nil if it is unreadable or truncated.
  func bytes(offset: Int64, length: Int64) -> [UInt8]? {
    guard let bytes = try? file.read(Int(length), at: Int(offset)), bytes.count == length else { return nil }
    return bytes
  }

  /// A descriptor for a response, which closes it; nil if the process is out of descriptors. The duplicates share a
  /// file position, which does not matter: `sendfile` and `pread` take an offset.
  func duplicatedDescriptor() -> CInt? { file.duplicateDescriptor() }
}
