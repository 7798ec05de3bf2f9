import SeedFormat

/// The columns of a table for which rows have values.
package struct RowShape: Sendable {
  let columns: [Int]
  /// The number of leading columns that are written to all rows; the others are written only to new rows.
  let updated: Int
  /// Positions of the key's values in a row, in the key's order.
  package let key: [Int]
  let affinities: [Affinity]

  package init(whole table: TableSchema) {
    columns = Array(table.columns.indices)
    updated = columns.count
    key = table.key
    affinities = table.columns.map(\.affinity)
  }

  /// Returns nil if a key column is missing.
  package init?(_ columns: [Int], onlyNew: [Int], of table: TableSchema) {
    key = table.key.compactMap { columns.firstIndex(of: $0) }
    guard key.count == table.key.count else { return nil }
    self.columns = columns + onlyNew
    updated = columns.count
    affinities = self.columns.map { table.columns[$0].affinity }
  }
}

/// The treatment of a row with an existing key.
package enum ConflictRule: String, Sendable {
  /// Replaces the values of the import's columns.
  case overwrite
  case keep
  case fail
}

package enum RowOutcome: Sendable {
  case inserted, updated, unchanged
  /// Not written: another row, which may change later, holds its unique value.
  case taken
}

/// A row found by a look-up; its values are read from the statement.
struct FoundRow: ~Copyable {
  let statement: Statement
  let first: Int32
  private let columns: [Int32]

  /// `columns`: the stored columns to compare.
  init(_ statement: Statement, _ columns: [Int32], from first: Int32 = 0) {
    (self.statement, self.columns, self.first) = (statement, columns, first)
  }

  func holds(_ row: UnsafeBufferPointer<BorrowedValue>) -> Bool {
    // A local variable avoids a retain per iteration.
    let statement = statement
    for position in columns.indices where !statement.holds(row[position], at: first + columns[position]) {
      return false
    }
    return true
  }

  /// Borrows the compared columns until the statement steps or is rewound, even if the row is written meanwhile.
  func read(into row: inout [BorrowedValue]) {
    let (statement, columns, first) = (statement, columns, first)
    if row.count != columns.count { row = Array(repeating: .null, count: columns.count) }
    row.withUnsafeMutableBufferPointer { row in
      for position in columns.indices { row[position] = statement.borrow(first + columns[position]) }
    }
  }
}
