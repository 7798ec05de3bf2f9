import SeedDatabase
import SeedFormat

/// Converts a CSV document's spelling of numbers to JSON's.
struct NumberSpelling {
  /// Whether the decimal separator is a comma.
  let hasComma: Bool

  init(_ format: CSVFormat) { self.init(hasComma: format.decimal == .comma) }

  private init(hasComma: Bool) { self.hasComma = hasComma }

  private static let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
  private static let (zero, plus, minus) = (UInt8(ascii: "0"), UInt8(ascii: "+"), UInt8(ascii: "-"))
  private static let (point, comma) = (UInt8(ascii: "."), UInt8(ascii: ","))

  /// Whether the text is not a number in JSON's spelling and needs a closer check.
  func isOther(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits = text.first == Self.minus ? text.dropFirst() : text[...]
    guard !hasComma, let first = digits.first, let last = digits.last, Self.isDigit(first), Self.isDigit(last)
    else { return true }
    return first == Self.zero && digits.count > 1 && Self.isDigit(digits[digits.startIndex + 1])
  }

  /// The number in JSON's spelling; `nil` if the text is not a number.
  func plain(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var rest = Self.trimmed(text[...])
    let sign = rest.first
    if sign == Self.minus || sign == Self.plus { rest = rest.dropFirst() }
    let parts = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
    guard let mantissa = mantissa(parts[0]), parts.count == 1 || Self.isExponent(parts[1]) else { return nil }
    return (sign == Self.minus ? [Self.minus] : []) + mantissa
      + (parts.count > 1 ? [UInt8(ascii: "e")] + parts[1] : [])
  }

  /// Whether the text is a number with a decimal point, which is invalid in a document with commas.
  func isOfOtherMark(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    hasComma && Self(hasComma: false).plain(text) != nil
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private func mantissa(_ text: Bytes) -> [UInt8]? {
    let mark = hasComma ? Self.comma : Self.point
    let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
    let whole = Array(parts[0])
    let fraction = parts.count > 1 ? Array(parts[1]) : []
    guard !(whole + fraction).isEmpty, (whole + fraction).allSatisfy(Self.isDigit) else { return nil }
    let digits = whole.drop { $0 == Self.zero }
    return (digits.isEmpty ? [Self.zero] : Array(digits)) + (fraction.isEmpty ? [] : [Self.point] + fraction)
  }

  private static func isExponent(_ text: Bytes) -> Bool {
    let digits = text.first == minus || text.first == plus ? text.dropFirst() : text
    return !digits.isEmpty && digits.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  private static func trimmed(_ text: Bytes) -> Bytes {
    var rest = text.drop { $0 == space || $0 == tab }
    while rest.last == space || rest.last == tab { rest = rest.dropLast() }
    return rest
  }
}
