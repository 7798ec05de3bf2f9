package import SeedSystem

/// Decides when to update a mirror: after each publication, and with exponential backoff after failures. Pure.
package struct MirrorPace {
  /// The stamp of the timestamp's file at the last successful update.
  private var shown: FileStamp?
  private var next: ContinuousClock.Instant
  private var failures = 0

  /// The interval of updates without a new publication, which remove expired files and detect other publishers.
  private static let rest = Duration.seconds(60)
  private static let (firstPause, mostDoublings) = (Duration.seconds(1), 6)

  package init(_ now: ContinuousClock.Instant) { next = now }

  package func isDue(_ stamp: FileStamp?, at now: ContinuousClock.Instant) -> Bool {
    now >= next || (failures == 0 && stamp != shown)
  }

  /// Whether the last update succeeded with this stamp. If so, another publisher may have written to the mirror since.
  package func shows(_ stamp: FileStamp?) -> Bool { failures == 0 && stamp == shown }

  /// `stamp` is the stamp of the timestamp's file before the attempt.
  package mutating func succeeded(_ stamp: FileStamp?, at now: ContinuousClock.Instant) {
    (shown, failures, next) = (stamp, 0, now.advanced(by: Self.rest))
  }

  package mutating func failed(at now: ContinuousClock.Instant) {
    next = now.advanced(by: Self.firstPause * (1 << min(failures, Self.mostDoublings)))
    failures += 1
  }

  package var isFailing: Bool { failures > 0 }
}
