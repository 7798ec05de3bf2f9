import SeedFormat

/// Writes single rows, each into its table by the writer of its shape, and keeps those that have to wait.
///
/// A row waits whose unique value is held by another row: perhaps that row is about to change too.
final class RowStore {
  private(set) var deferred: [Deferred] = []
  private let issues: IssueCollector
  private let policy: ImportPolicy
  private let bytes: LentBytes
  // As in ``RowPlan``: no other access can happen during one of these.
  @exclusivity(unchecked) private var row: [BorrowedValue] = []
  private var keyBytes: [UInt8] = []
  private var rowBytes: [UInt8] = []
  @exclusivity(unchecked) private var waitingKeys: Set<[UInt8]> = []

  struct Deferred {
    let target: ImportTarget
    let slots: SlotSet
    let values: [SeedValue]
    let place: RowPlace
  }

  init(_ policy: ImportPolicy, _ issues: IssueCollector, _ bytes: LentBytes) {
    self.policy = policy
    self.issues = issues
    self.bytes = bytes
  }

  /// Whether the very same row came before, and none with its key in between.
  func isKnown(_ plan: RowPlan) -> Bool {
    describe(plan)
    return plan.target.recent.contains(keyBytes, rowBytes)
  }

  /// Remembers that the plan's row is the latest with its key.
  func remember(_ plan: RowPlan) {
    describe(plan)
    plan.target.recent.remember(keyBytes, rowBytes)
  }

  func forget(from count: Int) { deferred.removeSubrange(count...) }

  /// Writes the row that the plan holds; a ``Refusal`` says why not.
  func store(_ plan: RowPlan, _ place: RowPlace) throws {
    let target = plan.target
    try target.seen?.insert(plan.key)
    try fillDefaults(plan)
    if target.recurs {
      describe(plan)
      target.recent.forget(keyBytes)
    }
    let writer = try target.writer(plan.slots)
    row.removeAll(keepingCapacity: true)
    for column in writer.shape.columns { row.append(plan.value(column)) }
    guard waitingKeys.isEmpty || !isWaiting(plan) else { return wait(plan, place) }
    let outcome = try refusing(target.table) { try writer.upsert(row) }
    if case .setAside = outcome {
      writer.dropSetAside()
      return wait(plan, place)
    }
    if target.recurs { remember(plan) }
    if policy.reportsKeys { target.keys.note(plan.key.map(\.owned), outcome) }
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

  /// The key and the row as bytes that are equal where the rows are.
  private func describe(_ plan: RowPlan) {
    CanonicalRow.append(lent: plan.key, to: &keyBytes)
    row.removeAll(keepingCapacity: true)
    for column in plan.table.columns.indices where plan.slots.contains(column) {
      row.append(.integer(Int64(column)))
      row.append(plan.value(column))
    }
    CanonicalRow.append(lent: row, to: &rowBytes)
  }

  /// What SQLite refuses about a row, as the row's issue; everything else is the import's end.
  private func refusing<Result>(_ table: TableSchema, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ImportError {
      throw Refusal(error, table)
    } catch let error as DatabaseError {
      guard error.primaryCode == ResultCode.mismatch else { throw error }
      throw Refusal(.typeMismatch, error.message)
    }
  }

  // MARK: Rows that wait

  /// A row behind one that waits has to wait too, or the older would win.
  private func isWaiting(_ plan: RowPlan) -> Bool {
    CanonicalRow.append(lent: plan.key, to: &keyBytes)
    return waitingKeys.contains(plan.target.table.name.utf8 + keyBytes)
  }

  private func wait(_ plan: RowPlan, _ place: RowPlace) {
    CanonicalRow.append(lent: plan.key, to: &keyBytes)
    waitingKeys.insert(plan.target.table.name.utf8 + keyBytes)
    plan.target.hasWaitingRows = true
    deferred.append(
      Deferred(target: plan.target, slots: plan.slots, values: row.map(\.owned), place: place))
  }

  /// Writes the rows that wait, as long as one of them finds its values free; what remains goes in a ring.
  func resolveDeferred(_ connection: Connection) throws {
    waitingKeys = []
    for item in deferred { item.target.hasWaitingRows = false }
    var remaining = deferred
    deferred = []
    while !remaining.isEmpty {
      let waiting = try remaining.filter { try !retry($0) }
      if waiting.count == remaining.count { return try exchange(waiting, connection) }
      remaining = waiting
    }
  }

  /// False where the row still has to wait.
  private func retry(_ item: Deferred) throws -> Bool {
    let writer = try item.target.writer(item.slots)
    var block = ByteBlock()
    do {
      let outcome = try refusing(item.target.table) { try writer.upsert(block.lend(item.values)) }
      if case .setAside = outcome {
        writer.dropSetAside()
        return false
      }
      if policy.reportsKeys { item.target.keys.note(key(item, writer), outcome) }
    } catch let refusal as Refusal {
      try reject(item, refusal)
    }
    return true
  }

  private func key(_ item: Deferred, _ writer: TableWriter) -> [SeedValue] {
    writer.shape.key.map { item.values[$0] }
  }

  /// Rows that hold each other's values: all of them go, then all of them come; or none, each an issue.
  private func exchange(_ items: [Deferred], _ connection: Connection) throws {
    let targets = items.reduce(into: [String: ImportTarget]()) { $0[$1.target.table.name] = $1.target }.values
    let marks = targets.map { ($0, $0.mark) }
    try connection.execute("SAVEPOINT seedbank_exchange")
    do {
      try swap(items)
      try connection.execute("RELEASE seedbank_exchange")
    } catch is ImportError {
      try connection.execute("ROLLBACK TO seedbank_exchange; RELEASE seedbank_exchange")
      for (target, mark) in marks { target.restore(mark) }
      for item in items {
        try item.target.writer(item.slots).dropSetAside()
        try reject(item, Refusal(.unique, "another row has a value that may occur only once"))
      }
    }
  }

  private func swap(_ items: [Deferred]) throws {
    var writers: [ObjectIdentifier: TableWriter] = [:]
    for item in items {
      let writer = try item.target.writer(item.slots)
      var block = ByteBlock()
      try writer.upsert(block.lend(item.values))
      writers[ObjectIdentifier(writer)] = writer
      if policy.reportsKeys { item.target.keys.note(key(item, writer), .updated) }
    }
    for writer in writers.values { try writer.removeSetAside() }
    for writer in writers.values { try writer.insertSetAside() }
  }

  private func reject(_ item: Deferred, _ refusal: Refusal) throws {
    let writer = try item.target.writer(item.slots)
    var refusal = refusal
    refusal.key = rowDescription(item.target.table.keyNames, key(item, writer))
    try issues.reject(item.target, refusal, item.place, row: [])
  }
}

extension ImportReport.Keys {
  mutating func note(_ key: [SeedValue], _ outcome: RowOutcome) {
    switch outcome {
    case .inserted: inserted.append(key)
    case .updated: updated.append(key)
    case .unchanged: unchanged.append(key)
    case .setAside: break
    }
  }
}

extension ResultCode {
  /// SQLITE_MISMATCH: something else than an integer for an INTEGER PRIMARY KEY.
  static let mismatch: Int32 = 20
}

extension Refusal {
  /// What a writer says of one row.
  init(_ error: ImportError, _ table: TableSchema) {
    switch error {
    case .constraint(_, let key, let message):
      self.init(Self.code(message), message, column: Self.column(message, table), key: key)
    case .nullInKey(_, let column): self.init(.missingKey, error.description, column: column)
    default: self.init(.check, error.description)
    }
  }

  /// SQLite's messages of constraints begin with their kind, and name the column behind a colon.
  private static func code(_ message: String) -> ImportIssue.Code {
    if message.hasPrefix("NOT NULL") { return .notNull }
    if message.hasPrefix("UNIQUE") { return .unique }
    if message.hasPrefix("CHECK") { return .check }
    return message.hasPrefix("cannot store") ? .typeMismatch : .conflict
  }

  private static func column(_ message: String, _ table: TableSchema) -> String? {
    table.columnNames.first {
      message.hasSuffix(": \(table.name).\($0)") || message.hasSuffix("column \(table.name).\($0)")
    }
  }
}
