/// A request's line and header fields as they arrived, trusted by nobody yet.
package struct RequestHead: Hashable, Sendable {
  /// The method's token.
  package var method: String
  /// The raw target.
  package var target: String
  /// The version as it stands in the request line.
  package var version: String
  /// The header fields.
  package var headers: HTTPHeaders
  /// Whether line and fields, laid end to end with one space or CRLF between them, make up every byte that
  /// arrived.
  ///
  /// libmicrohttpd hands out C strings: what follows a NUL is silently gone, a bare LF passes for CRLF and a
  /// folded line is glued to the field's *name*. Each of them leaves bytes that belong nowhere.
  package var accountsForEveryByte: Bool

  /// A head of these parts.
  package init(
    method: String = "GET", target: String = "/", version: String = "HTTP/1.1",
    headers: HTTPHeaders = ["Host": "localhost"], accountsForEveryByte: Bool = true
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.headers = headers
    self.accountsForEveryByte = accountsForEveryByte
  }
}
