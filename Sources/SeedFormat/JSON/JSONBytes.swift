/// A cursor over a document's bytes that knows JSON's lexical rules.
struct JSONBytes {
  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func advance() { offset += 1 }

  func error(_ reason: String) -> JSONError { JSONError(at: offset, reason) }

  mutating func skipWhitespace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  mutating func consume(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    offset += 1
    return true
  }

  mutating func consume(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard bytes.count - offset >= length else { return false }
    let same = word.withUTF8Buffer { bytes[offset..<offset + length].elementsEqual($0) }
    if same { offset += length }
    return same
  }

  // MARK: Numbers

  /// RFC 8259 §6: `-`, then an integer without leading zeros, then fraction and exponent.
  mutating func number() throws(JSONError) -> JSONToken {
    let start = offset
    _ = consume(UInt8(ascii: "-"))
    if !consume(UInt8(ascii: "0")) { try digits() }
    var isInteger = true
    if consume(UInt8(ascii: ".")) {
      isInteger = false
      try digits()
    }
    if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
      isInteger = false
      if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
      try digits()
    }
    return try value(String(decoding: bytes[start..<offset], as: UTF8.self), isInteger, at: start)
  }

  private mutating func digits() throws(JSONError) {
    let start = offset
    while let byte = peek(), (0x30...0x39).contains(byte) { offset += 1 }
    guard offset > start else { throw error("expected a digit") }
  }

  private func value(_ text: String, _ isInteger: Bool, at start: Int) throws(JSONError) -> JSONToken {
    if isInteger {
      guard let integer = Int64(text) else { throw JSONError(at: start, "integer beyond 64 bits") }
      return .integer(integer)
    }
    guard let real = Double(text), real.isFinite else {
      throw JSONError(at: start, "number beyond the range of a double")
    }
    return .real(real)
  }

  // MARK: Strings

  /// What follows the opening quotation mark, up to and including the closing one.
  mutating func stringBody() throws(JSONError) -> String {
    let start = offset
    var unescaped: [UInt8]?
    var run = offset
    while true {
      guard let byte = peek() else { throw error("unterminated string") }
      switch byte {
      case UInt8(ascii: "\""):
        let text: [UInt8]? = unescaped.map { $0 + bytes[run..<offset] }
        defer { offset += 1 }
        return try validated(text ?? Array(bytes[start..<offset]), at: start)
      case UInt8(ascii: "\\"):
        var text: [UInt8] = unescaped ?? []
        text.append(contentsOf: bytes[run..<offset])
        offset += 1
        try escape(into: &text)
        unescaped = text
        run = offset
      case 0..<0x20: throw error("control character in a string")
      default: offset += 1
      }
    }
  }

  private func validated(_ text: [UInt8], at start: Int) throws(JSONError) -> String {
    guard let string = String(validating: text, as: UTF8.self) else {
      throw JSONError(at: start, "a string that is not valid UTF-8")
    }
    return string
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard let byte = peek() else { throw error("unterminated string") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try unicodeEscape())).utf8)
    default:
      offset -= 1
      throw error("unknown escape")
    }
  }

  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let start = offset - 2
    let first = try hexQuad()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, consume("\\u") else { throw JSONError(at: start, "lone surrogate") }
    let second = try hexQuad()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw JSONError(at: start, "lone surrogate") }
    return scalar
  }

  private mutating func hexQuad() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw error("expected four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}
