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

  /// RFC 9112, 3.2.4: asks what the server can do for all of its resources.
  fileprivate var asksForServer: Bool { target.isExactly("*") && method.isExactly("OPTIONS") }

  /// RFC 9112, 3.2.2: every server must accept targets in absolute form. All hosts are the same here, so the host is
  /// ignored, as the Host field is. A target in neither form stays as it is, for ``RequestGuard`` to refuse.
  static func originForm(of target: HeadText) -> HeadText {
    guard target.first != UInt8(ascii: "/") else { return target }
    for scheme in ["http://", "https://"] as [StaticString] where target.hasNamePrefix(scheme) {
      let rest = HeadText(rebasing: target[scheme.utf8CodeUnitCount...])
      guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), slash > 0,
        ByteSet.host.containsAll(of: HeadText(rebasing: rest[..<slash]))
      else { return target }
      return HeadText(rebasing: rest[slash...])
    }
    return target
  }
}

/// How much a request's head holds.
struct HeadSize {
  let targetBytes: Int
  /// Of all of it, from the method to the empty line.
  let bytes: Int
  let fields: Int

  /// Bytes of a target: RFC 9112, 3, asks for 8,000 of a request's line.
  static let targetLimit = 8_000
  static let fieldLimit = 64

  /// Throws where it is too much; `limit`: bytes of the whole head. Nothing else of such a request is looked at.
  func check(limit: Int) throws(Problem) {
    guard targetBytes <= Self.targetLimit else { throw .targetTooLong }
    guard bytes <= limit else {
      throw Problem(.headTooLarge, "The request's line and header fields have more than \(limit) bytes.")
    }
    guard fields <= Self.fieldLimit else {
      throw Problem(.headTooLarge, "The request has more than \(Self.fieldLimit) header fields.")
    }
  }
}

/// Decides by a request's head whether a handler may see it. The order matters: version, framing, method. A request
/// whose end is in doubt is refused for that, whatever else is wrong with it.
enum RequestGuard {
  /// Throws the problem to answer with. Its text repeats nothing that the client sent. `accountsForEveryByte`: line
  /// and fields, with one space or CRLF between them, make up every byte that arrived. libmicrohttpd hands out C
  /// strings: text after a NUL is silently lost, a bare LF passes for CRLF, and a folded line is glued to the field's
  /// *name*. Each of them leaves bytes that belong nowhere.
  static func check(_ line: RequestLine, _ fields: HeaderScan, accountsForEveryByte: Bool) throws(Problem) {
    let isNewer = line.version.isExactly("HTTP/1.1")
    guard isNewer || line.version.isExactly("HTTP/1.0") else {
      throw Problem(.versionNotSupported, "Only HTTP/1.0 and HTTP/1.1 are supported.")
    }
    guard accountsForEveryByte else {
      throw .malformed("The request's head has a NUL, a bare line feed, a folded line or extra spaces.")
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
      let escape = rest[percent...].prefix(3)
      guard let byte = percentDecoded(escape), byte.withUnsafeBufferPointer(isEscapable) else { return false }
      rest = rest[escape.endIndex...]
    }
    return true
  }

  private static func isEscapable(_ byte: HeadText) -> Bool {
    byte.count == 1 && ByteSet.escapable.containsAll(of: byte)
  }
}

extension Problem {
  static let targetTooLong = Problem(
    .targetTooLong, "The target has more than \(HeadSize.targetLimit) bytes.")

  fileprivate static func malformed(_ detail: String) -> Problem { Problem(.badRequest, detail) }
}

extension ProblemType {
  /// Whether it says that a head is too large.
  var isForSize: Bool { self == .targetTooLong || self == .headTooLarge }
}
