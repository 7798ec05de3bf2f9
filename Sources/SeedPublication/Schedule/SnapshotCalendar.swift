package import SeedSystem

internal import struct Foundation.Date
internal import struct Foundation.TimeZone

/// The times of a week in a time zone. A time skipped by daylight saving runs at the change; several skipped ones run
/// together. A repeated time runs only at its first occurrence.
package struct SnapshotCalendar: Hashable, Sendable {
  package let times: WeeklyTimes
  package let clock: ZoneClock

  package init(_ times: WeeklyTimes, _ clock: ZoneClock) { (self.times, self.clock) = (times, clock) }

  private static let (day, week) = (UTCTime.secondsPerDay, 7 * UTCTime.secondsPerDay)

  package func next(after time: UTCTime) -> UTCTime {
    nearest(to: time, weeks: [0, 1, 2]) { $0.first { $0 > time.secondsSinceEpoch } }
  }

  package func previous(before time: UTCTime) -> UTCTime {
    nearest(to: time, weeks: [1, 0, -1, -2]) { $0.last { $0 < time.secondsSinceEpoch } }
  }

  /// The last time that has passed.
  package func turn(at now: UTCTime) -> UTCTime { previous(before: now.adding(seconds: 1)) }

  /// `weeks` are counted from the local week of `time`. If the clocks change at its end, times of the next week may have
  /// passed already, and its own may all be at the change.
  private func nearest(to time: UTCTime, weeks: [Int], _ choose: ([Int]) -> Int?) -> UTCTime {
    let local = time.secondsSinceEpoch + clock.offset(at: time.secondsSinceEpoch)
    // 1970 began on a Thursday; weeks begin on Monday.
    let sinceMonday = ((local + 3 * Self.day) % Self.week + Self.week) % Self.week
    for week in weeks {
      let monday = local - sinceMonday + week * Self.week
      if let found = choose(times.minutes.map { moment(monday + 60 * $0) }) {
        return UTCTime(secondsSinceEpoch: found)
      }
    }
    preconditionFailure("a week without any of its times")
  }

  /// Converts a local time, given as if it were UTC. Later times never become earlier moments.
  private func moment(_ local: Int) -> Int {
    // No offset exceeds a day, and no zone changes its clocks twice within two days.
    let (early, late) = (local - Self.day, local + Self.day)
    let candidates = [clock.offset(at: early), clock.offset(at: late)].map { local - $0 }
    if let shown = candidates.filter({ $0 + clock.offset(at: $0) == local }).min() { return shown }
    // No offset has this local time, so the clocks skip it.
    return clock.change(after: early) ?? candidates[0]
  }
}

/// Weekly times as an operator writes them: `03:30`, `Mon-Fri 03:30`, `Mon-Fri 03:30; Sat,Sun 06:00,18:00`. Days are
/// lists and ranges of three-letter names. A time without days applies to every day.
package struct WeeklyTimes: Hashable, Sendable {
  package let text: String
  /// Minutes since Monday 00:00, ascending, never empty.
  let minutes: [Int]

  package static let expected = #"times such as "03:30" or "Mon-Fri 03:30; Sat,Sun 06:00,18:00""#
  private static let minutesPerDay = 1440
  private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  package init?(_ text: String) {
    guard let clauses = Self.parts(text[...], ";", Self.clause) else { return nil }
    self.text = text
    minutes = Set(clauses.joined()).sorted()
  }

  /// Nil if a part cannot be read.
  private static func parts<Value>(
    _ text: Substring, _ separator: Character, _ read: (Substring) -> Value?
  ) -> [Value]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let values = parts.compactMap(read)
    return values.count == parts.count ? values : nil
  }

  private static func clause(_ text: Substring) -> [Int]? {
    let words = text.split(separator: " ")
    guard let last = words.last, words.count <= 2, let times = parts(last, ",", minute),
      let days = words.count == 2 ? parts(words[0], ",", days) : [Array(0..<7)]
    else { return nil }
    return days.joined().flatMap { day in times.map { day * minutesPerDay + $0 } }
  }

  private static func days(_ text: Substring) -> [Int]? {
    guard let ends = parts(text, "-", { names.firstIndex(of: $0.lowercased()) }), ends.count <= 2,
      let first = ends.first, let last = ends.last
    else { return nil }
    // A range may wrap around the end of the week.
    return (first...(last >= first ? last : last + 7)).map { $0 % 7 }
  }

  private static func minute(_ text: Substring) -> Int? {
    guard let match = text.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/)?.output,
      let hour = Int(match.1), let minute = Int(match.2)
    else { return nil }
    return hour * 60 + minute
  }

  /// The most minutes from one time to the next, wrapping around the week.
  var longestGapMinutes: Int {
    zip(minutes, minutes.dropFirst() + [minutes[0] + 7 * Self.minutesPerDay]).map { $1 - $0 }.max() ?? 0
  }
}

/// The clock of a time zone. Foundation contains the zone rules: no tzdata is needed, but new rules need a newer build.
package struct ZoneClock: Hashable, Sendable {
  private let zone: TimeZone
  /// The zone's IANA name, as written.
  package let name: String

  package static let expected = #"the IANA name of a time zone, such as "Europe/Zurich""#

  package init?(_ name: String) {
    guard let zone = TimeZone(identifier: name) else { return nil }
    (self.zone, self.name) = (zone, name)
  }

  package static let utc = ZoneClock("UTC")!

  /// The offset from UTC in seconds at a moment, given in seconds since 1970.
  func offset(at moment: Int) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
  }

  /// The next offset change.
  func change(after moment: Int) -> Int? {
    zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(moment)))
      .map { Int($0.timeIntervalSince1970) }
  }

  /// The local day and time, to the minute, with the zone's name.
  package func text(_ time: UTCTime) -> String {
    let shown = time.adding(seconds: offset(at: time.secondsSinceEpoch)).text
    return "\(shown.prefix(10)) \(shown.dropFirst(11).prefix(5)) \(name)"
  }
}
