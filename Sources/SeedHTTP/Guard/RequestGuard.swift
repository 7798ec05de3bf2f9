/// Decides by a request's head whether a handler may see it.
///
/// The order matters: version, framing, method. A request whose end is in doubt is refused as such, whatever
/// else is wrong with it.
package enum RequestGuard {
  /// Header fields in one request.
  static let fieldLimit = 64

  /// Returns if the head is sound, else throws the answer.
  package static func check(_ head: RequestHead) throws(Refusal) {
    guard head.version == "HTTP/1.1" || head.version == "HTTP/1.0" else { throw .version }
    try checkFraming(head)
    guard case .other = HTTPMethod(head.method) else { return }
    throw .method
  }

  private static func checkFraming(_ head: RequestHead) throws(Refusal) {
    guard head.accountsForEveryByte else {
      throw .malformed("the head has a NUL, a bare line feed, a folded line or stray spaces")
    }
    guard !head.method.isEmpty, ByteSet.token.containsAll(of: head.method.utf8) else {
      throw .malformed("the method is not a token")
    }
    try checkFields(head.headers)
    try checkLength(head.headers)
    try checkHost(head)
    try checkTarget(head.target)
  }

  private static func checkFields(_ headers: HTTPHeaders) throws(Refusal) {
    guard headers.fields.count <= fieldLimit else {
      throw .malformed("more than \(fieldLimit) header fields")
    }
    for field in headers.fields {
      guard !field.name.isEmpty, ByteSet.token.containsAll(of: field.name.utf8) else {
        throw .malformed("a header field's name is not a token")
      }
      guard ByteSet.fieldValue.containsAll(of: field.value.utf8) else {
        throw .malformed("a header field's value holds a control character")
      }
    }
  }

  // RFC 9112, 6.3: what decides where the request ends. Nothing here takes a body, so it ends with its head.
  private static func checkLength(_ headers: HTTPHeaders) throws(Refusal) {
    guard headers["Transfer-Encoding"] == nil else { throw .malformed("Transfer-Encoding is not accepted") }
    let lengths = headers.values(of: "Content-Length")
    guard lengths.isEmpty || lengths == ["0"] else { throw .malformed("a request must have no body") }
  }

  private static func checkHost(_ head: RequestHead) throws(Refusal) {
    let hosts = head.headers.values(of: "Host")
    if hosts.isEmpty, head.version == "HTTP/1.0" { return }
    guard hosts.count == 1 else { throw .malformed("a request must have exactly one Host") }
    guard !hosts[0].isEmpty, ByteSet.host.containsAll(of: hosts[0].utf8) else {
      throw .malformed("the Host is not a name or an address with an optional port")
    }
  }

  private static func checkTarget(_ target: String) throws(Refusal) {
    let parts = target.utf8.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    try checkPath(parts[0])
    guard parts.count < 2 || ByteSet.query.containsAll(of: parts[1]) else {
      throw .malformed("the query holds a character that must be percent-encoded")
    }
  }

  private static func checkPath(_ path: Substring.UTF8View) throws(Refusal) {
    guard path.first == UInt8(ascii: "/") else { throw .malformed("the path does not start with a slash") }
    guard ByteSet.path.containsAll(of: path) else {
      throw .malformed("the path holds a character that no path here has")
    }
    for (byte, next) in zip(path, path.dropFirst()) where byte == next {
      guard byte != UInt8(ascii: "."), byte != UInt8(ascii: "/") else {
        throw .malformed("the path holds two dots or two slashes in a row")
      }
    }
    guard hasSoundEscapes(path) else {
      throw .malformed("the path has an escape that is broken or hides syntax")
    }
  }

  private static func hasSoundEscapes(_ path: Substring.UTF8View) -> Bool {
    path.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy {
      rest in
      guard let byte = percentDecoded([UInt8(ascii: "%")] + rest.prefix(2)) else { return false }
      return ByteSet.escapable.containsAll(of: byte)
    }
  }
}
