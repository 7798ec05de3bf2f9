/// Why a request gets no further than its head.
package struct Refusal: Error, Hashable, Sendable {
  /// 400, 405 or 505.
  package let status: Int
  /// One sentence for the client; it repeats nothing that the client sent.
  package let detail: String

  static func malformed(_ detail: String) -> Refusal { Refusal(status: 400, detail: detail) }
  static let method = Refusal(status: 405, detail: "only GET, HEAD and OPTIONS are answered")
  static let version = Refusal(status: 505, detail: "only HTTP/1.0 and HTTP/1.1 are spoken")

  /// The answer, after which the connection ends.
  package var response: HTTPResponse {
    var headers: HTTPHeaders = ["Connection": "close"]
    if status == 405 { headers.append("Allow", HTTPMethod.allowed) }
    return .problem(type, status: status, title: title, detail: detail, headers: headers)
  }

  private var type: String {
    switch status {
    case 405: "method-not-allowed"
    case 505: "version-not-supported"
    default: "bad-request"
    }
  }

  private var title: String {
    switch status {
    case 405: "Method not allowed"
    case 505: "HTTP version not supported"
    default: "Bad request"
    }
  }
}
