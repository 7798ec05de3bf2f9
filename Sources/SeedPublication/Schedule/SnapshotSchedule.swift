package import SeedSystem

/// When a changed series gets a new snapshot. Pure: the history is given as a ``SnapshotPast``.
package enum SnapshotSchedule: Hashable, Sendable {
  /// When the newest snapshot reaches this age.
  case every(seconds: Int)
  case calendar(SnapshotCalendar)

  /// Dates further ahead of the clock than this are ignored: see ``isDue(_:now:)``.
  static let toleranceSeconds = UTCTime.secondsPerDay

  package var longestSeconds: Int {
    switch self {
    case .every(let seconds): seconds
    case .calendar(let calendar): calendar.times.longestGapMinutes * 60
    }
  }

  /// Whether a snapshot of a changed series is due.
  ///
  /// Missed calendar times lead to one snapshot. A newer snapshot, or a publisher that found no changes, serves them,
  /// even if the clock is set back and passes them again. A date more than a day ahead comes from a wrong clock and is
  /// ignored, because otherwise no snapshot would be made until then.
  package func isDue(_ past: SnapshotPast, now: UTCTime) -> Bool {
    switch self {
    case .every(let seconds):
      // If the clock was set back, do not wait until it reaches the newest snapshot's date.
      past.newest.map { !now.isWithin(seconds, of: $0) } ?? true
    case .calendar(let calendar): calendar.turn(at: now) > past.served(at: now)
    }
  }

  /// Returns when the next snapshot of a changed series is due, possibly in the past.
  package func next(_ past: SnapshotPast, now: UTCTime) -> UTCTime {
    switch self {
    case .every(let seconds): past.newest?.adding(seconds: seconds) ?? now
    case .calendar(let calendar):
      isDue(past, now: now) ? calendar.turn(at: now) : calendar.next(after: max(past.served(at: now), now))
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
