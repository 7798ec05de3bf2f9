import SeedDatabase
package import SeedFormat
import SeedPublication
package import SeedSystem
import SeedTrust

/// The position of a series' working copy in its origin's log, stored beside the copy. The file is valid only for the
/// copy that was committed with it, the same origin and the same model. After any difference, all rows are compared.
struct LogPosition {
  let context: StepContext
  let plan: SeriesPlan
  let published: SeriesMetadata

  private var path: String { Self.path(plan.series, context.stateFolder) }
  private var copyPath: String { context.copyPath(plan.series) }

  fileprivate static func path(_ series: SeedSeries, _ stateFolder: String) -> String {
    "\(stateFolder)/\(series.roleName).cursor"
  }

  /// Whether all rows must be compared even if the log has no entries, in case the log missed some.
  static func isAuditDue(_ series: SeedSeries, _ context: StepContext) -> Bool {
    guard context.job.changes == .log else { return false }
    return record(series, in: context.stateFolder)?.isAuditDue(context) ?? false
  }

  func search(_ origin: any Origin) throws -> LogPositionStep {
    guard context.job.changes == .log else { return LogPositionStep(.comparison, nil) }
    guard let log = try origin.log() else { return LogPositionStep(.comparison, .noLog) }
    var step = LogPositionStep(.comparison, .first)
    (step.cursor, step.gaps) = (try log.cursor(), log.gaps)
    guard let record = Self.record(plan.series, in: context.stateFolder) else { return step }
    (step.missedAt, step.comparedAt, step.prunedAt) = (record.missedAt, record.comparedAt, record.prunedAt)
    // A rollback that was killed may have published rows that the record's copy does not have.
    (step.search, step.reason) =
      context.options.isResuming ? (.comparison, .otherCopy) : try search(origin, log, after: record)
    return step
  }

  private func search(
    _ origin: any Origin, _ log: any OriginLog, after record: Record
  ) throws -> (ChangeSearch, LogDoubt?) {
    guard record.subject == subject else { return (.comparison, .otherSubject) }
    if try canRest(log, record) { return (.nothing, nil) }
    guard record.copy == copyStamp else { return (.comparison, .otherCopy) }
    switch try log.touched(since: record.cursor, plan) {
    case .doubt(let doubt): return (.comparison, doubt)
    case .tables(let touched):
      if let missed = record.missedAt { return (.comparison, .missed(missed)) }
      let restless = try origin.restlessTables(plan).mapValues { _ in Touched.all }
      let all = touched.merging(restless) { $1 }
      return record.isAuditDue(context) ? (.audit(all), .audit) : (.log(log, all), nil)
    }
  }

  /// False in doubt.
  func canRest(_ origin: any Origin) -> Bool {
    guard context.job.changes == .log, let log = try? origin.log(),
      let record = Self.record(plan.series, in: context.stateFolder), record.subject == subject
    else { return false }
    return (try? canRest(log, record)) ?? false
  }

  private func canRest(_ log: any OriginLog, _ record: Record) throws -> Bool {
    try record.canRest(on: copyStamp, context) && log.isUntouched(since: record.cursor)
  }

  func note(_ step: LogPositionStep) throws {
    guard context.job.changes == .log, !step.isResting else { return }
    guard let cursor = step.cursor, let copy = copyStamp else { return try Folder.remove(path) }
    let record = Record(
      subject: subject, copy: copy, cursor: cursor,
      comparedAt: step.reason == nil ? step.comparedAt : context.now, missedAt: step.missedAt,
      isSteady: step.isSteady, gaps: step.gaps, prunedAt: step.prunedAt)
    guard record != Self.record(plan.series, in: context.stateFolder) else { return }
    // Not fsynced: if a power failure loses the file, all rows are compared once.
    try DurableFile.replace(path, with: record.json.bytes)
  }

  /// Returns an action that keeps the record valid after the change was rolled back, although SQLite may have written to
  /// the copy's file. It does not apply to a rebuilt copy, which is a different file.
  func keepingNote() -> () -> Void {
    let before = try? FileStamp(copyPath)
    return {
      guard let before, var record = Self.record(plan.series, in: context.stateFolder),
        record.copy == before.text, let now = try? FileStamp(copyPath), now != before,
        now.isOfSameFile(as: before)
      else { return }
      record.copy = now.text
      try? DurableFile.replace(path, with: record.json.bytes)
    }
  }

  /// Occasionally prunes log entries that no series needs. Errors must not fail a step that has published.
  static func prune(_ origin: any Origin, _ context: StepContext) -> [String] {
    guard context.job.changes == .log else { return [] }
    let series = context.job.plans.map(\.series).filter { !context.job.isRetired($0) }
    let records = series.compactMap { one in
      record(one, in: context.stateFolder).map { (series: one, record: $0) }
    }
    guard records.contains(where: { $0.record.isPruningDue(context) }), let log = try? origin.log(),
      log.needsPruning
    else { return [] }
    for (series, record) in records {
      var record = record
      record.prunedAt = context.now
      try? DurableFile.write(record.json.bytes, to: path(series, context.stateFolder))
    }
    return [log.prune(behind: records.map(\.record.cursor))].compactMap(\.self)
  }

  private var copyStamp: String? { (try? FileStamp(copyPath))?.text }

  /// Changes with everything that determines the rows read from the same origin.
  private var subject: String {
    let parts = [context.job.origin.text, plan.fingerprint, published.state.epoch.text]
    return SHA256Digest.of(JSONValue(strings: parts).bytes).hex
  }

  fileprivate static func record(_ series: SeedSeries, in stateFolder: String) -> Record? {
    StateFile.json(path(series, stateFolder)).flatMap(Record.init)
  }

  fileprivate struct Record: Equatable {
    let subject: String
    var copy: String
    let cursor: OriginCursor
    let comparedAt: UTCTime
    let missedAt: UTCTime?
    /// Whether the log covers every table, and no value that is read changes without a write.
    let isSteady: Bool
    let gaps: [String]
    var prunedAt: UTCTime?

    private static let pruningSeconds = 3600

    func isPruningDue(_ context: StepContext) -> Bool {
      prunedAt.map { !context.now.isWithin(Self.pruningSeconds, of: $0) } ?? true
    }

    func canRest(on copy: String?, _ context: StepContext) -> Bool {
      isSteady && self.copy == copy && missedAt == nil && !isAuditDue(context)
    }

    /// A clock that was set back must not postpone the audit.
    func isAuditDue(_ context: StepContext) -> Bool {
      !context.now.isWithin(context.job.auditSeconds, of: comparedAt)
    }
  }
}

extension LogPosition.Record {
  fileprivate init?(_ json: JSONValue) {
    guard let subject = json["subject"]?.string, let copy = json["copy"]?.string,
      let cursor = json["cursor"], let compared = json["comparedAt"]?.string.flatMap({ UTCTime($0) })
    else { return nil }
    (self.subject, self.copy, self.cursor) = (subject, copy, OriginCursor(cursor))
    (comparedAt, missedAt) = (compared, json["missedAt"]?.string.flatMap({ UTCTime($0) }))
    isSteady = json["steady"]?.bool ?? false
    gaps = json["gaps"]?.elements?.compactMap(\.string) ?? []
    prunedAt = json["prunedAt"]?.string.flatMap({ UTCTime($0) })
  }

  fileprivate var json: JSONValue {
    .object(
      .init(
        ("subject", .string(subject)), ("copy", .string(copy)), ("cursor", cursor.json),
        ("comparedAt", .string(comparedAt.text)), ("missedAt", missedAt.map { .string($0.text) }),
        ("steady", .bool(isSteady)), ("gaps", JSONValue(strings: gaps)),
        ("prunedAt", prunedAt.map { .string($0.text) })
      ))
  }
}

struct LogPositionStep {
  var search: ChangeSearch
  /// Why all rows are compared; `nil` if the log is used or none is configured.
  var reason: LogDoubt?
  var cursor: OriginCursor?
  var gaps: [String] = []
  var comparedAt = UTCTime(secondsSinceEpoch: 0)
  var missedAt: UTCTime?
  fileprivate(set) var prunedAt: UTCTime?

  init(_ search: ChangeSearch, _ reason: LogDoubt?) { (self.search, self.reason) = (search, reason) }

  /// The log shows that nothing was written.
  var isResting: Bool { if case .nothing = search { true } else { false } }

  /// Changed tables whose single rows the log cannot name.
  private var comparedTables: String? {
    guard case .log(_, let touched) = search else { return nil }
    let names = touched.filter { $0.value == .all }.keys.sorted().map { "\"\($0)\"" }
    return names.isEmpty ? nil : "all rows of \(names.joined(separator: ", "))"
  }

  fileprivate var isSteady: Bool {
    switch search {
    case .log(_, let touched), .audit(let touched): !touched.values.contains(.all)
    case .comparison, .nothing: false
    }
  }

  var foundBy: FoundBy {
    switch (search, reason) {
    case (.log, _), (.nothing, _):
      comparedTables.map { FoundBy(.log, .someTables, reason: $0) } ?? FoundBy(.log)
    case (.audit, _): FoundBy(.audit)
    case (.comparison, let reason?): .because(reason)
    case (.comparison, nil): FoundBy(.comparison)
    }
  }

  var warning: String? { logWarning(gaps: reason == .noLog ? nil : gaps) }
}

/// The publisher's position in an origin's log.
package struct OriginLogStanding: Hashable, Sendable {
  package let comparedAt: UTCTime
  /// When the log was found to have missed rows; `nil` if it is trusted.
  package let missedAt: UTCTime?
  private let gaps: [String]

  /// Returns `nil` if no step has used a log.
  package init?(of series: SeedSeries, in stateFolder: String) {
    guard let record = LogPosition.record(series, in: stateFolder) else { return nil }
    (comparedAt, missedAt, gaps) = (record.comparedAt, record.missedAt, record.gaps)
  }

  /// Why the log is incomplete; `nil` if it is complete.
  package var doubt: String? {
    missedAt.map { "all rows are compared: \(LogDoubt.missed($0))" } ?? logWarning(gaps: gaps)
  }
}

extension Publisher {
  /// Trusts the origin's log again after it missed rows. The next step compares all rows, and later steps use the log.
  package func acceptLog(of series: [SeedSeries]) throws {
    for one in series { try Folder.remove(LogPosition.path(one, stateFolder)) }
  }
}
