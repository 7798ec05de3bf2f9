import SeedDatabase
import SeedFormat

/// Which row it is, of all tables' rows.
struct RowIdentity: Hashable {
  let table: String
  /// As ``KeyIdentity`` has it.
  let key: [UInt8]
}

/// A row that could not be written yet, with what lies nested in it: all of that shares its fate.
final class WaitingRow {
  /// Where it comes from, with the document's row where rejected ones are handed on.
  struct Origin {
    /// Its number among the rows that had to wait.
    let number: Int
    let place: RowPlace
    let json: [UInt8]
  }

  let target: ImportTarget
  let values: [SeedValue]
  let identity: RowIdentity
  let origin: Origin
  private let slots: SlotSet
  /// Rows that it references: it comes with all of them, or none of them does.
  private let references: [WaitingRow]
  /// Tables of rows that it references and that were there already, unchanged, when it came.
  var known: [ImportTarget] = []
  /// Rows that come once it is there.
  var elements: [WaitingRow] = []

  init(
    _ target: ImportTarget, _ slots: SlotSet, _ values: [SeedValue], key: [UInt8],
    _ references: [WaitingRow], _ origin: Origin
  ) {
    (self.target, self.slots, self.values) = (target, slots, values)
    identity = RowIdentity(table: target.table.name, key: key)
    self.references = references
    self.origin = origin
  }

  /// What is written together: the rows that it references, then the row itself.
  var members: [WaitingRow] { references.flatMap(\.members) + [self] }

  /// What comes behind it.
  var followers: [WaitingRow] { elements.flatMap(\.tree) }

  /// The row with all that is nested in it.
  var tree: [WaitingRow] { members + followers }

  var writer: TableWriter { get throws { try target.writer(slots) } }

  func isSame(as other: WaitingRow) -> Bool { slots == other.slots && values == other.values }

  /// Whether the plan's row is the same.
  func holds(_ plan: RowPlan) -> Bool {
    guard slots == plan.slots else { return false }
    let columns = target.table.columns.indices.filter(slots.contains)
    return zip(columns, values).allSatisfy { plan.value($0).owned == $1 }
  }

  /// Writes the row where its values are free.
  func upsert() throws -> RowOutcome {
    let writer = try writer
    return try rejecting(target.table) { try LentBytes.lending(values) { try writer.upsert($0) } }
  }

  var key: [SeedValue] { get throws { try writer.shape.key.map { values[$0] } } }
}

/// What becomes of rows that waited: keys of those that are in, issues of those that waited in vain.
final class WaitingOutcome {
  private let policy: ImportPolicy
  private let issues: IssueCollector
  private var rejections: [Rejection] = []

  private struct Rejection {
    let row: WaitingRow
    /// The one to blame of those that are written together.
    let member: WaitingRow
    let refusal: RejectedRow
  }

  init(_ policy: ImportPolicy, _ issues: IssueCollector) {
    self.policy = policy
    self.issues = issues
  }

  func note(_ row: WaitingRow, _ outcomes: [RowOutcome]) throws {
    for member in row.members { for target in member.known { target.recognised += 1 } }
    guard policy.reportsKeys else { return }
    for (member, outcome) in zip(row.members, outcomes) { member.target.keys.note(try member.key, outcome) }
  }

  /// The row goes with all that is nested in it, because of itself or of a row that it references.
  func reject(_ row: WaitingRow, _ member: WaitingRow, _ refusal: RejectedRow) {
    rejections.append(Rejection(row: row, member: member, refusal: refusal))
  }

  /// Tells the issues, in the document's order: in which order rows were refused depends on what waited with them.
  func tell() throws {
    let told = rejections.sorted { $0.row.origin.number < $1.row.origin.number }
    rejections = []
    for rejection in told { try tell(rejection) }
  }

  private func tell(_ rejection: Rejection) throws {
    let (row, member) = (rejection.row, rejection.member)
    var refusal = rejection.refusal
    refusal.key = rowDescription(member.target.table.keyNames, try member.key)
    // As with rows that never waited: the referenced row is the one with the issue.
    if member !== row { row.target.rejected += 1 }
    try issues.reject(member.target, refusal, row.origin.place, row: row.origin.json)
  }
}
