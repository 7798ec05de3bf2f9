import SeedDatabase
import SeedFormat

struct RowIdentity: Hashable {
  let table: String
  /// As ``KeyIdentity`` has it.
  let key: [UInt8]
}

extension ImportTarget {
  /// The identity of the row with a key, as the database has it.
  func identity(of key: [SeedValue]) throws -> RowIdentity {
    var bytes: [UInt8] = []
    try LentBytes.lending(key) { try keyIdentity.describe($0, keyParts, to: &bytes) }
    return RowIdentity(table: table.name, key: bytes)
  }
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
  let slots: SlotSet
  /// Rows that it references: it comes with all of them, or none of them does.
  let references: [WaitingRow]
  var known: [ImportTarget] = []
  /// Rows that come once it is there.
  var elements: [WaitingRow] = []
  /// What its object says of the rows that belong to it.
  var claims: [ParentClaim] = []

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

  /// Where its values stand in the table.
  var columns: [Int] { target.table.columns.indices.filter(slots.contains) }

  /// Bytes that it takes in memory, roughly, without what lies nested in it.
  var size: Int {
    let texts = values.reduce(0) { size, value in
      switch value {
      case .text(let text): size + text.utf8.count
      case .blob(let bytes): size + bytes.count
      default: size
      }
    }
    return texts + MemoryLayout<SeedValue>.stride * values.count + identity.key.count + origin.json.count
  }

  func upsert() throws -> RowOutcome {
    let writer = try writer
    return try rejecting(target.table) { try LentBytes.lending(values) { try writer.upsert($0) } }
  }

  var key: [SeedValue] { get throws { try writer.shape.key.map { values[$0] } } }
}

/// A parent whose object named all its rows. If the parent is refused, its old rows stay.
struct ParentClaim {
  let sync: ParentSync
  let parent: [SeedValue]

  func suspend() throws { try LentBytes.lending(parent) { try sync.ledger.suspend($0) } }

  func withdraw() throws { try LentBytes.lending(parent) { try sync.ledger.withdraw($0) } }
}

/// A row that waited in vain.
struct Rejection {
  let row: WaitingRow
  /// The one to blame of those that are written together.
  let member: WaitingRow
  let refusal: RejectedRow
  /// The row that has its value, where that is certain.
  var holder: RowIdentity?
}

extension WaitingRow {
  enum Attempt {
    case written([RowOutcome])
    /// Another row has a unique value of this member's.
    case tooEarly(WaitingRow)
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
          return .tooEarly(member)
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

extension WaitingRow {
  /// Who has the unique value: to be asked after an attempt that came too early, when all is as it was before.
  func conflict() throws -> UniqueRefusal {
    let message = try writer.takenMessage
    let old = try LentBytes.lending(values) { try writer.stored($0) }
    return try conflict(RejectedRow(taken: message, target.table), over: old)
  }

  /// Who has the unique value; `old` is what the row would replace, where that is known.
  func conflict(_ refusal: RejectedRow, over old: [SeedValue]?) throws -> UniqueRefusal {
    guard refusal.code == .unique else { return UniqueRefusal(refusal: refusal) }
    let values = try LentBytes.lending(values) { try writer.filled($0, over: old) }
    guard let conflict = try target.conflicts.conflict(of: refusal.message, values) else {
      return UniqueRefusal(refusal: refusal)
    }
    return UniqueRefusal(
      refusal: RejectedRow(.unique, conflict.words, column: refusal.column), holder: conflict.holder)
  }
}

/// Why a unique value is not to be had, and the key of the row that has it, where that is certain.
struct UniqueRefusal {
  let refusal: RejectedRow
  var holder: [SeedValue]?
}

/// What becomes of rows that waited: keys of those that are in, issues of those that waited in vain.
final class WaitingOutcome {
  private let policy: ImportPolicy
  private let issues: IssueCollector
  private var rejections: [Rejection] = []
  /// Of rows that are too many to be kept: they come in the document's order as far as they can be told at once.
  var tellsAtOnce = false

  init(_ policy: ImportPolicy, _ issues: IssueCollector) {
    self.policy = policy
    self.issues = issues
  }

  func note(_ row: WaitingRow, _ outcomes: [RowOutcome]) throws {
    for target in row.members.flatMap(\.known) { target.recognised += 1 }
    guard policy.reportsKeys else { return }
    for (member, outcome) in zip(row.members, outcomes) { member.target.keys.note(try member.key, outcome) }
  }

  func reject(_ rejection: Rejection) throws {
    if tellsAtOnce { try tell(rejection) } else { rejections.append(rejection) }
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
    for claim in row.tree.flatMap(\.claims) { try claim.withdraw() }
    // As with rows that never waited: the referenced row is the one with the issue.
    if member !== row { row.target.rejected += 1 }
    try issues.reject(member.target, refusal, row.origin.place, row: RowContent(value: row.origin.json))
  }
}
