/// A request's method; the guard only admits these three.
package struct HTTPMethod: Hashable, Sendable {
  /// As in the request line; methods are case-sensitive.
  package let name: String

  package init(_ name: String) { self.name = name }

  package static let get = HTTPMethod("GET")
  package static let head = HTTPMethod("HEAD")
  package static let options = HTTPMethod("OPTIONS")

  /// The value of the `Allow` field.
  package static let allowed = "GET, HEAD, OPTIONS"
}

package struct HTTPRequest: Hashable, Sendable {
  package let method: HTTPMethod
  /// The undecoded path: it starts with `/` and has no `..`, `//` or escaped separator.
  package let path: String
  /// The undecoded text after the first `?`; nil without a `?`.
  package let query: String?
  package let headers: HTTPHeaders
  /// The client's numeric address: the connection's peer, or the address forwarded by a trusted proxy.
  package let remoteAddress: String
  /// The request's number in the log and in a problem's headers; 0 outside a server.
  package let id: UInt64

  /// Parses a raw target such as `/v1/transit/changes?since=100`.
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

  package var idText: String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
