import SeedFormat

struct RequestLine {
  let method: HeadText
  let target: HeadText
  let version: HeadText
  let targetBytes: Int

  init(method: HeadText, target: HeadText, version: HeadText) {
    (self.method, self.version) = (method, version)
    self.target = Self.originForm(of: target)
    targetBytes = target.count
  }

  /// Whether the client asks for the options of the whole server (RFC 9112, 3.2.4).
  fileprivate var asksForServer: Bool { target.isExactly("*") && method.isExactly("OPTIONS") }

  /// RFC 9112, 3.2.2: every server must accept absolute targets. Their host is ignored, like the Host field, because
  /// all hosts get the same responses. An empty path means "/" (RFC 9112, 3.2.1). Any other target is returned
  /// unchanged, and rejected by ``RequestGuard``.
  static func originForm(of target: HeadText) -> HeadText {
    guard target.first != UInt8(ascii: "/") else { return target }
    for scheme in ["http://", "https://"] as [StaticString] where target.hasNamePrefix(scheme) {
      let rest = HeadText(rebasing: target[scheme.utf8CodeUnitCount...])
      let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.count
      guard slash > 0, ByteSet.host.containsAll(of: HeadText(rebasing: rest[..<slash])) else { return target }
      let root: StaticString = "/"
      return slash < rest.count
        ? HeadText(rebasing: rest[slash...]) : HeadText(start: root.utf8Start, count: root.utf8CodeUnitCount)
    }
    return target
  }
}

/// Checks a request's head before a handler is called, in this order: version, framing and fields, target, method.
/// An ambiguous end of the request is thus reported rather than a wrong target or method.
enum RequestGuard {
  /// Throws the problem to respond with; its text repeats nothing from the client. `accountsForEveryByte` means that
  /// the request line and the fields, with single spaces and CRLFs between them, make up all received bytes.
  /// libmicrohttpd returns C strings: it drops text after a NUL, accepts a bare LF as CRLF, and appends a folded line
  /// to the field's *name*. Each of these leaves bytes unaccounted for.
  static func check(_ line: RequestLine, _ fields: HeaderScan, accountsForEveryByte: Bool) throws(Problem) {
    let isNewer = line.version.isExactly("HTTP/1.1")
    guard isNewer || line.version.isExactly("HTTP/1.0") else {
      throw Problem(.versionNotSupported, "Only HTTP/1.0 and HTTP/1.1 are supported.")
    }
    guard accountsForEveryByte else {
      throw .malformed("The request head contains a NUL, a bare line feed, a folded line or extra spaces.")
    }
    guard !line.method.isEmpty, ByteSet.token.containsAll(of: line.method) else {
      throw .malformed("The method is not a token.")
    }
    if let problem = fields.problem { throw problem }
    guard fields.hostCount == 1 || !isNewer else { throw .malformed(HeaderScan.oneHost) }
    if !line.asksForServer { try check(line.target) }
    guard line.method.isExactly("GET") || line.method.isExactly("HEAD") || line.method.isExactly("OPTIONS")
    else { throw .methodNotAllowed }
  }

  private static func check(_ target: HeadText) throws(Problem) {
    let mark = target.firstIndex(of: UInt8(ascii: "?"))
    try checkPath(HeadText(rebasing: target[..<(mark ?? target.count)]))
    guard let mark else { return }
    guard ByteSet.query.containsAll(of: HeadText(rebasing: target[(mark + 1)...])) else {
      throw .malformed("The query contains a character that must be percent-encoded.")
    }
  }

  private static func checkPath(_ path: HeadText) throws(Problem) {
    guard path.first == UInt8(ascii: "/") else { throw .malformed("The path does not start with a slash.") }
    guard ByteSet.path.containsAll(of: path) else {
      throw .malformed(
        "The path may contain only letters, digits, percent escapes and the characters / _ . ~ -")
    }
    for index in path.indices.dropFirst() where path[index] == path[index - 1] {
      guard path[index] != UInt8(ascii: "."), path[index] != UInt8(ascii: "/") else {
        throw .malformed("The path contains two dots or two slashes in a row.")
      }
    }
    guard hasValidEscapes(path) else {
      throw .malformed(
        "The path has a broken percent escape, or one for a dot, a slash or a control character.")
    }
  }

  private static func hasValidEscapes(_ path: HeadText) -> Bool {
    var rest = path[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      let digits = HeadText(rebasing: rest[percent...].dropFirst().prefix(2)).text
      guard let bytes = hexBytes(ofEitherCase: digits), bytes.count == 1,
        bytes.withUnsafeBufferPointer(ByteSet.escapable.containsAll)
      else { return false }
      rest = rest[(percent + 3)...]
    }
    return true
  }
}

extension Problem {
  static let targetTooLong = Problem(
    .targetTooLong, "The target has more than \(HeadSize.targetLimit) bytes.")

  fileprivate static func malformed(_ detail: String) -> Problem { Problem(.badRequest, detail) }
}
