package import SeedFormat
import SeedSystem

/// A response as a handler makes it. The server adds `Date`, `Content-Length`, `X-Content-Type-Options` and, where
/// needed, `Connection`. It sends a 500 in place of a response with a header that cannot be sent: an empty value, a
/// line break.
package struct HTTPResponse: Sendable {
  /// The status code, 200…599.
  package var status: Int
  package var headers: HTTPHeaders
  /// The body; a response to HEAD has the same headers and leaves it out.
  package var body: HTTPBody
  /// Whether it depends only on the request's target and on whether the client prefers gzip. The server keeps such a
  /// response to GET or HEAD, and does not call the handler again until ``HTTPServer/forgetAnswers``.
  package var isReusable = false
  /// A number by which the handler's owner recognises the exchange in its measurement.
  package var mark = 0

  package init(status: Int, headers: HTTPHeaders = [:], body: HTTPBody = .empty) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// The problem as a response that no cache keeps (RFC 9457).
  package init(_ problem: Problem) {
    self.init(
      status: problem.type.status, headers: ["Content-Type": Problem.mediaType, "Cache-Control": "no-store"],
      body: .bytes(problem.json.bytes))
    switch problem.type {
    case .methodNotAllowed: headers.append("Allow", HTTPMethod.allowed)
    case .overloaded: headers.append("Retry-After", Problem.retryAfterSeconds)
    default: break
    }
  }
}

extension HTTPResponse {
  /// What goes out on a connection that ends with it; its body is in memory.
  func lastBytes(isHead: Bool, at now: UTCTime) -> [UInt8] {
    var all: HTTPHeaders = ["Date": now.httpText, "Content-Length": "\(body.length)", "Connection": "close"]
    all.append(contentsOf: headers)
    all.set("X-Content-Type-Options", to: "nosniff")
    let lines = all.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    guard case .bytes(let bytes) = body, !isHead else {
      return Array("HTTP/1.1 \(status) \r\n\(lines)\r\n".utf8)
    }
    return Array("HTTP/1.1 \(status) \r\n\(lines)\r\n".utf8) + bytes
  }
}

extension Problem {
  /// Seconds after which a client may try again what failed for want of a resource.
  package static let retryAfterSeconds = "2"

  package static let methodNotAllowed = Problem(
    .methodNotAllowed, "Only \(HTTPMethod.allowed) are supported.")
  package static let tooManyFiles = Problem(
    .overloaded, "Too many files are open. Try again in a few seconds.")
}

/// Makes a body piece by piece, each on the thread of its connection.
package protocol HTTPByteStream: AnyObject {
  /// Fills the start of the buffer and returns the count of bytes, at least one; nil breaks the connection off.
  func next(into room: UnsafeMutableRawBufferPointer) -> Int?
}

/// A response's body; its length is known before the first byte is sent.
package enum HTTPBody: Sendable {
  case empty
  case bytes([UInt8])
  /// That many bytes, made while they are sent. Each response opens a stream of its own.
  case stream(length: Int64, @Sendable () -> any HTTPByteStream)
  /// A part of a file, which the kernel sends without a copy in this process.
  case file(OpenFile, offset: Int64, length: Int64)

  /// A whole file.
  package static func file(_ file: OpenFile) -> HTTPBody { .file(file, offset: 0, length: file.length) }

  var isStream: Bool {
    if case .stream = self { true } else { false }
  }

  var isInMemory: Bool {
    switch self {
    case .empty, .bytes: true
    case .stream, .file: false
    }
  }

  /// Bytes in the body.
  package var length: Int64 {
    switch self {
    case .empty: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .stream(let length, _): length
    case .file(_, _, let length): length
    }
  }
}
