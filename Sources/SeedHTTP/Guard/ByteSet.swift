/// A set of bytes, for the grammar of a request's head.
struct ByteSet: Sendable {
  private let members: [Bool]

  private init(_ includes: (UInt8) -> Bool) { members = (0...UInt8.max).map(includes) }

  private init(lettersDigitsAnd others: String) {
    self.init { $0.isASCIILetterOrDigit || others.utf8.contains($0) }
  }

  /// Whether all of the text's bytes are members.
  func containsAll(of text: some Sequence<UInt8>) -> Bool { text.allSatisfy { members[Int($0)] } }

  /// RFC 9110, 5.6.2: `tchar`.
  static let token = ByteSet(lettersDigitsAnd: "!#$%&'*+-.^_`|~")
  /// RFC 9110, 5.5, `field-vchar` with space and tab: no control character but the tab.
  static let fieldValue = ByteSet { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  /// A host name or address with its port.
  static let host = ByteSet(lettersDigitsAnd: ".:[]-")
  /// What paths of ours are made of, with the percent sign.
  static let path = ByteSet(lettersDigitsAnd: "/_.~%-")
  /// Visible ASCII; a fragment never travels.
  static let query = ByteSet { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
  /// What may hide behind a percent sign in a path: no separator, no dot, no control character.
  static let escapable = ByteSet { $0 >= 0x20 && $0 != 0x7F && !"./\\".utf8.contains($0) }
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
