package import SeedFormat
package import SeedSystem

/// Unsigned information about a series, for people and monitors. Clients do not read it. Its JSON contains
/// no error messages because they include private paths and rows.
package struct SeriesFacts: Hashable, Sendable {
  package let series: SeedSeries
  package var writtenAt: UTCTime
  package var look: Look
  /// The head's tables by name. Empty if the publisher's working copy is not at the head.
  package var tables: [Table] = []
  /// When the next snapshot is due; `nil` if the series has not changed since its newest snapshot.
  package var nextSnapshot: UTCTime?
  /// Seconds between checks of the origin by `seedbank run`.
  package var checkSeconds: Int?
  /// The seconds that the program which fills the origin may take.
  package var commandSeconds: Int?
  package var expectedChangeSeconds: Int?
  package var lifetimeSeconds: Int?
  /// The number of new tables, columns, indexes and views that clients do not get; `nil` if unknown. The names are not
  /// published.
  package var gained: Int?
  /// The newest steps that changed or rejected something, newest first.
  package var steps: [StepRecord] = []
  /// The number of steps in the recorded history, by outcome.
  package var counts: [StepRecord.Outcome: Int] = [:]
  /// The number of rows that the origin's log missed in the recorded history.
  package var missedRows = 0

  package struct Look: Hashable, Sendable {
    /// When the origin was last read and could be published.
    package var good: UTCTime?
    package var newest: StepRecord.Outcome?
    package var newestAt: UTCTime?
    package var reason: StepRecord.Reason?
    package var foundBy: FoundBy?
    /// When the origin became a standby that lacks published data; `nil` if it is not.
    package var behindSince: UTCTime?
    package var reading = OriginReading()

    package init(
      good: UTCTime? = nil, newest: StepRecord.Outcome? = nil, newestAt: UTCTime? = nil,
      reason: StepRecord.Reason? = nil
    ) { (self.good, self.newest, self.newestAt, self.reason) = (good, newest, newestAt, reason) }
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

  package init(_ series: SeedSeries, writtenAt: UTCTime, look: Look = Look()) {
    (self.series, self.writtenAt, self.look) = (series, writtenAt, look)
  }
}
