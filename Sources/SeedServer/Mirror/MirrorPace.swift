package import SeedSystem

/// Decides when a mirror is brought up to date: when something is published, and after a failure ever more seldom. Pure.
package struct MirrorPace {
  /// The timestamp's file when the mirror was brought up to date last.
  private var shown: FileStamp?
  private var next: ContinuousClock.Instant
  private var failures = 0

  /// Before it is looked at though nothing was published: files whose grace is over go, and another publisher is found.
  private static let rest = Duration.seconds(60)
  private static let (firstPause, mostDoublings) = (Duration.seconds(1), 6)

  package init(_ now: ContinuousClock.Instant) { next = now }

  package func isDue(_ stamp: FileStamp?, at now: ContinuousClock.Instant) -> Bool {
    now >= next || (failures == 0 && stamp != shown)
  }

  /// Whether that is what it was brought up to date with: then another publisher may have come since.
  package func shows(_ stamp: FileStamp?) -> Bool { failures == 0 && stamp == shown }

  /// `stamp` is that of the timestamp's file before the attempt began.
  package mutating func succeeded(_ stamp: FileStamp?, at now: ContinuousClock.Instant) {
    (shown, failures, next) = (stamp, 0, now.advanced(by: Self.rest))
  }

  package mutating func failed(at now: ContinuousClock.Instant) {
    next = now.advanced(by: Self.firstPause * (1 << min(failures, Self.mostDoublings)))
    failures += 1
  }

  package var isFailing: Bool { failures > 0 }
}
