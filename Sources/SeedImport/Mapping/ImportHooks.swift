/// What a session tells its owner on the way.
package struct ImportHooks {
  /// At most ten times a second, and once at the end.
  package var progress: ((ImportProgress) -> Void)?
  /// Every statement that SQLite runs, without its values.
  package var statement: ((String) -> Void)?
  /// Every issue as it comes, also those beyond the report's limit.
  package var issue: ((ImportIssue) throws -> Void)?
  /// Every rejected row, with all that is wrong with it.
  package var rejected: ((ImportReject) throws -> Void)?
  /// Called before rows are committed: what was rejected until then must last.
  package var willCommit: (() throws -> Void)?
  /// Looked at between batches.
  package var isCancelled: () -> Bool = { false }
  /// The clock by which progress is shown.
  package var now: () -> ContinuousClock.Instant = { ContinuousClock.now }

  package init() {}
}

/// Says when it is time to look up, and shows progress not more often than a person sees it.
struct ImportPace {
  private let progress: ((ImportProgress) -> Void)?
  private let rows: Int
  private let now: () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private var shown: ContinuousClock.Instant
  private static let interval = Duration.milliseconds(100)

  init(_ hooks: ImportHooks, rows: Int) {
    progress = hooks.progress
    now = hooks.now
    self.rows = max(1, rows)
    start = now()
    shown = start
  }

  var elapsed: Duration { now() - start }

  func isDue(rows count: Int) -> Bool { count.isMultiple(of: rows) }

  mutating func show(bytes: Int, rows: Int) {
    guard let progress else { return }
    let now = now()
    guard now - shown >= Self.interval else { return }
    shown = now
    progress(ImportProgress(bytes: bytes, rows: rows))
  }

  func end(bytes: Int, rows: Int) { progress?(ImportProgress(bytes: bytes, rows: rows)) }
}
