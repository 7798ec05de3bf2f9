import SeedFormat

/// Which of a table's columns the rows of an import hold; always in declared order.
package struct RowShape: Sendable {
  /// Indexes into the table's stored columns.
  package let columns: [Int]
  /// Where the key's values stand in a row, in the key's order.
  package let key: [Int]
  let isWhole: Bool
  let affinities: [Affinity]

  /// Rows with every stored column.
  package init(whole table: TableSchema) {
    columns = Array(table.columns.indices)
    key = table.key
    isWhole = true
    affinities = table.columns.map(\.affinity)
  }

  /// Rows with these columns; `nil` where the key is not among them.
  package init?(_ columns: [Int], of table: TableSchema) {
    key = table.key.compactMap { columns.firstIndex(of: $0) }
    guard key.count == table.key.count else { return nil }
    self.columns = columns
    isWhole = columns.count == table.columns.count
    affinities = columns.map { table.columns[$0].affinity }
  }
}

/// What happens to a row whose key is there already.
package enum ConflictRule: String, Sendable {
  /// The columns that the import lists take its values.
  case overwrite
  /// The row stays as it is.
  case keep
  /// The import ends with an error.
  case fail
}

/// What became of one row.
package enum RowOutcome: Sendable {
  case inserted, updated, unchanged
  /// Another row holds its unique value, and may be about to change too: nothing was written.
  case taken
}

/// A row that a look-up has found, where it stands in its statement.
struct FoundRow: ~Copyable {
  let statement: Statement
  let first: Int32
  private let columns: [Int32]

  /// `columns`: the stored columns whose values are compared.
  init(_ statement: Statement, _ columns: [Int32], from first: Int32 = 0) {
    (self.statement, self.columns, self.first) = (statement, columns, first)
  }

  func holds(_ row: [BorrowedValue]) -> Bool { row.withUnsafeBufferPointer { holds($0) } }

  func holds(_ row: UnsafeBufferPointer<BorrowedValue>) -> Bool {
    // A local: in this loop each access would be retained anew.
    let statement = statement
    for position in row.indices where !statement.holds(row[position], at: first + columns[position]) {
      return false
    }
    return true
  }

  /// Where another value stands in the row.
  func differing(from row: [BorrowedValue]) -> [Int] {
    row.indices.filter { !statement.holds(row[$0], at: first + columns[$0]) }
  }
}
