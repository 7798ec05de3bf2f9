/// Bytes of a request's head in libmicrohttpd's memory, valid during one call.
typealias HeadText = UnsafeBufferPointer<UInt8>

extension HeadText {
  /// Compares with a lower-case ASCII text, ignoring case.
  func isName(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasNamePrefix(text) }

  func hasNamePrefix(_ text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && (0..<text.utf8CodeUnitCount).allSatisfy { self[$0].asciiLowercased == text.utf8Start[$0] }
  }

  func isExactly(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && (0..<count).allSatisfy { self[$0] == text.utf8Start[$0] }
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}

struct ByteSet: Sendable {
  // One bit per byte: an array would cost a reference and a bounds check for every byte of every request.
  private var words = SIMD4<UInt64>()

  private init(_ includes: (UInt8) -> Bool) {
    for byte in 0...UInt8.max where includes(byte) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
  }

  private init(lettersDigitsAnd others: String) {
    self.init { byte in
      0x30...0x39 ~= byte || 0x61...0x7A ~= byte.asciiLowercased || others.utf8.contains(byte)
    }
  }

  func containsAll(of text: HeadText) -> Bool {
    let words = words
    return text.allSatisfy { byte in words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }
  }

  func containsAll(of text: String) -> Bool {
    var text = text
    return text.withUTF8(containsAll)
  }

  /// RFC 9110, 5.6.2: `tchar`.
  static let token = ByteSet(lettersDigitsAnd: "!#$%&'*+-.^_`|~")
  /// RFC 9110, 5.5, `field-vchar` with space and tab: no control characters except tab.
  static let fieldValue = ByteSet { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  /// A host's name or address with its port. RFC 3986, 3.2.2, allows more, but no name in use has it; a comma is more
  /// likely two hosts joined by a proxy.
  static let host = ByteSet(lettersDigitsAnd: ".:[]-_~")
  static let path = ByteSet(lettersDigitsAnd: "/_.~%-")
  /// Visible ASCII without `#`, because fragments are never sent.
  static let query = ByteSet { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
  static let escapable = ByteSet { $0 >= 0x20 && $0 != 0x7F && !"./\\".utf8.contains($0) }
}
