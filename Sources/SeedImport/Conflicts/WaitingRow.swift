import SeedDatabase
import SeedFormat

struct RowIdentity: Hashable {
  let table: String
  /// As ``KeyIdentity`` has it.
  let key: [UInt8]
}

/// A row that could not be written yet, with what lies nested in it: all of that shares its fate.
final class WaitingRow {
  /// Where it comes from, with the document's row where rejected ones are handed on.
  struct Origin {
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

  var followers: [WaitingRow] { elements.flatMap(\.tree) }

  var tree: [WaitingRow] { members + followers }

  var writer: TableWriter { get throws { try target.writer(slots) } }

  func isSame(as other: WaitingRow) -> Bool { slots == other.slots && values == other.values }

  func holds(_ plan: RowPlan) -> Bool {
    guard slots == plan.slots else { return false }
    let columns = target.table.columns.indices.filter(slots.contains)
    return zip(columns, values).allSatisfy { plan.value($0).owned == $1 }
  }

  func upsert() throws -> RowOutcome {
    let writer = try writer
    return try rejecting(target.table) { try LentBytes.lending(values) { try writer.upsert($0) } }
  }

  var key: [SeedValue] { get throws { try writer.shape.key.map { values[$0] } } }
}

/// A row that waited in vain.
struct Rejection {
  let row: WaitingRow
  /// The one to blame of those that are written together.
  let member: WaitingRow
  let refusal: RejectedRow
}

extension WaitingRow {
  enum Attempt {
    case written([RowOutcome])
    case tooEarly
    case refused(Rejection)
  }

  /// Writes all that is written together, or nothing of it; where that is not to be kept, it is only tried.
  func attempt(_ connection: Connection, isKept: Bool = true) throws -> Attempt {
    let savepoint = try RowSavepoint(connection, members.map(\.target))
    var outcomes: [RowOutcome] = []
    for member in members {
      do {
        let outcome = try member.upsert()
        if case .taken = outcome {
          try savepoint.takeBack()
          return .tooEarly
        }
        outcomes.append(outcome)
      } catch let refusal as RejectedRow {
        try savepoint.takeBack()
        return .refused(Rejection(row: self, member: member, refusal: refusal))
      }
    }
    if isKept { try savepoint.keep() } else { try savepoint.takeBack() }
    return .written(outcomes)
  }
}

/// What becomes of rows that waited: keys of those that are in, issues of those that waited in vain.
final class WaitingOutcome {
  private let policy: ImportPolicy
  private let issues: IssueCollector
  private var rejections: [Rejection] = []

  init(_ policy: ImportPolicy, _ issues: IssueCollector) {
    self.policy = policy
    self.issues = issues
  }

  func note(_ row: WaitingRow, _ outcomes: [RowOutcome]) throws {
    for target in row.members.flatMap(\.known) { target.recognised += 1 }
    guard policy.reportsKeys else { return }
    for (member, outcome) in zip(row.members, outcomes) { member.target.keys.note(try member.key, outcome) }
  }

  func reject(_ rejection: Rejection) { rejections.append(rejection) }

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
    try issues.reject(member.target, refusal, row.origin.place, row: RowContent(value: row.origin.json))
  }
}
