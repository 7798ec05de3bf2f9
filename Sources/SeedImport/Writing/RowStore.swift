import SeedDatabase
import SeedFormat

final class RowStore {
  let waiting: WaitingRows
  private let policy: ImportPolicy
  private let bytes: LentBytes
  private let keys = KeyIdentity()
  // Unchecked as in ``RowPlan``: no accesses overlap.
  @exclusivity(unchecked) private var row: [BorrowedValue] = []
  private var keyBytes: [UInt8] = []
  private var rowBytes: [UInt8] = []

  init(_ connection: Connection, _ policy: ImportPolicy, _ bytes: LentBytes) {
    (self.policy, self.bytes) = (policy, bytes)
    waiting = WaitingRows(connection)
  }

  /// Whether the same row was written before, with no other row of its key in between.
  func isKnown(_ plan: RowPlan) throws -> Bool {
    try describe(plan)
    return plan.target.recent.contains(keyBytes, rowBytes)
  }

  func remember(_ plan: RowPlan) throws {
    try describe(plan)
    plan.target.recent.remember(keyBytes, rowBytes)
  }

  /// Writes the plan's row; returns false if it has to wait, and throws ``RejectedRow`` if it is rejected.
  func store(_ plan: RowPlan) throws -> Bool {
    let target = plan.target
    try target.seen?.insert(plan.key)
    try fillDefaults(plan)
    if target.recurs {
      try describeKey(plan)
      target.recent.forget(keyBytes)
    }
    // A row after a waiting one with its key also waits, or the older row would win.
    if !waiting.isEmpty, waiting.hasOlder(than: plan, try identity(of: plan)) { return false }
    let writer = try target.writer(plan.slots)
    row.removeAll(keepingCapacity: true)
    for column in writer.shape.columns { row.append(plan.value(column)) }
    let outcome = try rejecting(target.table) { try writer.upsert(row) }
    if case .taken = outcome { return false }
    if target.recurs { try remember(plan) }
    if policy.reportsKeys { target.keys.note(plan.key.map(\.owned), outcome) }
    return true
  }

  /// The unique conflict of the plan's row after ``store(_:)`` returned false.
  func conflict(_ plan: RowPlan) throws -> RejectedRow {
    let writer = try plan.target.writer(plan.slots)
    let refusal = RejectedRow(taken: writer.takenMessage, plan.table)
    let values = writer.shape.columns.map { plan.value($0) }
    let filled = try writer.filled(values, over: try writer.stored(values))
    let words = try plan.target.conflicts.conflict(of: refusal.message, filled)
    return RejectedRow(.unique, words ?? refusal.message, column: refusal.column)
  }

  /// Records a waiting row. The document mentions it, so it must not be deleted as missing.
  func mention(_ plan: RowPlan) throws {
    try plan.target.seen?.insert(plan.key)
    try fillDefaults(plan)
    waiting.note(plan, try identity(of: plan))
    plan.target.recent.forget(keyBytes)
  }

  func identity(of plan: RowPlan) throws -> Int {
    try describeKey(plan)
    return WaitingRows.identity(plan, keyBytes)
  }

  func fillDefaults(_ plan: RowPlan) throws {
    guard !plan.defaults.isEmpty || !plan.target.schemaDefaults.isEmpty else { return }
    for (column, value) in plan.target.schemaDefaults
    where !plan.slots.contains(column) && !plan.defaults.contains(where: { $0.column == column }) {
      plan.set(column, bytes.lend(value))
    }
    let missing = plan.defaults.filter { !plan.slots.contains($0.column) }
    guard !missing.isEmpty else { return }
    if plan.target.mode != .replace {
      let writer = try plan.target.writer(plan.slots)
      let values = writer.shape.columns.map { plan.value($0) }
      if try writer.contains(values) { return }
    }
    for item in missing { plan.set(item.column, bytes.lend(item.value)) }
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
    CanonicalRow.append(lent: row, to: &rowBytes)
  }
}

extension ImportReport.Keys {
  mutating func note(_ key: [SeedValue], _ outcome: RowOutcome) {
    switch outcome {
    case .inserted: inserted.append(key)
    case .updated: updated.append(key)
    case .unchanged: unchanged.append(key)
    case .taken: break
    }
  }
}
