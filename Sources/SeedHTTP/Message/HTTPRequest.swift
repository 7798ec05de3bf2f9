/// A request that the guard admitted.
package struct HTTPRequest: Hashable, Sendable {
  /// What is asked for.
  package let method: HTTPMethod
  /// The path, undecoded: it starts with `/` and holds no `..`, no `//` and no escaped separator.
  package let path: String
  /// What follows the first `?`, undecoded; nil without a `?`.
  package let query: String?
  /// The header fields.
  package let headers: HTTPHeaders
  /// The address of whoever sent it as a numeric literal: of the connection's other end, or where that is a
  /// trusted proxy, the one that it gives.
  package let remoteAddress: String
  /// What the log and an answer that tells of a mistake call it; 0 outside a server.
  package let id: UInt64

  /// A request for a raw target such as `/v1/transit/changes?since=100`.
  package init(
    _ method: HTTPMethod = .get, _ target: String, headers: HTTPHeaders = [:], remoteAddress: String = "",
    id: UInt64 = 0
  ) {
    self.id = id
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : nil
    self.headers = headers
    self.remoteAddress = remoteAddress
  }
}

extension HTTPRequest {
  /// The identifier as it is written, sixteen hexadecimal digits.
  package var idText: String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
