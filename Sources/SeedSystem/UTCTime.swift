#if os(Linux)
internal import CLinux
#endif

package struct UTCTime: Hashable, Sendable, Comparable {
  /// Seconds since 1970, without leap seconds.
  package let secondsSinceEpoch: Int

  package static let secondsPerDay = 86_400

  /// The earliest time, at which nothing has expired.
  package static let distantPast = UTCTime(secondsSinceEpoch: .min)

  private static let first = daysSinceEpoch(0, 1, 1) * secondsPerDay
  private static let last = daysSinceEpoch(10_000, 1, 1) * secondsPerDay - 1

  /// Clamps to the years 0 to 9999.
  package init(secondsSinceEpoch: Int) {
    self.secondsSinceEpoch = min(max(secondsSinceEpoch, Self.first), Self.last)
  }

  /// Uses libc's `time`, which a test can override.
  package static func now() -> UTCTime { UTCTime(secondsSinceEpoch: time(nil)) }

  package func adding(seconds: Int) -> UTCTime { UTCTime(secondsSinceEpoch: secondsSinceEpoch + seconds) }

  /// Adds the time since `start`.
  package func passed(since start: ContinuousClock.Instant) -> UTCTime {
    adding(seconds: Int((ContinuousClock.now - start).components.seconds))
  }

  package func adding(days: Int) -> UTCTime { adding(seconds: days * Self.secondsPerDay) }

  package static func < (left: Self, right: Self) -> Bool { left.secondsSinceEpoch < right.secondsSinceEpoch }

  /// Uses `strftime`. Names of days and months are English unless the process calls `setlocale`; the server does not.
  func formatted(_ format: String) -> String {
    var (seconds, parts) = (time_t(secondsSinceEpoch), tm())
    gmtime_r(&seconds, &parts)
    return String(unsafeUninitializedCapacity: Self.mostBytes) { room in
      room.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress!, $0.count, format, &parts) }
    }
  }

  private static let mostBytes = 64
}

// MARK: TUF's format
extension UTCTime: CustomStringConvertible {
  package var text: String {
    let text = formatted("%Y-%m-%dT%H:%M:%SZ")
    // The C library writes the year 7 as 7.
    return String(repeating: "0", count: max(0, "2026-08-01T12:00:00Z".utf8.count - text.utf8.count)) + text
  }
  package var description: String { text }

  /// Parses only `2026-08-01T12:00:00Z`.
  package init?(_ text: String) {
    let read = Array(text.utf8).withUnsafeBufferPointer { UTCTime.parse(iso8601: $0) }
    guard let read else { return nil }
    self.init(secondsSinceEpoch: Int(read.seconds))
    guard self.text == text else { return nil }
  }

  /// Parses only `2026-08-01`, as the day's first second.
  package init?(day text: String) { self.init("\(text)T00:00:00Z") }
}

// MARK: HTTP dates (RFC 9110, 5.6.7)
extension UTCTime {
  private static let format = "%a, %d %b %Y %H:%M:%S GMT"
  /// The forms that a recipient must accept.
  private static let formats = [format, "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that is written.
  package var httpText: String { formatted(Self.format) }

  /// Rejects dates that do not exist or have a wrong weekday. For a two-digit year, `now` determines the century.
  package init?(http text: String, now: UTCTime = .now()) {
    let read = Self.formats.lazy.compactMap { Self.read(text, $0, now: now) }.first
    guard let read else { return nil }
    self = read
  }

  /// `strptime` accepts more than the format, so the formatted result is compared with the input.
  private static func read(_ text: String, _ format: String, now: UTCTime) -> UTCTime? {
    var parts = tm()
    guard strptime(text, format, &parts) != nil else { return nil }
    if format.contains("%y") {
      // The latest year with those two digits that is at most fifty years ahead.
      let latest = (Int32(now.formatted("%Y")) ?? 0) - 1900 + 50
      parts.tm_year = latest - (latest - parts.tm_year % 100) % 100
    }
    let time = UTCTime(secondsSinceEpoch: timegm(&parts))
    return time.formatted(format) == text ? time : nil
  }
}

// MARK: Days
extension UTCTime {
  static func days(inMonth month: Int, of year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return switch month {
    case 2: isLeap ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // Years start in March, so that a leap day is last; 400 years always have the same number of days.
  private static let daysPer400Years = 146_097
  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysToEpoch = 719_468

  static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let marchYear = month < 3 ? year - 1 : year
    let cycle = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfCycle = marchYear - cycle * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return cycle * daysPer400Years + dayOfCycle - daysToEpoch
  }
}
