import SeedDatabase
import SeedFormat

/// A batch's parents as a range of integers, which their keys usually are. One count over the range then proves that no
/// parent lost a row.
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

  /// Whether all parents in the range together have `rows` rows. If each parent occurs once and these rows are
  /// different, no parent has another row. Returns false if that is not known.
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
