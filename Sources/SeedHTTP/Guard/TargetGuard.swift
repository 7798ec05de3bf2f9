/// Decides whether a request's target can be one of ours.
enum TargetGuard {
  /// RFC 9112, 3.2.2: every server must take targets in absolute form. All hosts are the same here, so what names one
  /// is passed over, as the Host is. A target that is in neither form stays as it is, for ``check(_:)`` to refuse.
  static func originForm(of target: LentText) -> LentText {
    guard target.first != UInt8(ascii: "/") else { return target }
    for scheme in ["http://", "https://"] as [StaticString] where target.hasNamePrefix(scheme) {
      let rest = LentText(rebasing: target[scheme.utf8CodeUnitCount...])
      guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), slash > 0,
        ByteSet.host.containsAll(of: LentText(rebasing: rest[..<slash]))
      else { return target }
      return LentText(rebasing: rest[slash...])
    }
    return target
  }

  static func check(_ target: LentText) throws(Refusal) {
    let mark = target.firstIndex(of: UInt8(ascii: "?"))
    try checkPath(LentText(rebasing: target[..<(mark ?? target.count)]))
    guard let mark else { return }
    guard ByteSet.query.containsAll(of: LentText(rebasing: target[(mark + 1)...])) else {
      throw .malformed("the query holds a character that must be percent-encoded")
    }
  }

  private static func checkPath(_ path: LentText) throws(Refusal) {
    guard path.first == UInt8(ascii: "/") else { throw .malformed("the path does not start with a slash") }
    guard ByteSet.path.containsAll(of: path) else {
      throw .malformed("the path holds a character that no path here has")
    }
    for index in path.indices.dropFirst() where path[index] == path[index - 1] {
      guard path[index] != UInt8(ascii: "."), path[index] != UInt8(ascii: "/") else {
        throw .malformed("the path holds two dots or two slashes in a row")
      }
    }
    guard hasSoundEscapes(path) else {
      throw .malformed("the path has an escape that is broken or hides syntax")
    }
  }

  private static func hasSoundEscapes(_ path: LentText) -> Bool {
    var index = 0
    while index < path.count {
      guard path[index] == UInt8(ascii: "%") else {
        index += 1
        continue
      }
      guard let byte = percentDecoded(path[index...].prefix(3)), byte.withUnsafeBufferPointer(isEscapable)
      else { return false }
      index += 3
    }
    return true
  }

  private static func isEscapable(_ byte: LentText) -> Bool {
    byte.count == 1 && ByteSet.escapable.containsAll(of: byte)
  }
}
