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
      let date = CivilDate(checking: year, month, day)
    else { return nil }
    return date.daysSinceEpoch * secondsPerDay
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
