package import SeedFormat
package import SeedSystem
package import SeedTrust

/// Unsigned information about a series, for people and monitors. Clients do not read it. Its JSON contains
/// no error messages because they include private paths and rows.
package struct SeriesFacts: Hashable, Sendable {
  package let series: SeedSeries
  package var writtenAt: UTCTime
  package var look: Look
  /// The head's tables by name. Empty if the publisher's working copy is not at the head.
  package var tables: [Table] = []
  package var upcoming: UpcomingSnapshots
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

  package init(
    _ series: SeedSeries, writtenAt: UTCTime, look: Look = Look(),
    upcoming: UpcomingSnapshots = UpcomingSnapshots(due: nil)
  ) {
    (self.series, self.writtenAt, self.look, self.upcoming) = (series, writtenAt, look, upcoming)
  }
}

package struct UpcomingSnapshots: Hashable, Sendable {
  /// The next due time; `nil` if the series has not changed since its newest snapshot.
  package let due: UTCTime?
  package let calendarTimes: [UTCTime]
  package let clock: ZoneClock?

  private static let told = 3

  /// `seen` is the time up to which a publisher has checked its calendar.
  package init(_ metadata: SeriesMetadata?, _ schedule: SnapshotSchedule, seen: UTCTime?, now: UTCTime) {
    let isAlive = metadata?.state.lifecycle.isRetired == false
    let past = metadata.flatMap { isAlive && $0.lacksSnapshot ? $0.snapshotPast(seen: seen) : nil }
    due = past.map { schedule.next($0, now: now) }
    guard isAlive, case .calendar(let calendar) = schedule else {
      (calendarTimes, clock) = ([], nil)
      return
    }
    clock = calendar.clock
    calendarTimes = (0..<Self.told).reduce(into: []) { times, _ in
      times.append(calendar.next(after: times.last ?? now))
    }
  }

  package init(due: UTCTime?, calendarTimes: [UTCTime] = [], clock: ZoneClock? = nil) {
    (self.due, self.calendarTimes, self.clock) = (due, calendarTimes, clock)
  }
}
