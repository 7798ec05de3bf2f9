import SeedDatabase

/// Lists issues up to the policy's limit, counts all, and ends the import where the policy says so.
final class IssueCollector {
  private(set) var listed: [ImportIssue] = []
  private(set) var count = 0
  private var rejectedRows = 0
  private let told: ((ImportIssue) throws -> Void)?
  private let rejected: ((ImportIssue, [UInt8]) throws -> Void)?
  /// Whether the rows stand behind a header.
  var followsHeader = false
  private let policy: ImportPolicy

  init(_ policy: ImportPolicy, _ hooks: ImportHooks) {
    self.policy = policy
    (told, rejected) = (hooks.issue, hooks.rejected)
  }

  var isOneTransaction: Bool { if case .one = policy.atomicity { true } else { false } }

  var wantsRows: Bool { rejected != nil }

  func reject(_ plan: RowPlan, _ refusal: RejectedRow, _ place: RowPlace, row: [UInt8]) throws {
    var refusal = refusal
    if refusal.table == nil { refusal.key = refusal.key ?? plan.keyDescription }
    try reject(plan.target, refusal, place, row: row)
  }

  func reject(_ target: ImportTarget, _ refusal: RejectedRow, _ place: RowPlace, row: [UInt8]) throws {
    target.rejected += 1
    rejectedRows += 1
    let issue = issue(refusal, target.table.name, place)
    try take(issue)
    try rejected?(issue, row)
    switch policy.badRows {
    case .abort: throw ImportFailure(.row, issue.description, issue: issue)
    case .skip(let most) where rejectedRows > most:
      throw ImportFailure(.row, "more than \(most) bad rows; the last one is \(issue)", issue: issue)
    case .skip, .collect: break
    }
  }

  /// An issue that rejects nothing.
  func note(_ refusal: RejectedRow, _ table: String, _ place: RowPlace) throws {
    try take(issue(refusal, table, place))
  }

  private func take(_ issue: ImportIssue) throws {
    count += 1
    try told?(issue)
    if listed.count < policy.issueLimit { listed.append(issue) }
  }

  private func issue(_ refusal: RejectedRow, _ table: String, _ place: RowPlace) -> ImportIssue {
    var issue = ImportIssue(
      document: place.document, row: place.row, offset: refusal.offset ?? place.offset, line: place.line,
      table: refusal.table ?? table, key: refusal.key, column: refusal.column, field: refusal.field,
      code: refusal.code, message: refusal.message)
    issue.followsHeader = followsHeader
    return issue
  }
}
