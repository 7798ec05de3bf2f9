package import SeedSystem

internal import struct Foundation.Date
internal import struct Foundation.TimeZone

/// The times of a week in a time zone. A time skipped by daylight saving runs at the change; several skipped ones run
/// together. A repeated time runs only at its first occurrence.
package struct SnapshotCalendar: Hashable, Sendable {
  package let times: WeeklyTimes
  package let clock: ZoneClock

  package init(_ times: WeeklyTimes, _ clock: ZoneClock) { (self.times, self.clock) = (times, clock) }

  private static let (minute, day) = (60, UTCTime.secondsPerDay)
  /// Every range of this many days contains a time: a week, and one day on each side for time zones.
  private static let searchedDays = 9

  package func next(after time: UTCTime) -> UTCTime {
    let start = localDay(time) - 1
    return first(in: start...start + Self.searchedDays) { moments in
      moments.filter { $0 > time.secondsSinceEpoch }.min()
    }
  }

  package func previous(before time: UTCTime) -> UTCTime {
    let end = localDay(time) + 1
    return first(in: (end - Self.searchedDays...end).reversed()) { moments in
      moments.filter { $0 < time.secondsSinceEpoch }.max()
    }
  }

  /// The last time that has passed.
  package func turn(at now: UTCTime) -> UTCTime { previous(before: now.adding(seconds: 1)) }

  private func first(in days: some Sequence<Int>, _ choose: ([Int]) -> Int?) -> UTCTime {
    for day in days {
      if let moment = choose(moments(ofDay: day)) { return UTCTime(secondsSinceEpoch: moment) }
    }
    preconditionFailure("a week without any of its times")
  }

  /// Days since 1970 in local time.
  private func localDay(_ time: UTCTime) -> Int {
    let local = time.secondsSinceEpoch + clock.offset(at: time.secondsSinceEpoch)
    return (local - (local % Self.day + Self.day) % Self.day) / Self.day
  }

  private func moments(ofDay day: Int) -> [Int] {
    // 1970 began on a Thursday; weeks begin on Monday.
    let weekday = ((day + 3) % 7 + 7) % 7
    let start = weekday * WeeklyTimes.minutesPerDay
    return times.minutes.filter { (start..<start + WeeklyTimes.minutesPerDay).contains($0) }
      .map { moment(day * Self.day + ($0 - start) * Self.minute) }
  }

  /// Converts a local time, given as if it were UTC.
  private func moment(_ local: Int) -> Int {
    // No offset exceeds a day, and no zone changes its clocks twice within two days.
    let (early, late) = (local - Self.day, local + Self.day)
    let candidates = [clock.offset(at: early), clock.offset(at: late)].map { local - $0 }
    if let shown = candidates.filter({ $0 + clock.offset(at: $0) == local }).min() { return shown }
    // No offset has this local time, so the clocks skip it.
    return clock.change(after: early) ?? candidates[0]
  }
}

/// The clock of a time zone. Foundation contains the zone rules: no tzdata is needed, but new rules need a newer build.
package struct ZoneClock: Hashable, Sendable {
  private let zone: TimeZone
  /// The zone's IANA name, as written.
  package let name: String

  package init(_ name: String) throws(ScheduleMistake) {
    guard let zone = TimeZone(identifier: name) else { throw .zone(name) }
    (self.zone, self.name) = (zone, name)
  }

  private init(_ zone: TimeZone, _ name: String) { (self.zone, self.name) = (zone, name) }

  package static let utc = ZoneClock(.gmt, "UTC")

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
