/// Parses dates and times. Foundation's formatters are slow and locale-dependent; an import may have a date per row.
struct TimeReader {
  private let text: UnsafeBufferPointer<UInt8>
  private var index = 0

  /// Beyond a double's precision; further digits are skipped.
  private static let finest = 1e18

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  mutating func take(_ character: Unicode.Scalar) -> Bool { take(UInt8(ascii: character)) }

  mutating func take(_ byte: UInt8) -> Bool {
    guard index < text.count, text[index] == byte else { return false }
    index += 1
    return true
  }

  /// Takes UTC, in either case.
  private mutating func takeUTC() -> Bool {
    let word = "utc".utf8
    guard text[index...].prefix(word.count).lazy.map({ $0 | 0x20 }).elementsEqual(word) else { return false }
    index += word.count
    return true
  }

  mutating func number(_ digits: Int) -> Int? { number(digits...digits) }

  mutating func number(_ digits: ClosedRange<Int>) -> Int? {
    var (value, count) = (0, 0)
    while count < digits.upperBound, let digit = digit() {
      value = value * 10 + Int(digit)
      count += 1
    }
    return count >= digits.lowerBound ? value : nil
  }

  private mutating func digit() -> UInt8? {
    guard index < text.count else { return nil }
    let digit = text[index] &- UInt8(ascii: "0")
    guard digit <= 9 else { return nil }
    index += 1
    return digit
  }

  mutating func fraction() -> Double? {
    var (digits, scale) = (0.0, 1.0)
    while let digit = digit() {
      if scale < Self.finest { (digits, scale) = (digits * 10 + Double(digit), scale * 10) }
    }
    return scale > 1 ? digits / scale : nil
  }

  /// Seconds east of Greenwich: `Z`, `+01`, `+0100`, `+01:00`, and with seconds, as in historical zones.
  mutating func zone() -> Int? {
    if take("Z") || take("z") || takeUTC() { return 0 }
    let sign = take("-") ? -1 : 1
    guard sign < 0 || take("+"), let hour = number(2), hour < 24 else { return nil }
    guard take(":") || !isAtEnd else { return sign * hour * 3600 }
    guard let minute = number(2), minute < 60 else { return nil }
    guard take(":") else { return sign * (hour * 3600 + minute * 60) }
    guard let second = number(2), second < 60 else { return nil }
    return sign * (hour * 3600 + minute * 60 + second)
  }
}
