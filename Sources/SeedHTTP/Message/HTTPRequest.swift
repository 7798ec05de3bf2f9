/// A request's method; the guard lets no others pass to a handler than these three.
package struct HTTPMethod: Hashable, Sendable {
  /// As a request line writes it; methods are case-sensitive.
  package let name: String

  package init(_ name: String) { self.name = name }

  package static let get = HTTPMethod("GET")
  package static let head = HTTPMethod("HEAD")
  package static let options = HTTPMethod("OPTIONS")

  /// The methods that reach a handler, as the `Allow` field lists them.
  package static let allowed = "GET, HEAD, OPTIONS"
}

/// A request that the guard admitted.
package struct HTTPRequest: Hashable, Sendable {
  package let method: HTTPMethod
  /// The path, undecoded: it starts with `/` and has no `..`, no `//` and no escaped separator.
  package let path: String
  /// The text after the first `?`, undecoded; nil without a `?`.
  package let query: String?
  package let headers: HTTPHeaders
  /// The client's address, numeric: the connection's other end, or the one that a trusted proxy forwards for.
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
