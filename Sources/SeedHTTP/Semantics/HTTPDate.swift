import SeedSystem

/// A second of universal time as HTTP writes it (RFC 9110, 5.6.7).
package struct HTTPDate: Hashable, Comparable, Sendable {
  /// Seconds since 1970, without leap seconds.
  package let secondsSinceEpoch: Int

  /// The date of that second.
  package init(secondsSinceEpoch: Int) { self.secondsSinceEpoch = secondsSinceEpoch }

  /// Reads each of the three forms that a recipient must know; a date that does not exist, or whose day of the
  /// week is another, is none.
  package init?(_ text: String, now: HTTPDate = .now) {
    let read = Self.forms.lazy.compactMap { Self.read(text, as: $0, now: now) }.first
    guard let read else { return nil }
    self = read
  }

  /// The system's clock.
  package static var now: HTTPDate { HTTPDate(secondsSinceEpoch: time(nil)) }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that is written.
  package var text: String { Self.text(secondsSinceEpoch, as: Self.forms[0]) }

  /// Earlier is less.
  package static func < (left: Self, right: Self) -> Bool {
    left.secondsSinceEpoch < right.secondsSinceEpoch
  }

  /// One way to write a date: `strftime`'s format, and at which of its words its parts stand.
  private struct Form {
    let format: String
    let day: Int, month: Int, year: Int, time: Int
  }

  // IMF-fixdate, RFC 850, asctime. Nobody here sets a locale, so the names are English.
  private static let forms = [
    Form(format: "%a, %d %b %Y %H:%M:%S GMT", day: 1, month: 2, year: 3, time: 4),
    Form(format: "%A, %d-%b-%y %H:%M:%S GMT", day: 1, month: 2, year: 3, time: 4),
    Form(format: "%a %b %e %H:%M:%S %Y", day: 2, month: 1, year: 6, time: 3),
  ]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads leniently, then compares with what the date would have been written as.
  private static func read(_ text: String, as form: Form, now: HTTPDate) -> HTTPDate? {
    let words = text.split { " ,-:".contains($0) }
    guard words.count >= 7, let month = months.firstIndex(of: String(words[form.month])),
      let year = Int32(words[form.year]), let day = Int32(words[form.day]),
      let hour = Int32(words[form.time]), let minute = Int32(words[form.time + 1]),
      let second = Int32(words[form.time + 2])
    else { return nil }
    var parts = tm()
    (parts.tm_mon, parts.tm_mday) = (CInt(month), day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
    parts.tm_year =
      words[form.year].utf8.count == 2 ? Self.year(ofTwoDigits: Int(year), now: now) : year &- 1900
    let seconds = timegm(&parts)
    return Self.text(seconds, as: form) == text ? HTTPDate(secondsSinceEpoch: seconds) : nil
  }

  /// Years since 1900: the latest of those two digits that is not more than fifty years ahead.
  private static func year(ofTwoDigits digits: Int, now: HTTPDate) -> CInt {
    var seconds = now.secondsSinceEpoch
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let latest = Int(parts.tm_year) + 50
    return CInt(latest - (latest - digits) % 100)
  }

  private static func text(_ seconds: Int, as form: Form) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: longestText) { buffer in
      let count = strftime(buffer.baseAddress!, buffer.count, form.format, &parts)
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Bytes of the longest form with room for a year of many digits.
  private static let longestText = 64
}
