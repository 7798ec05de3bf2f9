import SeedDatabase
import SeedFormat
import SeedPublication
package import SeedSystem
import SeedTrust

/// The position of a series' working copy in its origin's log, stored beside the copy. The file is valid only for the
/// copy that was committed with it, the same origin and the same model. After any difference, all rows are compared.
struct ChangeTrail {
  let context: StepContext
  let plan: SeriesPlan
  let published: SeriesMetadata

  private var path: String { Self.path(plan.series, context.stateFolder) }
  private var copyPath: String { context.copyPath(plan.series) }

  private static func path(_ series: Series, _ stateFolder: String) -> String {
    "\(stateFolder)/\(series.roleName).cursor"
  }

  /// `nil` if no step has stored a position.
  static func standing(_ series: Series, in stateFolder: String) -> OriginLogStanding? {
    record(series, in: stateFolder).map {
      OriginLogStanding(comparedAt: $0.comparedAt, missedAt: $0.missedAt, gaps: $0.gaps)
    }
  }

  /// The next step compares all rows, and later steps use the log again.
  static func forget(_ series: Series, in stateFolder: String) throws {
    try Folder.remove(path(series, stateFolder))
  }

  /// Whether all rows must be compared even if the log has no entries, in case the log missed some.
  static func isAuditDue(_ series: Series, _ context: StepContext) -> Bool {
    guard context.job.changes == .log else { return false }
    return record(series, in: context.stateFolder)?.isAuditDue(context) ?? false
  }

  /// Returns how this step finds changes, and the record to store afterwards.
  func search(_ origin: any Origin) throws -> ChangeTrailStep {
    guard context.job.changes == .log else { return ChangeTrailStep(.comparison, nil) }
    guard let log = try origin.log() else { return ChangeTrailStep(.comparison, .noLog) }
    var step = ChangeTrailStep(.comparison, .first)
    step.cursor = try log.cursor()
    step.gaps = log.gaps
    guard let record = Self.record(plan.series, in: context.stateFolder) else { return step }
    (step.missedAt, step.comparedAt, step.prunedAt) = (record.missedAt, record.comparedAt, record.prunedAt)
    guard record.subject == subject(origin: context.job.origin.text) else {
      return step.comparing(.otherSubject)
    }
    if record.canRest(on: copyStamp, context), try log.isUntouched(since: record.cursor) {
      return step.resting
    }
    guard record.copy == copyStamp else { return step.comparing(.otherCopy) }
    switch try log.touched(since: record.cursor, plan) {
    case .doubt(let doubt): return step.comparing(.doubt(doubt))
    case .tables(let touched):
      let restless = try origin.restlessTables(plan).mapValues { _ in Touched.all }
      return step.following(log, touched.merging(restless) { $1 }, record, context)
    }
  }

  func note(_ step: ChangeTrailStep) throws {
    guard context.job.changes == .log, !step.isResting else { return }
    guard let cursor = step.cursor, let copy = copyStamp else { return try Folder.remove(path) }
    let record = Record(
      subject: subject(origin: context.job.origin.text), copy: copy, cursor: cursor,
      comparedAt: step.reason == nil ? step.comparedAt : context.now, missedAt: step.missedAt,
      isSteady: step.isSteady, gaps: step.gaps, prunedAt: step.prunedAt)
    guard record != Self.record(plan.series, in: context.stateFolder) else { return }
    // Not fsynced: if a power failure loses the file, all rows are compared once.
    try DurableFile.replace(path, with: record.json.bytes)
  }

  /// Keeps the record valid if the change is rolled back, although SQLite may have written to the file.
  func keepingNote(_ change: () throws -> SeriesDraft) throws -> SeriesDraft {
    let before = try? FileStamp(copyPath)
    do {
      var draft = try change()
      let discard = draft.discard
      draft.discard = {
        discard()
        noteTakenBack(before)
      }
      return draft
    } catch {
      noteTakenBack(before)
      throw error
    }
  }

  /// Does not apply to a rebuilt copy, which is a different file.
  private func noteTakenBack(_ before: FileStamp?) {
    guard let before, var record = Self.record(plan.series, in: context.stateFolder),
      record.copy == before.text, let now = try? FileStamp(copyPath), now != before,
      now.isOfSameFile(as: before)
    else { return }
    record.copy = now.text
    try? DurableFile.replace(path, with: record.json.bytes)
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
  private func subject(origin: String) -> String {
    let parts = [origin, plan.fingerprint, published.state.epoch.text]
    return SHA256Digest.of(JSONValue(strings: parts).bytes).hex
  }

  private static func record(_ series: Series, in stateFolder: String) -> Record? {
    let bytes = try? DurableFile.readIfPresent(
      path(series, stateFolder), limit: PublicationDirectory.mostFileBytes)
    return bytes.flatMap { try? JSONValue(parsing: $0) }.flatMap(Record.init)
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
      guard let prunedAt else { return true }
      let age = context.now.secondsSinceEpoch - prunedAt.secondsSinceEpoch
      return !(0..<Self.pruningSeconds).contains(age)
    }

    /// Whether a log without new entries proves that nothing changed.
    func canRest(on copy: String?, _ context: StepContext) -> Bool {
      isSteady && self.copy == copy && missedAt == nil && !isAuditDue(context)
    }

    func isAuditDue(_ context: StepContext) -> Bool {
      let age = context.now.secondsSinceEpoch - comparedAt.secondsSinceEpoch
      // A clock that was set back must not postpone the audit.
      return !(0..<context.job.auditSeconds).contains(age)
    }
  }
}

extension ChangeTrail.Record {
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

/// How a step finds changes, and the record to store afterwards.
struct ChangeTrailStep {
  var search: ChangeSearch
  /// Why all rows are compared; `nil` if the log is used or none is configured.
  var reason: ComparisonReason?
  var cursor: OriginCursor?
  /// Tables that the log no longer watches.
  var gaps: [String] = []
  var comparedAt = UTCTime(secondsSinceEpoch: 0)
  var missedAt: UTCTime?
  fileprivate(set) var prunedAt: UTCTime?
  /// There are no changes and no new record.
  fileprivate(set) var isResting = false

  init(_ search: ChangeSearch, _ reason: ComparisonReason?) { (self.search, self.reason) = (search, reason) }

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

  var warning: String? { OriginLogWarning(hasLog: reason != .noLog, gaps: gaps)?.text }

  /// Uses the log unless it missed rows before or an audit is due.
  fileprivate func following(
    _ log: any OriginLog, _ touched: [String: Touched], _ record: ChangeTrail.Record, _ context: StepContext
  ) -> ChangeTrailStep {
    var step = self
    if let missed = record.missedAt { return comparing(.missed(missed)) }
    if record.isAuditDue(context) {
      (step.search, step.reason) = (.audit(touched), .audit)
    } else {
      (step.search, step.reason) = (.log(log, touched), nil)
    }
    return step
  }

  fileprivate var resting: ChangeTrailStep {
    var step = self
    (step.search, step.reason, step.isResting) = (.nothing, nil, true)
    return step
  }

  func comparing(_ reason: ComparisonReason) -> ChangeTrailStep {
    var step = self
    step.reason = reason
    return step
  }
}

extension FoundBy {
  static func because(_ reason: ComparisonReason) -> Self {
    Self(.comparison, reason.word, reason: reason.description)
  }
}

/// Why all rows are compared although the dataset uses a log.
package enum ComparisonReason: Hashable, Sendable, CustomStringConvertible {
  case noLog
  case first
  case otherCopy
  case otherSubject
  case audit
  case doubt(LogDoubt)
  case missed(UTCTime)

  /// A code without details of the deployment; `nil` for audits, which are configured.
  var word: ComparisonWhy? {
    switch self {
    case .noLog: .noLog
    case .first: .first
    case .otherCopy: .otherCopy
    case .otherSubject: .otherConfiguration
    case .audit: nil
    case .doubt(let doubt): doubt.word
    case .missed: .missed
    }
  }

  package var description: String {
    switch self {
    case .noLog: "the origin has no log: 'seedbank origin log setup' makes one"
    case .first: "it is the first step since the log was made, or was accepted"
    case .otherCopy:
      "the working copy differs from the last step's, as after a rollback or a rejected step"
    case .otherSubject: "the model, the epoch or the path of the origin differs from the last step's"
    case .audit: "it is time to check the log"
    case .doubt(let doubt): doubt.rawValue
    case .missed(let time):
      "the log missed rows, as was found at \(time): when the cause is fixed, 'seedbank origin log accept' trusts it again"
    }
  }
}

extension LogDoubt {
  fileprivate var word: ComparisonWhy {
    switch self {
    case .otherFile: .otherFile
    case .otherDatabase: .otherDatabase
    case .otherServer: .otherServer
    case .otherTimeline: .otherTimeline
    case .otherTriggers: .otherTriggers
    case .otherSchema: .otherSchema
    case .otherLog: .otherLog
    case .pruned: .pruned
    case .edited: .edited
    }
  }
}
