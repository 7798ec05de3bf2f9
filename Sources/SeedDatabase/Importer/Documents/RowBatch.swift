import SeedFormat

/// Rows of one table that are written by one statement.
///
/// They are lent: whoever owns their bytes writes the batch before those go. Rows of one batch fill the same
/// columns. A batch is written whole or not at all; where SQLite refuses a row, its caller writes them one by
/// one, which tells which it is.
final class RowBatch {
  /// One row's place, without its document: a batch is written before the document ends.
  struct Place {
    let row: Int
    let offset: Int
    /// Behind the document's row that it is part of.
    let end: Int
  }

  private(set) var counts = TableChanges()
  /// Statements that were run.
  private(set) var statements = 0
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var shape: BatchShape?
  private var shapes: [SlotSet: BatchShape?] = [:]
  private let table: TableSchema
  private let rule: ConflictRule
  private let connection: Connection
  private let supply: RowSupply
  @exclusivity(unchecked) private var values: UnsafeMutablePointer<BorrowedValue>?
  private var places: UnsafeMutablePointer<Place>?
  private var outcomes: UnsafeMutablePointer<RowOutcome>?

  /// Values that a batch holds: enough that a statement's start costs nothing, and few of a processor's cache.
  private static let capacity = 8 * 1024

  init(_ table: TableSchema, _ rule: ConflictRule, _ supply: RowSupply, _ connection: Connection) {
    self.table = table
    self.rule = rule
    self.supply = supply
    self.connection = connection
  }

  deinit {
    values?.deallocate()
    places?.deallocate()
    outcomes?.deallocate()
  }

  // MARK: Taking rows

  /// Whether the next row with these columns finds room beside those that are there.
  func hasRoom(for slots: SlotSet) -> Bool {
    guard count > 0, let shape else { return true }
    return shape.slots == slots && count < shape.capacity
  }

  /// Takes a row, for which there is room; false where it cannot be written by a batch.
  func take(_ plan: RowPlan, _ place: Place) throws -> Bool {
    guard let shape = try shape(plan.slots), let values, let places else { return false }
    let row = values + count &* shape.columns.count
    guard shape.copy(plan, to: row) else { return false }
    (places + count).initialize(to: place)
    count &+= 1
    return true
  }

  @inline(__always)
  private func shape(_ slots: SlotSet) throws -> BatchShape? {
    if let shape, shape.slots == slots { return shape }
    let found = try shapes[slots] ?? BatchShape(table, slots, connection, capacity: Self.capacity)
    shapes[slots] = .some(found)
    if let found {
      shape = found
      reserve()
    }
    return found
  }

  private func reserve() {
    guard values == nil else { return }
    values = .allocate(capacity: Self.capacity)
    places = .allocate(capacity: Self.capacity)
    outcomes = .allocate(capacity: Self.capacity)
  }

  // MARK: Writing them

  /// Writes all rows; an error that one of them may be the reason of is returned, and none is written then.
  func write() throws -> DatabaseError? {
    guard count > 0, let shape, let values, let outcomes else { return nil }
    statements += 1
    try connection.cached("SAVEPOINT seedbank_batch").run()
    let error = supply.lend(values, columns: shape.columns.count, count: count, outcomes, rule) {
      shape.run()
    }
    guard let error else {
      try connection.cached("RELEASE seedbank_batch").run()
      note(outcomes)
      return nil
    }
    guard error.primaryCode == ResultCode.constraint || error.primaryCode == ResultCode.mismatch else {
      throw error
    }
    try connection.execute("ROLLBACK TO seedbank_batch; RELEASE seedbank_batch")
    return error
  }

  private func note(_ outcomes: UnsafeMutablePointer<RowOutcome>) {
    for row in 0..<count {
      switch outcomes[row] {
      case .inserted: counts.inserted += 1
      case .updated: counts.updated += 1
      case .unchanged, .setAside: counts.unchanged += 1
      }
    }
  }

  /// Forgets the rows.
  func clear() { count = 0 }

  // MARK: Looking at them

  /// The columns that all rows fill.
  var slots: SlotSet { shape?.slots ?? SlotSet() }

  func outcome(_ row: Int) -> RowOutcome { outcomes?[row] ?? .unchanged }

  func place(_ row: Int) -> Place { places?[row] ?? Place(row: 0, offset: 0, end: 0) }

  /// The row's values, in the order of the table's columns.
  func row(_ row: Int) -> [BorrowedValue] {
    guard let shape, let values else { return [] }
    return Array(UnsafeBufferPointer(start: values + row * shape.columns.count, count: shape.columns.count))
  }

  func key(_ row: Int) -> [BorrowedValue] {
    guard let shape, let values else { return [] }
    return shape.key.map { values[row * shape.columns.count + $0] }
  }
}

/// The columns that a batch's rows fill, with the statement that writes them.
final class BatchShape {
  let slots: SlotSet
  /// Indexes into the table's columns.
  let columns: [Int]
  /// Where the key's values stand in a row.
  let key: [Int]
  /// Rows that a batch takes.
  let capacity: Int
  private let affinities: [Affinity]
  private let upsert: Statement

  /// `nil` for rows that go their own way: they are too wide, or one whose key is there could be refused for
  /// what it leaves out, for an upsert begins as an insertion.
  init?(_ table: TableSchema, _ slots: SlotSet, _ connection: Connection, capacity: Int) throws {
    let columns = table.columns.indices.filter(slots.contains)
    let isRefusable = table.columns.indices.contains { column in
      !slots.contains(column) && table.columns[column].isNotNull && table.columns[column].defaultSQL == nil
        && !table.key.contains(column)
    }
    guard columns.count <= RowSupply.mostColumns, !isRefusable, table.key.allSatisfy(slots.contains) else {
      return nil
    }
    self.slots = slots
    self.columns = columns
    key = table.key.compactMap { columns.firstIndex(of: $0) }
    self.capacity = max(1, capacity / columns.count)
    affinities = columns.map { table.columns[$0].affinity }
    upsert = try connection.prepare(Self.sql(table, columns))
  }

  /// Copies the plan's row, which has its key; false where a value is not as its column would keep it.
  @inline(__always)
  func copy(_ plan: RowPlan, to row: UnsafeMutablePointer<BorrowedValue>) -> Bool {
    plan.copyRow(columns, affinities, to: row)
  }

  /// As a value: its caller decides whether it is a row's matter.
  func run() -> DatabaseError? {
    defer { upsert.rewind() }
    do throws(DatabaseError) {
      _ = try upsert.step()
      return nil
    } catch {
      return error
    }
  }

  private static func sql(_ table: TableSchema, _ columns: [Int]) -> String {
    let names = columns.map { quoted(table.columns[$0].name) }
    let supplied = columns.indices.map { "c\($0)" }
    let set = settable(table, columns).map { quoted(table.columns[$0].name) }
    return """
      INSERT INTO \(quoted(table.name)) (\(names.joined(separator: ", "))) \
      SELECT \(supplied.joined(separator: ", ")) FROM \(RowSupply.table) WHERE true \
      ON CONFLICT (\(table.keyNames.map(quoted).joined(separator: ", "))) \
      DO UPDATE SET \(set.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")) \
      WHERE \(RowSupply.differs)(\(names.map { "\(quoted(table.name)).\($0)" }.joined(separator: ", ")))
      """
  }

  /// Columns in which two rows of the same key can differ; equal keys may be spelled differently.
  private static func settable(_ table: TableSchema, _ columns: [Int]) -> [Int] {
    let others = columns.filter { column in
      guard let place = table.key.firstIndex(of: column) else { return true }
      switch table.columns[column].affinity {
      case .integer: return false
      case .text: return table.keyCollations[place] != .binary
      default: return true
      }
    }
    return others.isEmpty ? columns : others
  }
}
