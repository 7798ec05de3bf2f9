import SeedDatabase
import SeedFormat

/// Rows of one table; one statement writes each run of rows that fill the same columns. The rows are lent, so the owner
/// of their bytes must write the batch before it frees them.
final class TableBatch {
  /// The contents of a batch at a point in time, to roll back to.
  typealias Mark = (segments: Int, latest: Int, used: Int, recognised: Int)

  private struct Segment {
    let shape: BatchShape
    let start: Int
    var rows: Int
  }

  private(set) var counts = TableChanges()
  private(set) var statements = 0
  /// Rows equal to an earlier one, which need not be written.
  @exclusivity(unchecked) var recognised = 0
  @exclusivity(unchecked) private(set) var used = 0
  @exclusivity(unchecked) private var segments: [Segment] = []
  @exclusivity(unchecked) private var values: UnsafeMutablePointer<BorrowedValue>
  @exclusivity(unchecked) private var capacity: Int
  private var outcomes: [RowOutcome] = []
  private let rule: ConflictRule
  private let supply: RowSupply

  private static let initialCapacity = 1024

  init(_ rule: ConflictRule, _ supply: RowSupply) {
    self.rule = rule
    self.supply = supply
    capacity = Self.initialCapacity
    values = .allocate(capacity: capacity)
  }

  deinit { values.deallocate() }

  // MARK: Adding rows

  /// Adds the plan's row; returns false if its column would convert a value.
  func take(_ plan: RowPlan, _ shape: BatchShape) -> Bool {
    if used &+ shape.width > capacity { grow(to: used + shape.width) }
    guard shape.copy(plan, to: values + used) else { return false }
    if let latest = segments.last, latest.shape === shape {
      segments[segments.count &- 1].rows &+= 1
    } else {
      segments.append(Segment(shape: shape, start: used, rows: 1))
    }
    used &+= shape.width
    return true
  }

  private func grow(to needed: Int) {
    capacity = max(needed, 2 * capacity)
    let larger = UnsafeMutablePointer<BorrowedValue>.allocate(capacity: capacity)
    larger.update(from: values, count: used)
    values.deallocate()
    values = larger
  }

  var isEmpty: Bool { used == 0 && recognised == 0 }

  var mark: Mark { (segments.count, segments.last?.rows ?? 0, used, recognised) }

  func restore(_ mark: Mark) {
    segments.removeSubrange(mark.segments...)
    if !segments.isEmpty { segments[segments.count - 1].rows = mark.latest }
    (used, recognised) = (mark.used, mark.recognised)
  }

  func clear() {
    segments.removeAll(keepingCapacity: true)
    (used, recognised) = (0, 0)
  }

  // MARK: Writing rows

  /// Runs the statements. Returns SQLite's error, so that the caller can roll back.
  func write(_ seen: SeenKeys?) throws -> DatabaseError? {
    outcomes.removeAll(keepingCapacity: true)
    for segment in segments {
      let first = outcomes.count
      outcomes.append(contentsOf: repeatElement(.inserted, count: segment.rows))
      let error = try outcomes.withUnsafeMutableBufferPointer { outcomes in
        try supply.lend(
          SuppliedRows(
            values: values + segment.start, columns: segment.shape.width, count: segment.rows,
            outcomes: outcomes.baseAddress.map { $0 + first }, rule: rule)
        ) { try run(segment.shape, seen) }
      }
      if let error { return error }
    }
    return nil
  }

  private func run(_ shape: BatchShape, _ seen: SeenKeys?) throws -> DatabaseError? {
    statements += 1
    if let seen {
      statements += 1
      try shape.mention(in: seen)
    }
    return shape.run()
  }

  func count(_ keys: inout ImportReport.Keys, notesKeys: Bool) {
    counts.unchanged += recognised
    for outcome in outcomes {
      switch outcome {
      case .inserted: counts.inserted += 1
      case .updated: counts.updated += 1
      case .unchanged, .taken: counts.unchanged += 1
      }
    }
    guard notesKeys else { return }
    var number = 0
    for segment in segments {
      for row in 0..<segment.rows {
        let start = segment.start + row * segment.shape.width
        keys.note(segment.shape.key.map { values[start + $0].owned }, outcomes[number])
        number += 1
      }
    }
  }
}

/// The columns that a batch's rows fill, with the statement that writes them.
final class BatchShape {
  let slots: SlotSet
  let width: Int
  let key: [Int]
  let columns: [Int]
  private let affinities: [Affinity]
  private let defaults: [BorrowedValue]
  private let bytes = LentBytes()
  private let upsert: Statement
  private var mention: Statement?

  /// Fails for rows that must be written alone: rows that are too wide, and rows for an existing key that could be
  /// rejected for an omitted column, because an upsert starts as an insertion.
  init?(_ plan: RowPlan, _ slots: SlotSet, _ connection: Connection) throws {
    let table = plan.table
    let columns = table.columns.indices.filter(slots.contains)
    let defaults = plan.defaults.filter { !slots.contains($0.column) }
    let filled = columns + defaults.map(\.column)
    let isRefusable = table.columns.indices.contains { column in
      table.columns[column].isNotNull && table.columns[column].defaultSQL == nil
        && !table.key.contains(column) && !filled.contains(column)
    }
    guard filled.count <= RowSupply.mostColumns, !isRefusable else { return nil }
    self.slots = slots
    self.columns = columns
    width = filled.count
    key = table.key.compactMap { columns.firstIndex(of: $0) }
    affinities = columns.map { table.columns[$0].affinity }
    upsert = try connection.prepare(Self.sql(table, columns, filled))
    let bytes = bytes
    self.defaults = defaults.map { bytes.lend($0.value) }
  }

  @inline(__always)
  func copy(_ plan: RowPlan, to row: UnsafeMutablePointer<BorrowedValue>) -> Bool {
    guard plan.copyRow(columns, affinities, to: row) else { return false }
    for (place, value) in defaults.enumerated() { (row + columns.count + place).initialize(to: value) }
    return true
  }

  func mention(in seen: SeenKeys) throws {
    let statement = try mention ?? seen.mentioning(key)
    mention = statement
    if let error = statement.attempt() { throw error }
  }

  /// Returns the error, because the caller decides whether a row caused it.
  func run() -> DatabaseError? { upsert.attempt() }

  /// Only `columns` are compared, and updated in an existing row. ABORT, as in ``TableSQL``.
  private static func sql(_ table: TableSchema, _ columns: [Int], _ filled: [Int]) -> String {
    let names = { (columns: [Int]) in columns.map { quoted(table.columns[$0].name) } }
    let list = { (parts: [String]) in parts.joined(separator: ", ") }
    return """
      INSERT OR ABORT INTO \(quoted(table.name)) (\(list(names(filled)))) \
      SELECT \(list(filled.indices.map { "c\($0)" })) FROM \(RowSupply.table) WHERE true \
      ON CONFLICT (\(list(names(table.key)))) \
      DO UPDATE SET \(list(names(settable(table, columns)).map { "\($0) = excluded.\($0)" })) \
      WHERE \(RowSupply.differs)(\(list(names(columns).map { "\(quoted(table.name)).\($0)" })))
      """
  }

  /// Columns in which two rows with the same key can differ; equal keys may have different spellings.
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
