import SeedDatabase

/// Lists issues up to the policy's limit, counts all, and ends the import where the policy says so.
final class IssueCollector {
  private(set) var listed: [ImportIssue] = []
  private(set) var count = 0
  private var rejectedRows = 0
  private let told: ((ImportIssue) throws -> Void)?
  private let rejected: ((ImportReject) throws -> Void)?
  /// The row that issues are about, and others parts of which wait.
  private var open: ImportReject?
  private var held: [RowKey: ImportReject] = [:]
  /// Whether the rows stand behind a header.
  var followsHeader = false
  private let policy: ImportPolicy

  init(_ policy: ImportPolicy, _ hooks: ImportHooks) {
    self.policy = policy
    (told, rejected) = (hooks.issue, hooks.rejected)
  }

  var isOneTransaction: Bool { if case .one = policy.atomicity { true } else { false } }

  var wantsRows: Bool { rejected != nil }

  /// Whether a row's content is wanted: once, however much is wrong with it.
  func wantsRow(_ place: RowPlace) -> Bool {
    wantsRows && open.map(RowKey.init) != RowKey(place) && held[RowKey(place)] == nil
  }

  func reject(_ plan: RowPlan, _ refusal: RejectedRow, _ place: RowPlace, row: RowContent?) throws {
    var refusal = refusal
    if refusal.table == nil { refusal.key = refusal.key ?? plan.keyDescription }
    try reject(plan.target, refusal, place, row: row)
  }

  func reject(_ target: ImportTarget, _ refusal: RejectedRow, _ place: RowPlace, row: RowContent?) throws {
    var refusal = refusal
    if place.line != nil, refusal.table == nil, refusal.field == nil {
      refusal.field = refusal.column.flatMap { target.fields[$0] }
    }
    if refusal.code == .unique, !isOneTransaction {
      refusal.message += "; rows exchange values only within a batch: repeat without batches (--batch)"
    }
    target.rejected += 1
    rejectedRows += 1
    let issue = issue(refusal, target.table.name, place)
    try take(issue)
    if wantsRows { try keep(issue, place, row) }
    switch policy.badRows {
    case .abort:
      try flush()
      throw ImportFailure(.row, issue.description, issue: issue)
    case .skip(let most) where rejectedRows > most:
      try flush()
      throw ImportFailure(.row, "more than \(most) bad rows; the last one is \(issue)", issue: issue)
    case .skip, .collect: break
    }
  }

  // MARK: Rejected rows

  private struct RowKey: Hashable {
    let document: String
    let row: Int

    init(_ place: RowPlace) { (document, row) = (place.document, place.row) }

    init(_ row: ImportReject) { (document, self.row) = (row.issues[0].document, row.issues[0].row) }
  }

  private func keep(_ issue: ImportIssue, _ place: RowPlace, _ content: RowContent?) throws {
    let key = RowKey(place)
    if open.map(RowKey.init) == key {
      open?.add(issue)
    } else if held[key] != nil {
      held[key]?.add(issue)
    } else {
      try endRow()
      let content = content ?? RowContent(value: [])
      open = ImportReject(
        issue, list: place.list, name: place.name, value: content.value, bytes: content.bytes,
        header: content.header)
    }
  }

  /// Hands on the row at hand; or keeps it until all is known about those parts of it that wait.
  func endRow(waits: Bool = false) throws {
    guard let row = open.take() else { return }
    if waits { held[RowKey(row)] = row } else { try rejected?(row) }
  }

  /// Hands on all rows, in the document's order.
  func flush() throws {
    try endRow()
    let rows = held.values.sorted { $0.issues[0].row < $1.issues[0].row }
    held = [:]
    for row in rows { try rejected?(row) }
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
