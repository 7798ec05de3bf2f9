package import SeedSystem

/// The moments at which a clock somewhere shows one of a week's times.
///
/// A time that a day leaves out, when clocks go forward, comes at the moment at which they do. A time that a day has
/// twice, when they go back, comes the first time only. So each time of each day comes once, but for several that
/// a day leaves out: these come together.
package struct SnapshotCalendar: Hashable, Sendable {
  package let times: WeeklyTimes
  package let clock: ZoneClock

  package init(_ times: WeeklyTimes, _ clock: ZoneClock) { (self.times, self.clock) = (times, clock) }

  private static let (minute, day) = (60, UTCTime.secondsPerDay)
  /// Days within which there is a time: a week, and a day on either side for the zones.
  private static let searchedDays = 9

  /// The first moment behind `time`.
  package func next(after time: UTCTime) -> UTCTime {
    let start = localDay(time) - 1
    return first(in: start...start + Self.searchedDays) { moments in
      moments.filter { $0 > time.secondsSinceEpoch }.min()
    }
  }

  /// The last moment before `time`.
  package func previous(before time: UTCTime) -> UTCTime {
    let end = localDay(time) + 1
    return first(in: (end - Self.searchedDays...end).reversed()) { moments in
      moments.filter { $0 < time.secondsSinceEpoch }.max()
    }
  }

  private func first(in days: some Sequence<Int>, _ choose: ([Int]) -> Int?) -> UTCTime {
    for day in days {
      if let moment = choose(moments(ofDay: day)) { return UTCTime(secondsSinceEpoch: moment) }
    }
    preconditionFailure("a week without any of its times")
  }

  /// Days since 1970, by the clock.
  private func localDay(_ time: UTCTime) -> Int {
    let local = time.secondsSinceEpoch + clock.offset(at: time.secondsSinceEpoch)
    return (local - (local % Self.day + Self.day) % Self.day) / Self.day
  }

  private func moments(ofDay day: Int) -> [Int] {
    // 1970 began on a Thursday, and weeks begin on Mondays.
    let weekday = ((day + 3) % 7 + 7) % 7
    let start = weekday * WeeklyTimes.minutesPerDay
    return times.minutes.filter { (start..<start + WeeklyTimes.minutesPerDay).contains($0) }
      .map { moment(day * Self.day + ($0 - start) * Self.minute) }
  }

  /// When the clock shows a local time, given as if it were universal.
  private func moment(_ local: Int) -> Int {
    // No zone is further from Greenwich than that, and none changes its clocks twice within two days.
    let (early, late) = (local - Self.day, local + Self.day)
    let candidates = [clock.offset(at: early), clock.offset(at: late)].map { local - $0 }
    if let shown = candidates.filter({ $0 + clock.offset(at: $0) == local }).min() { return shown }
    // No offset shows it, so the clocks change over it.
    return clock.change(after: early) ?? candidates[0]
  }
}
