/// A request's first line as it arrived.
struct RequestLine {
  let method: LentText
  /// In origin form, where it has one.
  let target: LentText
  let version: LentText
  /// Bytes of the target as it was sent.
  let targetBytes: Int

  init(method: LentText, target: LentText, version: LentText) {
    (self.method, self.version) = (method, version)
    self.target = TargetGuard.originForm(of: target)
    targetBytes = target.count
  }

  /// RFC 9112, 3.2.4: what a server can do for all of its resources.
  fileprivate var asksForServer: Bool { target.isExactly("*") && method.isExactly("OPTIONS") }
}

/// Decides by a request's head whether a handler may see it.
///
/// The order matters: version, framing, method. A request whose end is in doubt is refused as such, whatever
/// else is wrong with it.
enum RequestGuard {
  /// Returns if the head is sound, else throws the answer.
  ///
  /// `accountsForEveryByte` says whether line and fields, laid end to end with one space or CRLF between
  /// them, make up every byte that arrived. libmicrohttpd hands out C strings: what follows a NUL is silently
  /// gone, a bare LF passes for CRLF and a folded line is glued to the field's *name*. Each of them leaves
  /// bytes that belong nowhere.
  static func check(
    _ line: RequestLine, _ fields: FieldScan, accountsForEveryByte: Bool
  ) throws(Refusal) {
    let isNewer = line.version.isExactly("HTTP/1.1")
    guard isNewer || line.version.isExactly("HTTP/1.0") else { throw .version }
    guard accountsForEveryByte else {
      throw .malformed("the head has a NUL, a bare line feed, a folded line or stray spaces")
    }
    guard !line.method.isEmpty, ByteSet.token.containsAll(of: line.method) else {
      throw .malformed("the method is not a token")
    }
    if let fault = fields.fault { throw fault }
    guard fields.hostCount == 1 || !isNewer else {
      throw .malformed("a request must have exactly one Host")
    }
    if !line.asksForServer { try TargetGuard.check(line.target) }
    guard line.method.isExactly("GET") || line.method.isExactly("HEAD") || line.method.isExactly("OPTIONS")
    else { throw .method }
  }
}
