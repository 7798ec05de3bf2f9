import SeedDatabase
import SeedFormat

protocol OrderedRows: AnyObject {
  /// The current row, valid until the next call of `next()`.
  var row: [BorrowedValue] { get }
  func next() throws -> Bool
}

extension ProjectedRows: OrderedRows {}

/// The stored rows that a statement finds for each of the given keys. Without keys, all rows that it returns.
final class StatementRows: OrderedRows {
  @exclusivity(unchecked) private var rows: KeyedRows
  @exclusivity(unchecked) private(set) var row: [BorrowedValue] = []

  init(_ statement: Statement, keys: [[SeedValue]] = [[]]) { rows = KeyedRows(statement, keys) }

  func next() throws -> Bool {
    guard try rows.next() else { return false }
    rows.statement.borrowRow(into: &row)
    return true
  }
}

/// Compares two states of a table in one pass in key order. A side is `nil` if it lacks the table.
struct RowMerge<Old: OrderedRows, New: OrderedRows> {
  /// The result of comparing the sides' current rows. If the keys differ, only one side has a row with the lower key.
  enum Match { case onlyOld, onlyNew, different, same }

  private let old: Old?
  private let new: New?
  private let order: KeyOrder
  private var (hasOld, hasNew) = (false, false)
  private var last = Match.same
  /// The positions of the values in which two ``Match/different`` rows differ.
  private(set) var changed: [Int] = []

  init(_ table: TableSchema, old: Old?, new: New?) {
    (self.old, self.new) = (old, new)
    order = KeyOrder(table)
  }

  mutating func next() throws -> Match? {
    if last != .onlyNew { hasOld = try old?.next() ?? false }
    if last != .onlyOld { hasNew = try new?.next() ?? false }
    guard hasOld || hasNew else { return nil }
    last = match()
    return last
  }

  private mutating func match() -> Match {
    guard hasNew, let new = new?.row else { return .onlyOld }
    guard hasOld, let old = old?.row else { return .onlyNew }
    let comparison = order.compareKeys(of: old, new)
    guard comparison == 0 else { return comparison < 0 ? .onlyOld : .onlyNew }
    // Cleared only after a difference, because most rows are equal.
    if !changed.isEmpty { changed.removeAll(keepingCapacity: true) }
    for index in new.indices where !BorrowedValue.same(new[index], old[index]) { changed.append(index) }
    return changed.isEmpty ? .same : .different
  }
}
