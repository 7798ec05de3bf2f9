import SeedDatabase
import SeedFormat
package import SeedPublication
import SeedSystem
import SeedTrust

/// Writes the facts (unsigned status) of a dataset's series after a step, or removes them if turned off. Logs errors.
package struct FactsKeeper: Sendable {
  private let isOn: Bool
  private let report: @Sendable (LogRecord) -> Void

  /// While steps repeat the same outcome, facts are rewritten only at this age, so that an idle publisher stays idle.
  static let restSeconds = 30
  static let steps = 100

  package init(isOn: Bool, report: @escaping @Sendable (LogRecord) -> Void = { _ in }) {
    (self.isOn, self.report) = (isOn, report)
  }

  /// `gained` is the number of new parts in the origin, or `nil` if the step did not read the origin. `isRepeated`
  /// means that the previous step had the same outcome.
  func keep(of job: DatasetJob, in publisher: Publisher, gained: Int?, isRepeated: Bool, at now: UTCTime) {
    reporting(job.name, publisher) { folder in
      let told = isOn ? Set(job.plans.map(\.series)) : []
      for series in try folder.series(of: job.name) where !told.contains(series) { try folder.remove(series) }
      if isOn { try write(job, publisher, gained, isRepeated, now) }
    }
  }

  /// Writes the facts after a step that failed before its dataset was loaded. Keeps the earlier tables and times.
  func keep(failure record: StepRecord, in publisher: Publisher) {
    guard isOn else { return }
    reporting(record.dataset, publisher) { folder in
      let published = try publisher.publication.published().series.keys
      try folder.lock.hold(.short) {
        for series in published where series.dataset == record.dataset {
          var facts = folder.read(series) ?? SeriesFacts(series, writtenAt: record.last)
          facts.writtenAt = record.last
          try publisher.history?.fill(&facts, steps: Self.steps)
          // Set here too, in case the history could not be written.
          (facts.look.newest, facts.look.newestAt) = (record.outcome, record.last)
          facts.look.reason = record.reason
          facts.look.reading = OriginReading.newest(of: record.dataset, in: publisher.stateFolder)
          try folder.write(facts)
        }
      }
    }
  }

  private func reporting(_ dataset: DatasetName, _ publisher: Publisher, _ keep: (FactsFolder) throws -> Void)
  {
    guard publisher.publication.exists else { return }
    do {
      try keep(publisher.publication.facts)
    } catch {
      let remedy = (error as? FileError)?.rightsRemedy.map { "; \($0)" } ?? ""
      report(LogRecord(.warning, "The facts of \(dataset) could not be written: \(error.cause)\(remedy)"))
    }
  }

  private func write(
    _ job: DatasetJob, _ publisher: Publisher, _ gained: Int?, _ isRepeated: Bool, _ now: UTCTime
  ) throws {
    let folder = publisher.publication.facts
    let newest = job.plans.last?.series
    // Writes a changed number of new parts at once, for example after the operator has added or excluded some.
    let isGainNew = gained != nil && gained != newest.flatMap(folder.read)?.gained
    let due = job.plans.map(\.series).filter { series in
      !isRepeated || !Self.isFresh(folder.stamp(series)) || (isGainNew && series == newest)
    }
    guard !due.isEmpty else { return }
    try folder.lock.hold(.short) {
      for series in due {
        let before = folder.read(series)
        var facts = try Self.facts(series, job, publisher, now)
        // New parts are counted for the newest model. A step that did not read the origin keeps the earlier number.
        facts.gained = series == newest ? gained ?? before?.gained : nil
        try folder.write(facts)
      }
    }
  }

  /// Compares with the clock that sets file timestamps. A file from the future is not fresh, because it was written
  /// under a different clock.
  private static func isFresh(_ stamp: FileStamp?) -> Bool {
    guard let stamp else { return false }
    return (0..<restSeconds).contains(UTCTime.now().secondsSinceEpoch - stamp.modifiedSeconds)
  }

  private static func facts(
    _ series: SeedSeries, _ job: DatasetJob, _ publisher: Publisher, _ now: UTCTime
  ) throws -> SeriesFacts {
    let published = try publisher.publication.published()
    let metadata = published.series[series]?.metadata
    var facts = SeriesFacts(series, writtenAt: now)
    facts.nextSnapshot = metadata?.nextSnapshot(afterSeconds: job.snapshotSeconds, now: now)
    (facts.checkSeconds, facts.expectedChangeSeconds) = (job.checkSeconds, job.expectedChangeSeconds)
    (facts.commandSeconds, facts.lifetimeSeconds) = (job.commandSeconds, job.lifetimeSeconds)
    try publisher.history?.fill(&facts, steps: steps)
    facts.look.reading = OriginReading.newest(of: job.name, in: publisher.stateFolder)
    facts.look.behindSince = SeenPlace(series, in: publisher.stateFolder).behindSince
    facts.tables = metadata.map { tables($0, publisher.stateFolder) } ?? []
    return facts
  }

  /// Reads the working copy rather than the model, because a newer model may not be published yet.
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
          SeriesFacts.Column(name: column.name, type: column.declaredType, isKey: table.key.contains(place))
        }, sql: sql[table.name] ?? "")
    }
  }
}
