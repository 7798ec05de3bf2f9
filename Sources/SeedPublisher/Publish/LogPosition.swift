import SeedDatabase
package import SeedFormat
import SeedPublication
package import SeedSystem
import SeedTrust

/// The position of a series' working copy in the origin's log, stored beside the copy. The file is valid only with the
/// copy, the origin and the model for which it was written. If any of them differs, all rows are compared.
struct LogPosition {
  let context: StepContext
  let plan: SeriesPlan
  let published: SeriesMetadata

  private var path: String { Self.path(plan.series, context.stateFolder) }
  private var copyPath: String { context.copyPath(plan.series) }

  fileprivate static func path(_ series: SeedSeries, _ stateFolder: String) -> String {
    "\(stateFolder)/\(series.roleName).cursor"
  }

  /// Whether all rows must be compared even if the log has no new entries, in case it missed some rows.
  static func isAuditDue(_ series: SeedSeries, _ context: StepContext) -> Bool {
    guard context.job.changes == .log else { return false }
    return OriginLogStanding(of: series, in: context.stateFolder)?.isAuditDue(context) ?? false
  }

  func search(_ origin: any Origin) throws -> LogPositionStep {
    guard context.job.changes == .log else { return LogPositionStep(search: .comparison(nil)) }
    guard let log = try origin.log() else { return LogPositionStep(search: .comparison(.noLog)) }
    let (cursor, record) = (try log.cursor(), OriginLogStanding(of: plan.series, in: context.stateFolder))
    let found = try record.map { try search(origin, log, after: $0) } ?? .comparison(.first)
    var next = OriginLogStanding(
      subject: subject, copy: "", cursor: cursor, comparedAt: context.now, missedAt: record?.missedAt,
      isSteady: found.isSteady, gaps: log.gaps, prunedAt: record?.prunedAt)
    if case .log = found, let record { next.comparedAt = record.comparedAt }
    return LogPositionStep(search: found, next: next)
  }

  private func search(
    _ origin: any Origin, _ log: any OriginLog, after record: OriginLogStanding
  ) throws -> ChangeSearch {
    // A rollback that was killed may have published rows that the recorded copy lacks.
    guard !context.options.isResuming else { return .comparison(.otherCopy) }
    guard record.subject == subject else { return .comparison(.otherSubject) }
    if try canRest(log, record) { return .nothing }
    guard record.copy == copyStamp else { return .comparison(.otherCopy) }
    switch try log.touched(since: record.cursor, plan) {
    case .doubt(let doubt): return .comparison(doubt)
    case .tables(let touched):
      if let missed = record.missedAt { return .comparison(.missed(missed)) }
      let volatile = try origin.volatileTables(plan).mapValues { _ in Touched.all }
      let all = touched.merging(volatile) { $1 }
      return record.isAuditDue(context) ? .audit(all) : .log(log, all)
    }
  }

  /// Whether the log proves that there is nothing to read; false if uncertain.
  func canRest(_ origin: any Origin) -> Bool {
    guard context.job.changes == .log, let log = try? origin.log(),
      let record = OriginLogStanding(of: plan.series, in: context.stateFolder), record.subject == subject
    else { return false }
    return (try? canRest(log, record)) ?? false
  }

  private func canRest(_ log: any OriginLog, _ record: OriginLogStanding) throws -> Bool {
    try record.canRest(on: copyStamp, context) && log.isUntouched(since: record.cursor)
  }

  func note(_ step: LogPositionStep) throws {
    guard context.job.changes == .log, !step.isResting else { return }
    guard var record = step.next, let copy = copyStamp else { return try Folder.remove(path) }
    record.copy = copy
    guard record != OriginLogStanding(of: plan.series, in: context.stateFolder) else { return }
    // Not fsynced: if a power failure loses the file, all rows are compared once.
    try DurableFile.replace(path, with: record.json.bytes)
  }

  /// Returns an action to call after a change was rolled back. If SQLite wrote to the copy's file, the action
  /// updates the file's stamp in the record. It does nothing if a rebuild replaced the file.
  func keepingNote() -> () -> Void {
    let before = try? FileStamp(copyPath)
    return {
      guard let before, var record = OriginLogStanding(of: plan.series, in: context.stateFolder),
        record.copy == before.text, let now = try? FileStamp(copyPath), now != before,
        now.isOfSameFile(as: before)
      else { return }
      record.copy = now.text
      try? DurableFile.replace(path, with: record.json.bytes)
    }
  }

  /// Occasionally prunes log entries that no series needs. A held series needs none, because all rows are compared when
  /// it is resumed. Ignores errors, which must not fail a step that has published.
  static func prune(_ origin: any Origin, _ context: StepContext, held: Set<SeedSeries>) -> [String] {
    guard context.job.changes == .log else { return [] }
    let records = context.job.activePlans.map(\.series).compactMap { series in
      OriginLogStanding(of: series, in: context.stateFolder).map { (series: series, record: $0) }
    }
    guard records.contains(where: { $0.record.isPruningDue(context) }), let log = try? origin.log(),
      log.needsPruning, let newest = try? log.cursor()
    else { return [] }
    let needed = records.filter { !held.contains($0.series) }.map(\.record.cursor)
    let pruning = log.prune(behind: needed + [newest])
    if case .unfinished = pruning { return [] }
    for (series, record) in records {
      var record = record
      record.prunedAt = context.now
      try? DurableFile.write(record.json.bytes, to: path(series, context.stateFolder))
    }
    return if case .impossible(let advice) = pruning { [advice] } else { [] }
  }

  private var copyStamp: String? { (try? FileStamp(copyPath))?.text }

  /// A hash of the origin's place, the model and the epoch. If it differs, all rows are compared.
  private var subject: String {
    let parts = [context.job.origin.text, plan.fingerprint, published.state.epoch.text]
    return SHA256Digest.of(JSONValue(strings: parts).bytes).hex
  }
}

package struct OriginLogStanding: Hashable, Sendable {
  fileprivate let subject: String
  fileprivate var copy: String
  fileprivate let cursor: OriginCursor
  package fileprivate(set) var comparedAt: UTCTime
  /// When the log was found to have missed rows; `nil` if it is trusted.
  package internal(set) var missedAt: UTCTime?
  /// Whether the log covers every table, and no value changes without a write.
  fileprivate let isSteady: Bool
  fileprivate let gaps: [String]
  fileprivate var prunedAt: UTCTime?

  private static let pruningSeconds = 3600

  fileprivate func isPruningDue(_ context: StepContext) -> Bool {
    prunedAt.map { !context.now.isWithin(Self.pruningSeconds, of: $0) } ?? true
  }

  fileprivate func canRest(on copy: String?, _ context: StepContext) -> Bool {
    isSteady && self.copy == copy && missedAt == nil && !isAuditDue(context)
  }

  /// A clock that was set back must not postpone the audit.
  fileprivate func isAuditDue(_ context: StepContext) -> Bool {
    !context.now.isWithin(context.job.auditSeconds, of: comparedAt)
  }

  /// Why the log is incomplete; `nil` if it is complete.
  package var doubt: String? {
    missedAt.map { "all rows are compared: \(LogDoubt.missed($0))" } ?? logWarning(gaps: gaps)
  }
}

extension OriginLogStanding {
  /// Returns `nil` if no step has used a log.
  package init?(of series: SeedSeries, in stateFolder: String) {
    guard let json = StateFile.json(LogPosition.path(series, stateFolder)),
      let subject = json["subject"]?.string, let copy = json["copy"]?.string,
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
        ("prunedAt", prunedAt.map { .string($0.text) })))
  }
}

extension ChangeSearch {
  fileprivate var isSteady: Bool {
    switch self {
    case .log(_, let touched), .audit(let touched): !touched.values.contains(.all)
    case .comparison, .nothing: false
    }
  }
}

/// How a step finds changes, and the record that it stores if it uses a log.
struct LogPositionStep {
  let search: ChangeSearch
  var next: OriginLogStanding?

  /// Whether the log shows that nothing was written.
  var isResting: Bool { if case .nothing = search { true } else { false } }

  var foundBy: FoundBy {
    switch search {
    case .nothing: FoundBy(.log)
    case .log(_, let touched): Self.foundBy(touched.filter { $0.value == .all }.keys.sorted())
    case .audit: FoundBy(.audit)
    case .comparison(let doubt): doubt.map(FoundBy.because) ?? FoundBy(.comparison)
    }
  }

  /// `compared` lists the changed tables whose changed rows the log cannot name.
  private static func foundBy(_ compared: [String]) -> FoundBy {
    guard !compared.isEmpty else { return FoundBy(.log) }
    let names = compared.map { "\"\($0)\"" }.joined(separator: ", ")
    return FoundBy(.log, .someTables, reason: "all rows of \(names)")
  }

  var warning: String? {
    if case .comparison(.noLog?) = search { return logWarning(gaps: nil) }
    return logWarning(gaps: next?.gaps ?? [])
  }
}

extension Publisher {
  /// Trusts the origin's log again after it missed rows. The next step compares all rows, and later steps use the log.
  package func acceptLog(of series: [SeedSeries]) throws {
    for one in series { try Folder.remove(LogPosition.path(one, stateFolder)) }
  }
}

/// The origin's position when a series last read it, stored beside the working copy. It is synced before the rows are
/// signed. After a crash it may therefore be ahead of the publication, but the only effect is a short, needless wait
/// for a standby.
package struct SeenPlace {
  private let path: String

  package init(_ series: SeedSeries, in stateFolder: String) {
    path = "\(stateFolder)/\(series.roleName).place"
  }

  /// When the origin was found to be a standby that lacks rows read before; `nil` if it lacks none.
  package var behindSince: UTCTime? { known?["behindSince"]?.string.flatMap { UTCTime($0) } }

  private var known: JSONValue? { StateFile.json(path) }

  func relation(of origin: any Origin) throws -> OriginRelation {
    try known?["place"].map { try origin.relation(to: OriginCursor($0)) } ?? .follows
  }

  /// Stores the position, if the origin has one. Syncs only if the rows will be published.
  func note(_ place: OriginCursor?, isPublished: Bool) throws {
    let known = known
    guard let place = place?.json ?? known?["place"] else { return }
    let next: JSONValue = ["place": place, "behindSince": .null]
    if isPublished { return try DurableFile.write(next.bytes, to: path) }
    if next != known { try DurableFile.replace(path, with: next.bytes) }
  }

  func note(waitingSince start: UTCTime) throws {
    guard let place = known?["place"], behindSince != start else { return }
    let next: JSONValue = ["place": place, "behindSince": .string(start.text)]
    try DurableFile.write(next.bytes, to: path)
  }
}
