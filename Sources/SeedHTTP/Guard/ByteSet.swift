/// A set of bytes, for the grammar of a request's head.
struct ByteSet: Sendable {
  // A bit for each byte. An array would be reached through a reference and a bounds check, for every byte of
  // every request.
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  private init(_ includes: (UInt8) -> Bool) {
    for byte in 0...UInt8.max where includes(byte) {
      let bit: UInt64 = 1 << UInt64(byte & 63)
      switch byte >> 6 {
      case 0: words.0 |= bit
      case 1: words.1 |= bit
      case 2: words.2 |= bit
      default: words.3 |= bit
      }
    }
  }

  private init(lettersDigitsAnd others: String) {
    self.init { $0.isASCIILetterOrDigit || others.utf8.contains($0) }
  }

  /// Whether all of the text's bytes are members.
  func containsAll(of text: LentText) -> Bool {
    let words = words
    return text.allSatisfy { byte in
      let word =
        switch byte >> 6 {
        case 0: words.0
        case 1: words.1
        case 2: words.2
        default: words.3
        }
      return word >> UInt64(byte & 63) & 1 == 1
    }
  }

  /// Whether all bytes of the string's UTF-8 are members.
  func containsAll(of text: String) -> Bool {
    var text = text
    return text.withUTF8(containsAll)
  }

  /// RFC 9110, 5.6.2: `tchar`.
  static let token = ByteSet(lettersDigitsAnd: "!#$%&'*+-.^_`|~")
  /// RFC 9110, 5.5, `field-vchar` with space and tab: no control character but the tab.
  static let fieldValue = ByteSet { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  /// A host's name or address with its port. Of what RFC 3986, 3.2.2, allows beyond that no name in use has anything;
  /// a comma is more likely two hosts that a proxy has joined.
  static let host = ByteSet(lettersDigitsAnd: ".:[]-_~")
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
