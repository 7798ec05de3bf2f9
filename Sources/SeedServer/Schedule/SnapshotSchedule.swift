import SeedFormat
package import SeedSystem
import SeedTrust

/// When a series that changed gets a new snapshot. Pure: what happened before comes as a ``SnapshotPast``.
package struct SnapshotSchedule: Hashable, Sendable {
  package enum Rule: Hashable, Sendable {
    /// Once the newest snapshot is that many seconds old.
    case age(seconds: Int)
    /// Once a moment of the calendar has passed.
    case calendar(SnapshotCalendar)
  }

  package let rule: Rule
  /// Seconds by which a snapshot comes later at most, so that many publishers do not all begin at once. For each snapshot
  /// of a series it is the same whenever it is asked for.
  package let jitterSeconds: Int

  package init(_ rule: Rule, jitterSeconds: Int = 0) {
    (self.rule, self.jitterSeconds) = (rule, jitterSeconds)
  }

  package static func every(seconds: Int) -> SnapshotSchedule { SnapshotSchedule(.age(seconds: seconds)) }

  /// Seconds by which a date may be ahead of the clock and still be believed: see ``isDue(_:now:)``.
  static let toleranceSeconds = UTCTime.secondsPerDay

  /// Seconds between two snapshots at most.
  package var longestSeconds: Int {
    switch rule {
    case .age(let seconds): seconds + jitterSeconds
    case .calendar(let calendar): calendar.times.longestGapMinutes * 60 + jitterSeconds
    }
  }

  /// Seconds between two snapshots at least; the jitter is less than that.
  package var shortestSeconds: Int {
    switch rule {
    case .age(let seconds): seconds
    case .calendar(let calendar): calendar.times.shortestGapMinutes * 60
    }
  }

  /// Whether a snapshot is due, for a series that changed.
  ///
  /// A moment of a calendar that has passed is made up for, once for all that were missed, as soon as there is a publisher
  /// again. It is served by any newer snapshot, and by a publisher that found nothing changed. A clock that is set back comes
  /// to the same moments again, and they are still served. But a date more than a day ahead was written by a clock that
  /// was wrong: it says nothing, and a snapshot is due at once, or none would come until then.
  func isDue(_ past: SnapshotPast, now: UTCTime) -> Bool {
    switch rule {
    case .age(let seconds):
      guard let newest = past.newest else { return true }
      // A snapshot of tomorrow means that a clock was set back: the next one cannot wait for it.
      let age = now.secondsSinceEpoch - newest.secondsSinceEpoch
      return age < 0 || age - jitter(newest, past) >= seconds
    case .calendar: return turn(past, now: now).map { $0 > past.served(at: now) } ?? false
    }
  }

  /// The last moment of the calendar that has come, with its jitter.
  func turn(_ past: SnapshotPast, now: UTCTime) -> UTCTime? {
    guard case .calendar(let calendar) = rule else { return nil }
    let last = calendar.previous(before: now.adding(seconds: 1))
    // The jitter is shorter than any gap, so the one before has come.
    return last.adding(seconds: jitter(last, past)) <= now ? last : calendar.previous(before: last)
  }

  /// When the next snapshot of a changed series is due: a moment that may have passed.
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

  /// Chosen by a hash: two series seldom have the same, and a series has it again when it is asked again.
  private func jitter(_ moment: UTCTime, _ past: SnapshotPast) -> Int {
    guard jitterSeconds > 0 else { return 0 }
    let hash = SHA256Digest.of(Array("\(past.seed) \(moment)".utf8))
    return Int(hash.words.0 % UInt64(jitterSeconds + 1))
  }
}

/// What a schedule has to know of a series.
package struct SnapshotPast: Hashable, Sendable {
  /// The date of the newest snapshot.
  package var newest: UTCTime?
  /// The last moment of a calendar at which a publisher looked whether there was something to do.
  package var seen: UTCTime?
  /// Differs from series to series, also where two deployments call theirs the same.
  package var seed: String

  package init(newest: UTCTime?, seen: UTCTime?, seed: String) {
    (self.newest, self.seen, self.seed) = (newest, seen, seed)
  }

  /// Up to when all is done.
  func served(at now: UTCTime) -> UTCTime {
    let believed = now.adding(seconds: SnapshotSchedule.toleranceSeconds)
    return [newest, seen].compactMap(\.self).filter { $0 <= believed }.max() ?? .distantPast
  }
}
