/// A request's method.
package enum HTTPMethod: Hashable, Sendable {
  case get, head, options
  /// Any other token; the guard lets none pass to a handler.
  case other(String)

  /// The methods that reach a handler, as the `Allow` field lists them.
  package static let allowed = "GET, HEAD, OPTIONS"

  /// The method of that name; methods are case-sensitive.
  package init(_ name: String) {
    switch name {
    case "GET": self = .get
    case "HEAD": self = .head
    case "OPTIONS": self = .options
    default: self = .other(name)
    }
  }

  /// The method as a request line writes it.
  package var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .options: "OPTIONS"
    case .other(let name): name
    }
  }
}

/// A request that the guard admitted.
package struct HTTPRequest: Hashable, Sendable {
  package let method: HTTPMethod
  /// The path, undecoded: it starts with `/` and has no `..`, no `//` and no escaped separator.
  package let path: String
  /// The text after the first `?`, undecoded; nil without a `?`.
  package let query: String?
  package let headers: HTTPHeaders
  /// The client's address as a numeric literal: the connection's other end, or where that is a trusted proxy, the
  /// address that it forwards for.
  package let remoteAddress: String
  /// The number under which the log and a problem's headers name the request; 0 outside a server.
  package let id: UInt64

  /// A request for a raw target such as `/v1/transit/changes?since=100`.
  package init(
    _ method: HTTPMethod = .get, _ target: String, headers: HTTPHeaders = [:], remoteAddress: String = "",
    id: UInt64 = 0
  ) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : nil
    self.headers = headers
    self.remoteAddress = remoteAddress
    self.id = id
  }

  /// ``id`` in sixteen hexadecimal digits.
  package var idText: String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
