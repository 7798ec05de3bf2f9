/// The progress of an import.
public struct ImportProgress: Hashable, Sendable {
  /// The number of bytes read so far.
  public let bytes: Int
  /// The number of rows read so far.
  public let rows: Int
}

package struct ImportHooks {
  /// Called at most ten times a second, and once at the end.
  package var progress: ((ImportProgress) -> Void)?
  package var rejected: ((ImportReject) throws -> Void)?
  /// Called before each commit, so that a file of rejected rows can be made durable first.
  package var willCommit: (() throws -> Void)?
  /// Checked between batches.
  package var isCancelled: () -> Bool = { false }
  package var now: () -> ContinuousClock.Instant = { ContinuousClock.now }

  package init() {}
}

/// Decides when to check for cancellation, and limits how often progress is reported.
struct ProgressTimer {
  private let progress: ((ImportProgress) -> Void)?
  private let now: () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private var shown: ContinuousClock.Instant
  private static let interval = Duration.milliseconds(100)
  private static let rowsBetweenChecks = 256

  init(_ hooks: ImportHooks) {
    (progress, now) = (hooks.progress, hooks.now)
    start = now()
    shown = start
  }

  var elapsed: Duration { now() - start }

  func isDue(rows count: Int) -> Bool { count.isMultiple(of: Self.rowsBetweenChecks) }

  mutating func show(bytes: Int, rows: Int) {
    guard let progress else { return }
    let now = now()
    guard now - shown >= Self.interval else { return }
    shown = now
    progress(ImportProgress(bytes: bytes, rows: rows))
  }

  func end(bytes: Int, rows: Int) { progress?(ImportProgress(bytes: bytes, rows: rows)) }
}
