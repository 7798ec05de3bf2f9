package import SeedDatabase
package import SeedFormat
package import SeedSystem

/// What a publisher tells of a series beside what it signs, for people and monitors. No client reads it, and nobody
/// vouches for it. It has no error's text: these name paths and rows that are nobody's business.
package struct SeriesFacts: Hashable, Sendable {
  package let series: Series
  package var writtenAt: UTCTime
  package var look: Look
  /// The head's tables by name; none where the publisher's copy is not at the head.
  package var tables: [Table] = []
  package var upcoming: UpcomingSnapshots
  /// Seconds between two looks at the origin, where a process publishes on.
  package var checkSeconds: Int?
  /// Seconds within which the operator expects a new version.
  package var expectedChangeSeconds: Int?
  /// Seconds for which online signatures are made.
  package var lifetimeSeconds: Int?
  /// Tables, columns, indexes and views that the origin has gained and clients do not get: their number, for their names are
  /// nobody's business. `nil` where nobody has looked.
  package var gained: Int?
  /// A key that signs each step is not on the publisher's disk any more; a process that has read it goes on for now.
  package var lacksKeys = false
  /// The newest steps that changed or refused something, the newest first.
  package var steps: [Step] = []
  /// All steps since the history began, by their outcome.
  package var counts: [StepOutcome: Int] = [:]
  /// Rows that the origin's log missed since the history began.
  package var missedRows = 0

  /// The publisher's looks at the origin.
  package struct Look: Hashable, Sendable {
    /// When the origin was last read, and all of it was fit to be published.
    package var good: UTCTime?
    /// How the newest step ended, and when.
    package var newest: StepOutcome?
    package var newestAt: UTCTime?
    /// Why the newest step came to nothing, where it did.
    package var reason: FailureReason?
    /// By what the newest step found what had changed, where it did.
    package var foundBy: FoundBy.Way?
    /// Why that step compared rows though a log was asked for, where it did.
    package var comparedWhy: ComparisonWhy?
    /// Since when the origin has been a standby that lacks what was published; `nil` where it is not.
    package var behindSince: UTCTime?
    /// How the newest steps read the origin.
    package var reading = OriginReading()

    package init(
      good: UTCTime? = nil, newest: StepOutcome? = nil, newestAt: UTCTime? = nil,
      reason: FailureReason? = nil
    ) {
      (self.good, self.newest, self.newestAt, self.reason) = (good, newest, newestAt, reason)
    }
  }

  /// One published table.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let rows: Int
    package let columns: [Column]
    /// The model's `CREATE TABLE`, as it stands in each snapshot.
    package let sql: String

    package init(name: String, rows: Int, columns: [Column], sql: String) {
      (self.name, self.rows, self.columns, self.sql) = (name, rows, columns, sql)
    }
  }

  /// One stored column.
  package struct Column: Hashable, Sendable {
    package let name: String
    /// As declared; may be empty.
    package let type: String
    package let isKey: Bool

    package init(name: String, type: String, isKey: Bool) {
      (self.name, self.type, self.isKey) = (name, type, isKey)
    }
  }

  /// One step, or several in a row that came out the same.
  package struct Step: Hashable, Sendable {
    package var at: UTCTime
    package var last: UTCTime
    package var times = 1
    package var milliseconds = 0
    package var outcome: StepOutcome
    /// The head before and after.
    package var from: Int?
    package var to: Int?
    /// Rows by table.
    package var changes: ChangeReport = [:]
    package var deltaBytes: Int?
    package var snapshotBytes: Int?
    /// Rows of all tables after it, where they were counted.
    package var rows: Int?
    /// By what it found what had changed.
    package var foundBy: FoundBy.Way?
    /// Why it compared rows though a log was asked for, where it did.
    package var comparedWhy: ComparisonWhy?
    /// Rows that it published and that the origin's log had missed.
    package var missedRows = 0

    package init(_ outcome: StepOutcome, at: UTCTime, last: UTCTime) {
      (self.outcome, self.at, self.last) = (outcome, at, last)
    }
  }

  package init(_ series: Series, writtenAt: UTCTime, look: Look, upcoming: UpcomingSnapshots) {
    (self.series, self.writtenAt, self.look, self.upcoming) = (series, writtenAt, look, upcoming)
  }
}
