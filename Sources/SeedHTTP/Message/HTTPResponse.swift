/// What a handler answers.
///
/// The server adds `Date`, `Content-Length`, `X-Content-Type-Options` and, where needed, `Connection`. A
/// header that cannot stand in a response (an empty value, a line break) turns the whole into a 500.
package struct HTTPResponse: Sendable {
  /// The status code, 200…599.
  package var status: Int
  /// The header fields, in order.
  package var headers: HTTPHeaders
  /// The body; the answer to `HEAD` has the same headers and leaves it out.
  package var body: HTTPBody
  /// Whether it depends on nothing but the request's target, and whether gzip is preferred, until
  /// ``HTTPServer/forgetAnswers``: then the handler is not asked again for as long. Only GET and HEAD without a
  /// condition or range are answered so.
  package var isReusable = false
  /// A number by which the handler's owner knows the exchange again when it is over.
  package var mark = 0

  /// A response of these parts.
  package init(status: Int, headers: HTTPHeaders = [:], body: HTTPBody = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Makes a body piece by piece, each on the thread of its connection.
package protocol HTTPByteStream: AnyObject {
  /// Fills a part of the room, at least one byte; nil if it cannot go on: then the connection breaks off.
  func next(into room: UnsafeMutableRawBufferPointer) -> Int?
}

/// A response's body; its length is always known before the first byte goes out.
package enum HTTPBody: Sendable {
  /// No byte.
  case empty
  /// These bytes.
  case bytes([UInt8])
  /// So many bytes that are made while they are sent. Each answer calls for a stream of its own.
  case stream(length: Int64, @Sendable () -> any HTTPByteStream)
  /// A part of a file, sent by the kernel without passing through this process.
  case file(OpenFile, offset: Int64, length: Int64)

  /// A whole file.
  package static func file(_ file: OpenFile) -> HTTPBody {
    .file(file, offset: 0, length: file.length)
  }

  /// How many bytes it has.
  package var length: Int64 {
    switch self {
    case .empty: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .stream(let length, _): length
    case .file(_, _, let length): length
    }
  }
}
