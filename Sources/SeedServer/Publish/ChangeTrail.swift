import SeedDatabase
import SeedFormat
package import SeedSystem
import SeedTrust

/// Where a series' working copy stands in its origin's log, in a file beside it. The file counts only for the very copy
/// that was committed with it, the same origin and the same model: wherever anything differs, all rows are compared.
struct ChangeTrail {
  let context: StepContext
  let plan: SeriesPlan
  let published: SeriesMetadata

  private var path: String { Self.path(plan.series, context.stateFolder) }
  private var copyPath: String { context.copyPath(plan.series) }

  private static func path(_ series: Series, _ stateFolder: String) -> String {
    "\(stateFolder)/\(series.roleName).cursor"
  }

  /// `nil` where no step has noted anything yet.
  static func standing(_ series: Series, in stateFolder: String) -> OriginLogStanding? {
    record(series, in: stateFolder).map {
      OriginLogStanding(comparedAt: $0.comparedAt, missedAt: $0.missedAt)
    }
  }

  /// The next step compares everything, and from then on the log counts again.
  static func forget(_ series: Series, in stateFolder: String) throws {
    try Folder.remove(path(series, stateFolder))
  }

  /// Whether all rows are to be compared, though nothing was written: a log may have missed what was.
  static func isAuditDue(_ series: Series, _ context: StepContext) -> Bool {
    guard context.job.changes == .log else { return false }
    return record(series, in: context.stateFolder)?.isAuditDue(context) ?? false
  }

  /// How this step finds what changed, and what it would note when it is done.
  func search(_ origin: any Origin) throws -> ChangeTrailStep {
    guard context.job.changes == .log else { return ChangeTrailStep(.comparison, nil) }
    guard let log = try origin.log() else { return ChangeTrailStep(.comparison, .noLog) }
    var step = ChangeTrailStep(.comparison, .first)
    step.cursor = try log.cursor()
    step.gaps = log.gaps
    guard let record = Self.record(plan.series, in: context.stateFolder) else { return step }
    step.missedAt = record.missedAt
    step.comparedAt = record.comparedAt
    guard record.subject == subject(origin: context.job.origin.text), record.copy == copyStamp else {
      return step.comparing(.otherCopy)
    }
    if try origin.isVolatile([plan]) { return step.comparing(.restless) }
    switch try log.touched(since: record.cursor, plan) {
    case .doubt(let doubt): return step.comparing(.doubt(doubt))
    case .tables(let touched): return step.following(log, touched, record, context)
    }
  }

  /// Notes where the copy, which is committed, stands now.
  func note(_ step: ChangeTrailStep) throws {
    guard let cursor = step.cursor, let copy = copyStamp else { return try Folder.remove(path) }
    let record = Record(
      subject: subject(origin: context.job.origin.text), copy: copy, cursor: cursor,
      comparedAt: step.reason == nil ? step.comparedAt : context.now, missedAt: step.missedAt)
    guard record != Self.record(plan.series, in: context.stateFolder) else { return }
    try DurableFile.write(record.json.bytes, to: path)
  }

  private var copyStamp: String? { (try? FileStamp(copyPath))?.text }

  /// Differs wherever other rows would come out of the same origin.
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
    let copy: String
    let cursor: OriginCursor
    let comparedAt: UTCTime
    let missedAt: UTCTime?

    func isAuditDue(_ context: StepContext) -> Bool {
      let age = context.now.secondsSinceEpoch - comparedAt.secondsSinceEpoch
      // A clock that was set back must not put it off until then.
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
  }

  fileprivate var json: JSONValue {
    .object(
      .init(
        ("subject", .string(subject)), ("copy", .string(copy)), ("cursor", cursor.json),
        ("comparedAt", .string(comparedAt.text)), ("missedAt", missedAt.map { .string($0.text) })))
  }
}

/// How one step searches, and what it will note.
struct ChangeTrailStep {
  var search: ChangeSearch
  /// Why all rows are compared; `nil` where the log tells what changed, or none is asked for.
  var reason: ComparisonReason?
  /// Where the origin's log stands; `nil` where there is none.
  var cursor: OriginCursor?
  /// Tables that the log does not watch any more.
  var gaps: [String] = []
  var comparedAt = UTCTime(secondsSinceEpoch: 0)
  var missedAt: UTCTime?

  init(_ search: ChangeSearch, _ reason: ComparisonReason?) { (self.search, self.reason) = (search, reason) }

  /// Tables of which the log cannot tell single rows, and that were touched.
  private var comparedTables: String? {
    guard case .log(_, let touched) = search else { return nil }
    let names = touched.filter { $0.value == .all }.keys.sorted().map { "\"\($0)\"" }
    return names.isEmpty ? nil : "all rows of \(names.joined(separator: ", "))"
  }

  var foundBy: FoundBy {
    switch (search, reason) {
    case (.log, _): FoundBy(.log, reason: comparedTables)
    case (.audit, _): FoundBy(.audit)
    case (.comparison, let reason?): .because(reason)
    case (.comparison, nil): FoundBy(.comparison)
    }
  }

  /// For the operator.
  var warning: String? {
    if reason == .noLog { return "all rows are compared, for \(ComparisonReason.noLog)" }
    guard !gaps.isEmpty else { return nil }
    return
      "the origin's log does not watch \(gaps.map { "\"\($0)\"" }.joined(separator: ", ")) any more, for a table that is made"
      + " anew has no triggers: what it does not watch is compared as a whole. 'seedbank origin log remove --yes' and then 'seedbank"
      + " origin log setup --yes' mend that"
  }

  /// A log that can tell what was written is followed, unless it missed rows before or is to be checked.
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

  func comparing(_ reason: ComparisonReason) -> ChangeTrailStep {
    var step = self
    step.reason = reason
    return step
  }
}

extension FoundBy {
  static func because(_ reason: ComparisonReason) -> Self { Self(.comparison, reason: reason.description) }
}

/// Why all rows are compared though the origin has a log, or should have one.
package enum ComparisonReason: Hashable, Sendable, CustomStringConvertible {
  case noLog
  case first
  case otherCopy
  case restless
  case audit
  case doubt(LogDoubt)
  case missed(UTCTime)

  package var description: String {
    switch self {
    case .noLog: "the origin has no log: 'seedbank origin log setup' makes one"
    case .first: "it is the first step with this log"
    case .otherCopy:
      "the working copy, the model or the path of the origin is another one than at the last step"
    case .restless: "a SELECT or a view asks for the time or for random numbers"
    case .audit: "it is time to check the log"
    case .doubt(let doubt): doubt.rawValue
    case .missed(let time):
      "the log missed rows, as was found at \(time): when the cause is mended, 'seedbank origin log accept' trusts it again"
    }
  }
}
