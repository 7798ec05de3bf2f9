/// Parses dates and times. Foundation's formatters are slow and locale-dependent; an import may have a date per row.
struct TimeReader {
  private let text: UnsafeBufferPointer<UInt8>
  private var index = 0

  /// A fraction's scale that exceeds a double's precision; further digits are skipped.
  private static let finest = 1e18

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func takeUTC() -> Bool {
    let word = "utc".utf8
    guard text[index...].prefix(word.count).lazy.map({ $0 | 0x20 }).elementsEqual(word) else { return false }
    index += word.count
    return true
  }

  /// Reads a number of exactly `digits` digits, or nothing if there are fewer.
  mutating func number(_ digits: Int) -> Int? {
    let start = index
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit() else {
        index = start
        return nil
      }
      value = value * 10 + Int(digit)
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

  mutating func fraction() -> Double? {
    var (digits, scale) = (0.0, 1.0)
    while let digit = digit() {
      if scale < Self.finest { (digits, scale) = (digits * 10 + Double(digit), scale * 10) }
    }
    return scale > 1 ? digits / scale : nil
  }

  /// Reads a zone such as `Z`, `+01`, `+0100`, `+01:00` or `+00:53:28`. Returns seconds east of Greenwich.
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

// ISO 8601 with or without separators, as in RFC 3339 and PostgreSQL, and plain dates.
extension UTCTime {
  /// Seconds since 1970, with a separate fraction.
  package typealias Instant = (seconds: Int64, fraction: Double)

  /// Returns nil if the text is not a date. `zone` is the default offset in seconds east of Greenwich.
  package static func parse(iso8601 text: UnsafeBufferPointer<UInt8>, zone: Int = 0) -> Instant? {
    var reader = TimeReader(text)
    guard let midnight = midnight(&reader) else { return nil }
    if reader.isAtEnd { return (Int64(midnight - zone), 0) }
    guard reader.take("T") || reader.take("t") || reader.take(" "), let time = time(&reader) else {
      return nil
    }
    if reader.isAtEnd { return (Int64(midnight + time.seconds - zone), time.fraction) }
    _ = reader.take(" ")
    guard let zone = reader.zone(), reader.isAtEnd else { return nil }
    return (Int64(midnight + time.seconds - zone), time.fraction)
  }

  package static func zone(_ text: String) -> Int? {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var reader = TimeReader(bytes)
      return reader.zone().flatMap { reader.isAtEnd ? $0 : nil }
    }
  }

  private static func midnight(_ reader: inout TimeReader) -> Int? {
    guard let year = reader.number(4) else { return nil }
    let isSeparated = reader.take("-")
    guard let month = reader.number(2), !isSeparated || reader.take("-"), let day = reader.number(2),
      (1...12).contains(month), (1...days(inMonth: month, of: year)).contains(day)
    else { return nil }
    return daysSinceEpoch(year, month, day) * secondsPerDay
  }

  private static func time(_ reader: inout TimeReader) -> (seconds: Int, fraction: Double)? {
    guard let hour = reader.number(2), hour < 24 else { return nil }
    let isSeparated = reader.take(":")
    guard let minute = reader.number(2), minute < 60 else { return nil }
    let seconds = hour * 3600 + minute * 60
    let hasSeconds = isSeparated ? reader.take(":") : true
    guard hasSeconds, let second = reader.number(2) else {
      return hasSeconds && isSeparated ? nil : (seconds, 0)
    }
    // 60 is a leap second.
    guard second <= 60 else { return nil }
    guard reader.take(".") || reader.take(",") else { return (seconds + second, 0) }
    return reader.fraction().map { (seconds + second, $0) }
  }
}
