import SeedFormat
package import SeedSystem
import SeedTrust

/// When a changed series gets a new snapshot. Pure: the history is given as a ``SnapshotPast``.
package struct SnapshotSchedule: Hashable, Sendable {
  package enum Rule: Hashable, Sendable {
    /// When the newest snapshot reaches this age.
    case age(seconds: Int)
    case calendar(SnapshotCalendar)
  }

  package let rule: Rule
  /// The maximum delay of a snapshot, so that publishers do not all start at once. Fixed for each snapshot of a series.
  package let jitterSeconds: Int

  package init(_ rule: Rule, jitterSeconds: Int = 0) {
    (self.rule, self.jitterSeconds) = (rule, jitterSeconds)
  }

  package static func every(seconds: Int) -> SnapshotSchedule { SnapshotSchedule(.age(seconds: seconds)) }

  /// Dates further ahead of the clock than this are ignored: see ``isDue(_:now:)``.
  static let toleranceSeconds = UTCTime.secondsPerDay

  package var longestSeconds: Int {
    switch rule {
    case .age(let seconds): seconds + jitterSeconds
    case .calendar(let calendar): calendar.times.longestGapMinutes * 60 + jitterSeconds
    }
  }

  /// The shortest time between two snapshots. The jitter must be less.
  package var shortestSeconds: Int {
    switch rule {
    case .age(let seconds): seconds
    case .calendar(let calendar): calendar.times.shortestGapMinutes * 60
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
      return age < 0 || age - jitter(newest, past) >= seconds
    case .calendar: return turn(past, now: now).map { $0 > past.served(at: now) } ?? false
    }
  }

  /// The last calendar time, including jitter, that has passed.
  package func turn(_ past: SnapshotPast, now: UTCTime) -> UTCTime? {
    guard case .calendar(let calendar) = rule else { return nil }
    let last = calendar.previous(before: now.adding(seconds: 1))
    // The jitter is shorter than any gap, so the previous time has passed.
    return last.adding(seconds: jitter(last, past)) <= now ? last : calendar.previous(before: last)
  }

  /// Returns when the next snapshot of a changed series is due, possibly in the past.
  package func next(_ past: SnapshotPast, now: UTCTime) -> UTCTime {
    switch rule {
    case .age(let seconds):
      guard let newest = past.newest else { return now }
      return newest.adding(seconds: seconds + jitter(newest, past))
    case .calendar(let calendar):
      if isDue(past, now: now) { return turn(past, now: now) ?? now }
      let moment = calendar.next(after: max(past.served(at: now), turn(past, now: now) ?? now))
      return moment.adding(seconds: jitter(moment, past))
    }
  }

  /// Derived from a hash, so it differs between series but is repeatable.
  private func jitter(_ moment: UTCTime, _ past: SnapshotPast) -> Int {
    guard jitterSeconds > 0 else { return 0 }
    let hash = SHA256Digest.of(Array("\(past.seed) \(moment)".utf8))
    return Int(hash.words[0] % UInt64(jitterSeconds + 1))
  }
}

package struct SnapshotPast: Hashable, Sendable {
  package var newest: UTCTime?
  /// The last calendar time at which a publisher checked for changes.
  package var seen: UTCTime?
  /// Differs between series, and between deployments with equal series names.
  package var seed: String

  package init(newest: UTCTime?, seen: UTCTime?, seed: String) {
    (self.newest, self.seen, self.seed) = (newest, seen, seed)
  }

  /// The time up to which all calendar times are served.
  package func served(at now: UTCTime) -> UTCTime {
    let believed = now.adding(seconds: SnapshotSchedule.toleranceSeconds)
    return [newest, seen].compactMap(\.self).filter { $0 <= believed }.max() ?? .distantPast
  }
}
