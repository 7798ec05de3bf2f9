import SeedDatabase
import SeedFormat

final class RowStore {
  let waiting: WaitingRows
  private let keys = KeyIdentity()
  // Unchecked as in ``RowPlan``: no accesses overlap.
  @exclusivity(unchecked) private var row: [BorrowedValue] = []
  private var keyBytes: [UInt8] = []
  private var rowBytes: [UInt8] = []

  init(_ connection: Connection) { waiting = WaitingRows(connection) }

  /// Whether the plan's row and its referenced objects were already written and have not been overwritten since.
  func isKnown(_ plan: RowPlan, _ source: borrowing DocumentSource) throws -> Bool {
    try describe(plan)
    guard plan.target.recent.contains(keyBytes, rowBytes) else { return false }
    for (number, relation) in plan.relations.enumerated() where plan.holdsObject(number, source) {
      guard try isKnown(relation.plan, source) else { return false }
    }
    return true
  }

  func remember(_ plan: RowPlan) throws {
    try describe(plan)
    plan.target.recent.remember(keyBytes, rowBytes)
  }

  /// Writes the plan's row; returns false if it has to wait, and throws ``RejectedRow`` if it is rejected.
  func store(_ plan: RowPlan) throws -> Bool {
    let target = plan.target
    try target.seen?.insert(plan.key)
    if target.recurs {
      try describeKey(plan)
      target.recent.forget(keyBytes)
    }
    // If an older row with the same key is waiting, this row waits too. Otherwise the older row would overwrite it.
    if !waiting.isEmpty, waiting.hasOlder(than: plan, try identity(of: plan)) { return false }
    let shape = try plan.shape()
    shape.read(plan, into: &row)
    target.open(shape.batch)
    let outcome = try rejecting(target.table) { try shape.batch.writer.upsert(row) }
    if case .taken = outcome { return false }
    if target.recurs { try remember(plan) }
    return true
  }

  /// The unique conflict of the plan's row after ``store(_:)`` returned false.
  func conflict(_ plan: RowPlan) throws -> RejectedRow {
    let shape = try plan.shape()
    let writer = shape.batch.writer
    plan.target.open(shape.batch)
    var refusal = RejectedRow(taken: writer.takenMessage, plan.table)
    shape.read(plan, into: &row)
    let filled = try writer.filled(row, over: try writer.stored(row))
    refusal.message = try plan.target.conflicts.conflict(of: refusal.message, filled) ?? refusal.message
    return refusal
  }

  /// Records a waiting row. The document mentions it, so it must not be deleted as missing.
  func mention(_ plan: RowPlan) throws {
    try plan.target.seen?.insert(plan.key)
    waiting.note(plan, try identity(of: plan))
    plan.target.recent.forget(keyBytes)
  }

  func identity(of plan: RowPlan) throws -> Int {
    try describeKey(plan)
    var hasher = Hasher()
    hasher.combine(plan.table.name)
    hasher.combine(keyBytes)
    return hasher.finalize()
  }

  private func describeKey(_ plan: RowPlan) throws {
    try keys.describe(plan.key, plan.target.keyParts, to: &keyBytes)
  }

  private func describe(_ plan: RowPlan) throws {
    try describeKey(plan)
    row.removeAll(keepingCapacity: true)
    for column in plan.table.columns.indices where plan.slots.contains(column) {
      row.append(.integer(Int64(column)))
      row.append(plan.value(column))
    }
    CanonicalRow.write(lent: row, over: &rowBytes)
  }
}

/// A savepoint that also restores the counts of the tables written in it. Savepoints may be nested.
struct RowSavepoint {
  private let connection: Connection
  private let marks: [(target: ImportTarget, mark: ImportTarget.Mark)]

  init(_ connection: Connection, _ targets: [ImportTarget]) throws {
    self.connection = connection
    var known: Set<ObjectIdentifier> = []
    marks = targets.filter { known.insert(ObjectIdentifier($0)).inserted }.map { ($0, $0.mark) }
    try connection.cached("SAVEPOINT seedbank_rows").run()
  }

  func keep() throws { try connection.cached("RELEASE seedbank_rows").run() }

  func takeBack() throws {
    try connection.cached("ROLLBACK TO seedbank_rows").run()
    try keep()
    for mark in marks { mark.target.restore(mark.mark) }
  }
}
