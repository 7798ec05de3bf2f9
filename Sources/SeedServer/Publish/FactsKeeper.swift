import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Writes the facts of a dataset's series after its steps, or takes them away where they are turned off. It is for people
/// and monitors, so a failure is reported and no more.
package struct FactsKeeper: Sendable {
  private let isOn: Bool
  private let report: @Sendable (LogRecord) -> Void

  /// Seconds for which facts may be old while each step comes out as the one before: an idle publisher stays idle.
  static let restSeconds = 30
  /// Steps that are told.
  static let steps = 100

  /// A keeper that writes facts, or one that removes them.
  package init(isOn: Bool, report: @escaping @Sendable (LogRecord) -> Void = { _ in }) {
    (self.isOn, self.report) = (isOn, report)
  }

  func keep(of job: DatasetJob, in publisher: Publisher, isRepeated: Bool, now: UTCTime) {
    guard publisher.publication.exists else { return }
    do {
      let folder = publisher.publication.facts
      let told = isOn ? Set(job.plans.map(\.series)) : []
      for series in try folder.series(of: job.name) where !told.contains(series) { try folder.remove(series) }
      if isOn { try write(job, publisher, isRepeated, now) }
    } catch { report(LogRecord(.warning, "The facts of \(job.name) could not be written: \(error.cause)")) }
  }

  private func write(_ job: DatasetJob, _ publisher: Publisher, _ isRepeated: Bool, _ now: UTCTime) throws {
    let folder = publisher.publication.facts
    let due = job.plans.filter { !isRepeated || !Self.isFresh(folder.stamp($0.series)) }
    guard !due.isEmpty else { return }
    try PublicationLock.withFactsLock(publisher.publication) {
      for plan in due { try folder.write(Self.facts(plan.series, job, publisher, now)) }
    }
  }

  /// By the clock that dates files. A file from the future was written under another clock.
  private static func isFresh(_ stamp: FileStamp?) -> Bool {
    guard let stamp else { return false }
    return (0..<restSeconds).contains(UTCTime.now().secondsSinceEpoch - stamp.modifiedSeconds)
  }

  private static func facts(
    _ series: Series, _ job: DatasetJob, _ publisher: Publisher, _ now: UTCTime
  ) throws -> SeriesFacts {
    let metadata = try publisher.publication.published().series[series]?.metadata
    let standing = try publisher.history?.standing(of: series, steps: steps)
    let upcoming = UpcomingSnapshots(
      metadata, job.snapshotSchedule, seen: CalendarMark(series, in: publisher.stateFolder).time, now: now)
    var facts = SeriesFacts(
      series, writtenAt: now,
      look: SeriesFacts.Look(
        good: standing?.good, newest: standing?.newest?.outcome, newestAt: standing?.newest?.last),
      upcoming: upcoming)
    (facts.checkSeconds, facts.expectedChangeSeconds) = (job.checkSeconds, job.expectedChangeSeconds)
    facts.steps = standing?.steps.map(SeriesFacts.Step.init) ?? []
    facts.counts = standing?.counts ?? [:]
    facts.tables = metadata.map { tables($0, publisher.stateFolder) } ?? []
    return facts
  }

  /// Out of the copy at the head, and not out of the model: a newer one may not be published yet.
  private static func tables(_ head: SeriesMetadata, _ stateFolder: String) -> [SeriesFacts.Table] {
    let path = WorkingCopy.path(of: head.series, in: stateFolder)
    guard Folder.exists(path), let copy = try? Connection(path, .reader),
      let meta = try? SeedTables.meta(copy), meta.version == head.state.head, meta.epoch == head.state.epoch
    else { return [] }
    return (try? copy.factsOfTables()) ?? []
  }
}

extension Connection {
  fileprivate func factsOfTables() throws -> [SeriesFacts.Table] {
    let sums = try SeedTables.sums(self)
    let texts = try rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    let sql = Dictionary(texts.map { ($0[0].text, $0[1].text) }) { first, _ in first }
    return try SchemaReader(self).schema().tables.map { table in
      SeriesFacts.Table(
        name: table.name, rows: sums[table.name]?.rows ?? 0,
        columns: table.columns.enumerated().map { place, column in
          SeriesFacts.Column(
            name: column.name, type: column.declaredType, isKey: table.key.contains(place))
        }, sql: sql[table.name] ?? "")
    }
  }
}

extension SeriesFacts.Step {
  fileprivate init(_ record: StepRecord) {
    self.init(record.outcome, at: record.at, last: record.last)
    (times, milliseconds) = (record.times, record.milliseconds)
    (from, to, changes) = (record.from, record.to, record.changes)
    (deltaBytes, snapshotBytes, rows) = (record.deltaBytes, record.snapshotBytes, record.rows)
  }
}
