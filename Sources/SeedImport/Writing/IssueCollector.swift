import SeedDatabase

/// Lists issues up to the policy's limit, counts all issues, and ends the import if the policy allows no bad rows. A
/// row's issues are counted when the row is finished, because a row that has to wait is read again.
final class IssueCollector {
  private(set) var listed: [ImportIssue] = []
  private(set) var count = 0
  private var issues: [ImportIssue] = []
  private var open: ImportReject?
  private let policy: ImportPolicy
  private let hooks: ImportHooks

  init(_ policy: ImportPolicy, _ hooks: ImportHooks) { (self.policy, self.hooks) = (policy, hooks) }

  var wantsRows: Bool { hooks.rejected != nil }

  func reject(_ plan: RowPlan, _ refusal: RejectedRow, _ place: RowPlace, row: () -> [UInt8]) throws {
    var refusal = refusal
    if refusal.table == nil { refusal.key = refusal.key ?? plan.keyDescription }
    if refusal.code == .unique, policy.atomicity != .one {
      refusal.message += "; a later batch may resolve this conflict: repeat without batches (omit --batch)"
    }
    plan.target.rejected += 1
    let issue = issue(refusal, plan.table.name, place)
    issues.append(issue)
    if wantsRows, open == nil {
      open = ImportReject(issue: issue, list: place.list, name: place.name, value: row())
    }
    if policy.badRows == .abort { throw ImportFailure(.row, issue.description, issue: issue) }
  }

  func note(_ refusal: RejectedRow, _ table: String, _ place: RowPlace = RowPlace()) {
    issues.append(issue(refusal, table, place))
  }

  /// Discards the issues of a row that has to wait.
  func dropRow() { (issues, open) = ([], nil) }

  /// Reports the current row's issues, and passes the row to the hook if it is rejected.
  func endRow() throws {
    guard !issues.isEmpty else { return }
    let (ended, row) = (issues, open)
    dropRow()
    count += ended.count
    listed += ended.prefix(max(0, policy.issueLimit - listed.count))
    if let row { try hooks.rejected?(row) }
  }

  private func issue(_ refusal: RejectedRow, _ table: String, _ place: RowPlace) -> ImportIssue {
    ImportIssue(
      document: place.document, row: place.row, offset: refusal.offset ?? place.offset, line: place.line,
      table: refusal.table ?? table, key: refusal.key, column: refusal.column, code: refusal.code,
      message: refusal.message)
  }
}
