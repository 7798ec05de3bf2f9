import SeedDatabase
import SeedFormat

/// RFC 3339 dates and times, and dates alone, by hand: Foundation's formatters are slow and know locales.
package enum ISO8601 {
  /// Seconds since 1970 with the fraction apart, or `nil` where the text is none.
  package static func parse(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int64, fraction: Double)? {
    var reader = Reader(text: text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), (1...12).contains(month), (1...days(month, year)).contains(day)
    else { return nil }
    let midnight = days(before: year, month, day) * 86_400
    if reader.isAtEnd { return (midnight, 0) }
    guard reader.take("T") || reader.take("t") || reader.take(" ") else { return nil }
    guard let time = reader.time(), let zone = reader.zone(), reader.isAtEnd else { return nil }
    return (midnight + time.seconds - zone, time.fraction)
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func days(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01, in years that begin in March, so that the leap day comes last.
  private static func days(before year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private struct Reader {
    let text: UnsafeBufferPointer<UInt8>
    var index = 0

    /// Parts of a second that a double can tell apart, and more; further digits are passed over.
    static let finest = 1e18

    var isAtEnd: Bool { index == text.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func number(_ digits: Int) -> Int64? {
      guard index + digits <= text.count else { return nil }
      var value: Int64 = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        value = value * 10 + Int64(digit)
      }
      return value
    }

    private mutating func digit() -> UInt8? {
      guard index < text.count else { return nil }
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      index += 1
      return digit
    }

    mutating func time() -> (seconds: Int64, fraction: Double)? {
      guard let hour = number(2), take(":"), let minute = number(2), hour < 24, minute < 60 else {
        return nil
      }
      var second: Int64 = 0
      if take(":") {
        guard let value = number(2), value <= 60 else { return nil }
        second = value
      }
      var fraction = 0.0
      if take(".") {
        var (digits, scale) = (0.0, 1.0)
        while let digit = digit() {
          if scale < Self.finest { (digits, scale) = (digits * 10 + Double(digit), scale * 10) }
        }
        guard scale > 1 else { return nil }
        fraction = digits / scale
      }
      return (hour * 3600 + minute * 60 + second, fraction)
    }

    /// Seconds east of Greenwich; none given means there.
    mutating func zone() -> Int64? {
      if isAtEnd || take("Z") || take("z") { return 0 }
      let sign: Int64 = take("-") ? -1 : 1
      guard sign < 0 || take("+"), let hour = number(2), hour < 24 else { return nil }
      _ = take(":")
      guard let minute = number(2), minute < 60 else { return nil }
      return sign * (hour * 3600 + minute * 60)
    }
  }
}
