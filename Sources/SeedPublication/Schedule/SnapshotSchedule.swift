package import SeedSystem

/// When a changed series gets a new snapshot. Pure: the history is given as a ``SnapshotPast``.
package struct SnapshotSchedule: Hashable, Sendable {
  package enum Rule: Hashable, Sendable {
    /// When the newest snapshot reaches this age.
    case age(seconds: Int)
    case calendar(SnapshotCalendar)
  }

  package let rule: Rule

  package init(_ rule: Rule) { self.rule = rule }

  package static func every(seconds: Int) -> SnapshotSchedule { SnapshotSchedule(.age(seconds: seconds)) }

  /// Dates further ahead of the clock than this are ignored: see ``isDue(_:now:)``.
  static let toleranceSeconds = UTCTime.secondsPerDay

  package var longestSeconds: Int {
    switch rule {
    case .age(let seconds): seconds
    case .calendar(let calendar): calendar.times.longestGapMinutes * 60
    }
  }

  /// Whether a snapshot of a changed series is due.
  ///
  /// Missed calendar times lead to one snapshot. A newer snapshot, or a publisher that found no changes, serves them,
  /// even if the clock is set back and passes them again. A date more than a day ahead comes from a wrong clock and is
  /// ignored, because otherwise no snapshot would be made until then.
  package func isDue(_ past: SnapshotPast, now: UTCTime) -> Bool {
    switch rule {
    case .age(let seconds):
      guard let newest = past.newest else { return true }
      // The clock was set back. Do not wait until it reaches the newest snapshot's date.
      let age = now.secondsSinceEpoch - newest.secondsSinceEpoch
      return age < 0 || age >= seconds
    case .calendar: return turn(now: now).map { $0 > past.served(at: now) } ?? false
    }
  }

  /// The last calendar time that has passed.
  package func turn(now: UTCTime) -> UTCTime? {
    guard case .calendar(let calendar) = rule else { return nil }
    return calendar.previous(before: now.adding(seconds: 1))
  }

  /// Returns when the next snapshot of a changed series is due, possibly in the past.
  package func next(_ past: SnapshotPast, now: UTCTime) -> UTCTime {
    switch rule {
    case .age(let seconds):
      return past.newest?.adding(seconds: seconds) ?? now
    case .calendar(let calendar):
      if isDue(past, now: now) { return turn(now: now) ?? now }
      return calendar.next(after: max(past.served(at: now), turn(now: now) ?? now))
    }
  }
}

package struct SnapshotPast: Hashable, Sendable {
  package var newest: UTCTime?
  /// The last calendar time at which a publisher checked for changes.
  package var seen: UTCTime?

  package init(newest: UTCTime?, seen: UTCTime?) { (self.newest, self.seen) = (newest, seen) }

  /// The time up to which all calendar times are served.
  package func served(at now: UTCTime) -> UTCTime {
    let believed = now.adding(seconds: SnapshotSchedule.toleranceSeconds)
    return [newest, seen].compactMap(\.self).filter { $0 <= believed }.max() ?? .distantPast
  }
}
