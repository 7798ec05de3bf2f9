package import SeedDatabase
package import SeedFormat
package import SeedSystem

/// Unsigned information about a series, for people and monitors. Clients do not read it. Contains no error messages
/// because they include private paths and rows.
package struct SeriesFacts: Hashable, Sendable {
  package let series: Series
  package var writtenAt: UTCTime
  package var look: Look
  /// The head's tables by name. Empty if the publisher's working copy is not at the head.
  package var tables: [Table] = []
  package var upcoming: UpcomingSnapshots
  /// The interval of checks of the origin by `seedbank run`.
  package var checkSeconds: Int?
  package var expectedChangeSeconds: Int?
  package var lifetimeSeconds: Int?
  /// The number of new tables, columns, indexes and views that clients do not get; `nil` if unknown. Names are private.
  package var gained: Int?
  /// A key for signing steps is gone from the publisher's disk. A running process still has it in memory.
  package var lacksKeys = false
  /// The newest steps that changed or rejected something, newest first.
  package var steps: [Step] = []
  /// The number of steps in the recorded history, by outcome.
  package var counts: [StepOutcome: Int] = [:]
  /// The number of rows that the origin's log missed in the recorded history.
  package var missedRows = 0

  package struct Look: Hashable, Sendable {
    /// When the origin was last read and could be published.
    package var good: UTCTime?
    package var newest: StepOutcome?
    package var newestAt: UTCTime?
    package var reason: FailureReason?
    package var foundBy: FoundBy.Way?
    package var comparedWhy: ComparisonWhy?
    /// When the origin became a standby that lacks published data; `nil` if it is not.
    package var behindSince: UTCTime?
    package var reading = OriginReading()

    package init(
      good: UTCTime? = nil, newest: StepOutcome? = nil, newestAt: UTCTime? = nil,
      reason: FailureReason? = nil
    ) {
      (self.good, self.newest, self.newestAt, self.reason) = (good, newest, newestAt, reason)
    }
  }

  package struct Table: Hashable, Sendable {
    package let name: String
    package let rows: Int
    package let columns: [Column]
    /// The model's `CREATE TABLE`, as in every snapshot.
    package let sql: String

    package init(name: String, rows: Int, columns: [Column], sql: String) {
      (self.name, self.rows, self.columns, self.sql) = (name, rows, columns, sql)
    }
  }

  package struct Column: Hashable, Sendable {
    package let name: String
    /// As declared; may be empty.
    package let type: String
    package let isKey: Bool

    package init(name: String, type: String, isKey: Bool) {
      (self.name, self.type, self.isKey) = (name, type, isKey)
    }
  }

  /// One step, or several consecutive steps with the same result.
  package struct Step: Hashable, Sendable {
    package var at: UTCTime
    package var last: UTCTime
    package var times = 1
    package var milliseconds = 0
    package var outcome: StepOutcome
    /// The head before and after.
    package var from: Int?
    package var to: Int?
    package var changes: ChangeReport = [:]
    package var deltaBytes: Int?
    package var snapshotBytes: Int?
    /// The total number of rows after the step, if counted.
    package var rows: Int?
    package var foundBy: FoundBy.Way?
    package var comparedWhy: ComparisonWhy?
    /// Published rows that the origin's log had missed.
    package var missedRows = 0

    package init(_ outcome: StepOutcome, at: UTCTime, last: UTCTime) {
      (self.outcome, self.at, self.last) = (outcome, at, last)
    }
  }

  package init(_ series: Series, writtenAt: UTCTime, look: Look, upcoming: UpcomingSnapshots) {
    (self.series, self.writtenAt, self.look, self.upcoming) = (series, writtenAt, look, upcoming)
  }
}
