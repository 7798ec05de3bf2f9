/// A SHA-256 digest: 32 bytes.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  package let words: DigestWords

  package init(words: DigestWords) { self.words = words }

  /// Bytes in a digest.
  public static let byteCount = 32

  /// Throws unless there are exactly 32 bytes.
  public init(bytes: some Collection<UInt8>) throws(InvalidName) {
    guard bytes.count == Self.byteCount else {
      throw InvalidName("SHA-256 digest", found: "\(bytes.count) bytes", expected: "32 bytes")
    }
    var words = DigestWords()
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.words = words
  }

  /// Parses 64 lower-case hexadecimal digits.
  public init(hex: String) throws(InvalidName) {
    guard let bytes = hexBytes(hex), bytes.count == Self.byteCount else {
      throw InvalidName("SHA-256 digest", found: hex, expected: "64 lower-case hexadecimal digits")
    }
    try self.init(bytes: bytes)
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) }
  }

  /// Sixty-four lower-case hexadecimal digits.
  public var hex: String { lowerHex(bytes) }

  /// The hexadecimal digits.
  public var description: String { hex }

  /// Creates a digest from a literal; traps if it is invalid.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(hex:)) }
}

/// Four big-endian words, which need no allocation. Not a SIMD vector, whose alignment of 32 bytes makes some async
/// functions in Swift 6.3 free the wrong memory.
package struct DigestWords: Hashable, Sendable {
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0
  private var fourth: UInt64 = 0

  package static let count = 4

  package init() {}

  package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
    (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
  }

  package subscript(place: Int) -> UInt64 {
    @inline(__always) get {
      switch place {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    }
    @inline(__always) set {
      switch place {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      default: fourth = newValue
      }
    }
  }
}

/// Parses a canonical decimal: digits only, no sign, no leading zero, within `range`.
package func canonicalDecimal(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
  guard let value = Int(text), range.contains(value), text == String(value) else { return nil }
  return value
}

package func lowerHex(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Returns the bytes of an even number of lower-case hexadecimal digits; nil if invalid.
package func hexBytes(_ text: String) -> [UInt8]? { bytes(ofDigits: Array(text.utf8)) }

/// Returns the bytes of an even number of hexadecimal digits in either case; nil if invalid.
package func hexBytes(ofEitherCase text: String) -> [UInt8]? {
  bytes(ofDigits: text.utf8.map { (0x41...0x46).contains($0) ? $0 + 0x20 : $0 })
}

private func bytes(ofDigits digits: [UInt8]) -> [UInt8]? {
  guard digits.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = hexDigit(digits[index]), let low = hexDigit(digits[index + 1]) else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}

package func hexDigit(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 0x30...0x39: digit - 0x30
  case 0x61...0x66: digit - 0x61 + 10
  default: nil
  }
}
