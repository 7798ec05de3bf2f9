import SeedDatabase
import SeedFormat

/// A counter of the objects that name a parent's rows, across all relations; see ``ParentLedger``.
final class TurnCounter {
  @exclusivity(unchecked) var latest: Int64 = 0
}

/// Finds parents that lost nested rows. After a batch is written, a parent has lost none if it has as many rows as
/// its object named. Only the other parents go to the ledger.
final class ParentSync {
  let target: ImportTarget
  let ledger: ParentLedger
  private let parentWidth: Int
  private let count: Statement
  /// Whether an index finds a parent's rows; without one, a count would scan the table.
  private let isIndexed: Bool
  private let turns: TurnCounter
  @exclusivity(unchecked) private var stretch: ParentStretch

  /// Each collected parent's key and turn.
  @exclusivity(unchecked) private var parents: [BorrowedValue] = []
  /// Each parent's number of named rows; `nil` if it must always be checked.
  @exclusivity(unchecked) private var counts: [Int64?] = []
  /// Each named row's key and its parent's turn.
  @exclusivity(unchecked) private var rows: [BorrowedValue] = []
  /// The index of each parent's first row in `rows`.
  @exclusivity(unchecked) private var starts: [Int] = []
  /// The keys of rows that the document names elsewhere, each with its turn.
  @exclusivity(unchecked) private var others: [BorrowedValue] = []
  /// The latest parent that named a row, by the hash of the row's key.
  @exclusivity(unchecked) private var namers: [Int: Int] = [:]

  /// In `namers`, the index for rows that the document names elsewhere.
  private static let outside = -1

  init(
    _ target: ImportTarget, parent: [Int], constants: [(column: Int, value: SeedValue)], number: Int,
    _ connection: Connection, _ turns: TurnCounter
  ) throws {
    (self.target, self.turns) = (target, turns)
    parentWidth = parent.count + 1
    let table = target.table
    let scope = constants.map { "\(table.qualified($0.column)) IS \($0.value.literal)" }
    ledger = try ParentLedger(table, parent: parent, scope: scope, number: number, connection)
    let own = parent.map { "\(table.qualified($0)) = ?" } + scope
    count = try connection.prepare(
      "SELECT count(*) FROM \(quoted(table.name)) WHERE \(own.joined(separator: " AND "))")
    stretch = try ParentStretch(table, parent, scope: scope, connection)
    isIndexed = SchemaReader(connection).hasIndex(
      parent.map { (table.columns[$0].name, table.columns[$0].collation) }, of: table)
  }

  // MARK: Single rows

  /// Begins a parent's object; its rows are named next. If `loses` is false, the parent also keeps its other rows.
  func begin(_ parent: [BorrowedValue], loses: Bool) throws -> Int64 {
    turns.latest += 1
    if loses { try ledger.enter(parent + [.integer(turns.latest)]) } else { try ledger.withdraw(parent) }
    return turns.latest
  }

  // MARK: Batches

  typealias Mark = (rows: Int, starts: Int, others: Int)

  var mark: Mark { (rows.count, starts.count, others.count) }

  func restore(_ mark: Mark) {
    parents.removeSubrange((mark.starts * parentWidth)...)
    counts.removeSubrange(mark.starts...)
    rows.removeSubrange(mark.rows...)
    starts.removeSubrange(mark.starts...)
    others.removeSubrange(mark.others...)
  }

  func clear() {
    restore((0, 0, 0))
    stretch.clear()
  }

  func open(_ parent: [BorrowedValue]) {
    turns.latest += 1
    starts.append(rows.count)
    stretch.add(parent)
    parents.append(contentsOf: parent)
    parents.append(.integer(turns.latest))
    counts.append(nil)
  }

  @inline(__always)
  func add(_ plan: RowPlan) {
    for column in target.key { rows.append(plan.value(column)) }
    rows.append(.integer(turns.latest))
  }

  func close() {
    guard let start = starts.last else { return }
    counts[counts.count - 1] = Int64((rows.count - start) / rowWidth)
  }

  func addOther(_ plan: RowPlan) {
    for column in target.key { others.append(plan.value(column)) }
    others.append(.integer(ParentLedger.always))
  }

  private var rowWidth: Int { target.key.count + 1 }

  // MARK: Parents after a batch

  /// Whether each parent may have rows that it did not name. An equal count proves nothing if a named row belongs to
  /// another parent. This happens if both parents named it, or if the conflict rule keeps it there.
  private func suspects() throws -> [Bool] {
    guard isIndexed, target.rule != .keep, arePlain else { return starts.map { _ in true } }
    let areDistinct = markRepeated()
    if areDistinct, try stretch.holds(exactly: rows.count / rowWidth) { return starts.map { _ in false } }
    return try starts.indices.map(hasOtherCount)
  }

  /// Whether equal keys are always equal byte for byte.
  private var arePlain: Bool {
    let parts = target.keyParts
    for row in stride(from: 0, to: rows.count, by: rowWidth) {
      for (column, part) in parts.enumerated() where !KeyIdentity.isPlain(rows[row + column], part) {
        return false
      }
    }
    return true
  }

  /// Marks the parents of each row that is named twice. Returns true if no row is named twice.
  private func markRepeated() -> Bool {
    var areDistinct = true
    namers.removeAll(keepingCapacity: true)
    let width = target.key.count
    for row in stride(from: 0, to: others.count, by: rowWidth) {
      namers[Self.hash(others[row..<row + width])] = Self.outside
    }
    for parent in starts.indices {
      let end = parent + 1 < starts.count ? starts[parent + 1] : rows.count
      for row in stride(from: starts[parent], to: end, by: rowWidth) {
        let hash = Self.hash(rows[row..<row + width])
        guard let other = namers.updateValue(parent, forKey: hash) else { continue }
        areDistinct = false
        for number in [parent, other] where number != Self.outside { counts[number] = nil }
      }
    }
    return areDistinct
  }

  /// If different keys have equal hashes, the only cost is an extra count.
  private static func hash(_ key: ArraySlice<BorrowedValue>) -> Int {
    var hasher = Hasher()
    for value in key {
      switch value {
      case .integer(let value): hasher.combine(value)
      case .real(let value): hasher.combine(value)
      case .text(let bytes), .blob(let bytes): hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
      case .null: break
      }
    }
    return hasher.finalize()
  }

  /// After the batch is written, adds to the ledger each parent that may have lost rows.
  func settle() throws {
    defer { clear() }
    try ledger.name(others)
    guard !parents.isEmpty else { return }
    let suspects = try suspects()
    // In order, because the latest object of a parent takes precedence.
    var start = 0
    while start < suspects.count {
      let end = suspects[start...].firstIndex(of: !suspects[start]) ?? suspects.count
      if suspects[start] { try enter(start..<end) } else { try withdraw(start..<end) }
      start = end
    }
  }

  private func enter(_ range: Range<Int>) throws {
    try ledger.enter(values(of: range))
    let end = range.upperBound < starts.count ? starts[range.upperBound] : rows.count
    try ledger.name(rows[starts[range.lowerBound]..<end])
  }

  /// Withdraws earlier entries of parents that lost no rows.
  private func withdraw(_ range: Range<Int>) throws {
    if ledger.hasParents { try ledger.withdraw(range.flatMap(key)) }
  }

  private func values(of range: Range<Int>) -> ArraySlice<BorrowedValue> {
    parents[range.lowerBound * parentWidth..<range.upperBound * parentWidth]
  }

  private func key(of parent: Int) -> ArraySlice<BorrowedValue> { values(of: parent..<parent + 1).dropLast() }

  private func hasOtherCount(_ parent: Int) throws -> Bool {
    guard let named = counts[parent] else { return true }
    for (place, value) in key(of: parent).enumerated() { try count.lend(value, at: Int32(place + 1)) }
    defer { count.rewind() }
    return try !count.step() || count.value(0) != .integer(named)
  }
}

/// A batch's parents as a range of integer keys. One count over the range can prove that no parent lost a row.
struct ParentStretch {
  private let count: Statement?
  private var first: Int64?
  private var last: Int64 = 0
  private var isRising = true
  /// The number of batches to skip, because other parents have keys in the range.
  private var pause = 0

  private static let longestPause = 16

  init(_ table: TableSchema, _ parent: [Int], scope: [String], _ connection: Connection) throws {
    guard parent.count == 1, table.columns[parent[0]].affinity == .integer else {
      count = nil
      return
    }
    let condition = (["\(table.qualified(parent[0])) BETWEEN ? AND ?"] + scope).joined(separator: " AND ")
    count = try connection.prepare(
      "SELECT count(*) FROM (SELECT 1 FROM \(quoted(table.name)) WHERE \(condition) LIMIT ?)")
  }

  mutating func clear() { (first, isRising) = (nil, true) }

  mutating func add(_ parent: [BorrowedValue]) {
    guard isRising, count != nil, case .integer(let key) = parent[0] else {
      isRising = false
      return
    }
    if first == nil { first = key } else { isRising = key > last }
    last = key
  }

  /// Whether all parents in the range together have `rows` rows; false if this is unknown. If true and if the named
  /// rows are distinct, no parent has other rows.
  mutating func holds(exactly rows: Int) throws -> Bool {
    guard let count, let first, isRising else { return false }
    guard pause == 0 else {
      pause -= 1
      return false
    }
    defer { count.reset() }
    try count.bind([.integer(first), .integer(last), .integer(Int64(rows) + 1)])
    let holds = try count.step() && count.value(0) == .integer(Int64(rows))
    if !holds { pause = Self.longestPause }
    return holds
  }
}
