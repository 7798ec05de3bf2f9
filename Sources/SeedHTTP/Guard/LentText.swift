/// Bytes of a request where libmicrohttpd keeps them, for the time of one call.
typealias LentText = UnsafeBufferPointer<UInt8>

extension LentText {
  /// Whether it is that ASCII text, in whatever case. The text must be in lower case.
  func isName(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasNamePrefix(text) }

  /// Whether it begins with that ASCII text, in whatever case. The text must be in lower case.
  func hasNamePrefix(_ text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount where self[index].asciiLowercased != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether it is exactly that ASCII text.
  func isExactly(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// A copy as text; bytes that are not UTF-8 are replaced.
  var text: String { String(decoding: self, as: UTF8.self) }
}
