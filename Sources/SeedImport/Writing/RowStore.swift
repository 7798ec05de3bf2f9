import SeedDatabase
import SeedFormat

/// Writes single rows, each into its table by the writer of its shape.
final class RowStore {
  let waiting: WaitingRows
  /// Rows that had to wait so far.
  private(set) var held = 0
  private let policy: ImportPolicy
  private let bytes: LentBytes
  private let identity = KeyIdentity()
  // As in ``RowPlan``: no other access can happen during one of these.
  @exclusivity(unchecked) private var row: [BorrowedValue] = []
  private var keyBytes: [UInt8] = []
  private var rowBytes: [UInt8] = []

  init(
    _ connection: Connection, _ policy: ImportPolicy, _ issues: IssueCollector, _ hooks: ImportHooks,
    _ bytes: LentBytes
  ) {
    self.policy = policy
    self.bytes = bytes
    waiting = WaitingRows(connection, policy, issues, hooks)
  }

  /// Whether the very same row came before, and none with its key in between.
  func isKnown(_ plan: RowPlan) throws -> Bool {
    try describe(plan)
    return plan.target.recent.contains(keyBytes, rowBytes)
  }

  func remember(_ plan: RowPlan) throws {
    try describe(plan)
    plan.target.recent.remember(keyBytes, rowBytes)
  }

  /// Writes the row that the plan holds; false where it has to wait. A ``RejectedRow`` says why it is not written.
  func store(_ plan: RowPlan) throws -> Bool {
    let target = plan.target
    try target.seen?.insert(plan.key)
    try fillDefaults(plan)
    if target.recurs {
      try describeKey(plan)
      target.recent.forget(keyBytes)
    }
    guard try !isBehindOther(plan) else { return false }
    let writer = try target.writer(plan.slots)
    row.removeAll(keepingCapacity: true)
    for column in writer.shape.columns { row.append(plan.value(column)) }
    let outcome = try rejecting(target.table) { try writer.upsert(row) }
    if case .taken = outcome { return false }
    if target.recurs { try remember(plan) }
    if policy.reportsKeys { target.keys.note(plan.key.map(\.owned), outcome) }
    return true
  }

  /// A row behind one that waits has to wait too, or the older would win.
  private func isBehindOther(_ plan: RowPlan) throws -> Bool {
    guard !waiting.isEmpty else { return false }
    try describeKey(plan)
    return waiting.isOlder(than: plan, key: keyBytes)
  }

  func isSettled(_ plan: RowPlan) throws -> Bool {
    try fillDefaults(plan)
    guard try !isBehindOther(plan) else { return false }
    let writer = try plan.target.writer(plan.slots)
    return try writer.isUnchanged(writer.shape.columns.map { plan.value($0) })
  }

  func hold(_ plan: RowPlan, _ references: [WaitingRow], _ place: RowPlace, json: [UInt8]) throws
    -> WaitingRow
  {
    try fillDefaults(plan)
    try describeKey(plan)
    let columns = try plan.target.writer(plan.slots).shape.columns
    held += 1
    return WaitingRow(
      plan.target, plan.slots, columns.map { plan.value($0).owned }, key: keyBytes, references,
      WaitingRow.Origin(number: held, place: place, json: json))
  }

  /// What new rows take where the document says nothing.
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
    try identity.describe(plan.key, plan.target.keyParts, to: &keyBytes)
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
