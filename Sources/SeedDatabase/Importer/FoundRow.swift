import SeedFormat

/// A row that a look-up has found, where it stands in its statement.
struct FoundRow: ~Copyable {
  let statement: Statement
  /// Where the stored columns begin in the statement's rows.
  let first: Int32
  private let columns: [Int32]

  /// `columns`: where the values of a row stand, counted from `first`.
  init(_ statement: Statement, _ columns: [Int32], from first: Int32 = 0) {
    self.statement = statement
    self.columns = columns
    self.first = first
  }

  /// Whether the row has these values.
  func holds(_ row: [BorrowedValue]) -> Bool { row.withUnsafeBufferPointer { holds($0) } }

  /// Whether the row has these values.
  func holds(_ row: UnsafeBufferPointer<BorrowedValue>) -> Bool {
    // A local: in this loop each access would be retained anew.
    let statement = statement
    for position in row.indices where !statement.holds(row[position], at: first + columns[position]) {
      return false
    }
    return true
  }
}
