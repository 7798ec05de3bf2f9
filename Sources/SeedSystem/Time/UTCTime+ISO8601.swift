// As documents write it: RFC 3339 dates and times, and dates alone. By hand, for Foundation's formatters are slow and know
// locales, and for each row of an import there may be one.
extension UTCTime {
  /// Seconds since 1970 with the fraction apart, or `nil` where the text is none.
  package static func parse(iso8601 text: UnsafeBufferPointer<UInt8>) -> (seconds: Int64, fraction: Double)? {
    var reader = Reader(text: text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), let date = CivilDate(checking: Int(year), Int(month), Int(day))
    else { return nil }
    let midnight = Int64(date.daysSinceEpoch * secondsPerDay)
    if reader.isAtEnd { return (midnight, 0) }
    guard reader.take("T") || reader.take("t") || reader.take(" ") else { return nil }
    guard let time = reader.time(), let zone = reader.zone(), reader.isAtEnd else { return nil }
    return (midnight + time.seconds - zone, time.fraction)
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
