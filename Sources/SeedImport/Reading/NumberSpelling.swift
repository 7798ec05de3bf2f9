import SeedDatabase
import SeedFormat

/// How the fields of a document of CSV spell numbers: what is not JSON's spelling is turned into it.
struct NumberSpelling {
  /// Whether a comma stands before the fraction, and marks may stand between the thousands.
  let hasComma: Bool

  init(_ format: CSVFormat) { self.init(hasComma: format.decimal == .comma) }

  private init(hasComma: Bool) { self.hasComma = hasComma }

  private static let (space, tab) = (UInt8(ascii: " "), UInt8(ascii: "\t"))
  private static let (zero, plus, minus) = (UInt8(ascii: "0"), UInt8(ascii: "+"), UInt8(ascii: "-"))
  private static let (point, comma) = (UInt8(ascii: "."), UInt8(ascii: ","))
  private static let noBreakSpace: [UInt8] = [0xC2, 0xA0]

  /// Whether a text has to be looked at, as all but a number in JSON's spelling.
  func isOther(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits = text.first == Self.minus ? text.dropFirst() : text[...]
    guard !hasComma, let first = digits.first, let last = digits.last, Self.isDigit(first), Self.isDigit(last)
    else { return true }
    return first == Self.zero && digits.count > 1 && Self.isDigit(digits[digits.startIndex + 1])
  }

  /// The number in JSON's spelling; `nil` for what is none.
  func plain(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var rest = Self.trimmed(text[...])
    let sign = rest.first
    if sign == Self.minus || sign == Self.plus { rest = rest.dropFirst() }
    let parts = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
    guard let mantissa = mantissa(parts[0]), parts.count == 1 || Self.isExponent(parts[1]) else { return nil }
    return (sign == Self.minus ? [Self.minus] : []) + mantissa
      + (parts.count > 1 ? [UInt8(ascii: "e")] + parts[1] : [])
  }

  /// Whether the text is a number with a decimal point, which a document with commas cannot mean.
  func isOfOtherMark(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    hasComma && Self(hasComma: false).plain(text) != nil
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private func mantissa(_ text: Bytes) -> [UInt8]? {
    let mark = hasComma ? Self.comma : Self.point
    let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = hasComma ? Self.joined(parts[0]) : Array(parts[0]) else { return nil }
    let fraction = parts.count > 1 ? Array(parts[1]) : []
    guard !(whole + fraction).isEmpty, (whole + fraction).allSatisfy(Self.isDigit) else { return nil }
    let digits = whole.drop { $0 == Self.zero }
    return (digits.isEmpty ? [Self.zero] : Array(digits)) + (fraction.isEmpty ? [] : [Self.point] + fraction)
  }

  private static func isExponent(_ text: Bytes) -> Bool {
    let digits = text.first == minus || text.first == plus ? text.dropFirst() : text
    return !digits.isEmpty && digits.allSatisfy(isDigit)
  }

  // MARK: Thousands

  /// The digits without the marks between thousands, all of one kind; `nil` where a mark stands elsewhere.
  private static func joined(_ text: Bytes) -> [UInt8]? {
    guard let first = text.firstIndex(where: { !isDigit($0) }) else { return Array(text) }
    guard let mark = mark(text[first...]) else { return nil }
    let groups = Array(text).split(separator: mark)
    // A number with thousands does not begin with zeros: it has a fraction, behind another mark.
    guard groups.count == text.count(where: { $0 == mark[mark.count - 1] }) + 1, text.first != zero,
      (1...3).contains(groups[0].count), groups.dropFirst().allSatisfy({ $0.count == 3 })
    else { return nil }
    return Array(groups.joined())
  }

  private static func mark(_ text: Bytes) -> [UInt8]? {
    let marks: [[UInt8]] = [[point], [space], [UInt8(ascii: "'")], noBreakSpace]
    return marks.first { text.starts(with: $0) }
  }

  // MARK: Letters

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

  private static func trimmed(_ text: Bytes) -> Bytes {
    var rest = text
    while let first = rest.first {
      if first == space || first == tab {
        rest = rest.dropFirst()
      } else if rest.starts(with: noBreakSpace) {
        rest = rest.dropFirst(2)
      } else {
        break
      }
    }
    while let last = rest.last {
      if last == space || last == tab {
        rest = rest.dropLast()
      } else if rest.suffix(2).elementsEqual(noBreakSpace) {
        rest = rest.dropLast(2)
      } else {
        break
      }
    }
    return rest
  }
}
