import SeedDatabase
import SeedFormat

extension ShrinkGuard {
  typealias Values = (before: [String: Int], after: [String: Int])

  /// Returns the tables that lost too many rows. For other tables, returns the columns that lost too many values.
  /// Skips unguarded tables.
  func shrunk(
    before: [String: TableSum], after: [String: TableSum], _ origin: any Origin,
    values: (String) throws -> Values
  ) rethrows -> [ShrunkTable] {
    try before.sorted { $0.key < $1.key }.flatMap { name, sum -> [ShrunkTable] in
      guard let rows = after[name]?.rows, holdsBack(from: sum.rows, to: 0) else { return [] }
      guard !holdsBack(from: sum.rows, to: rows) else {
        return [ShrunkTable(name: name, before: sum.rows, after: rows)]
      }
      return columns(of: name, rows: sum.rows, try values(name)).filter {
        !origin.isOptional($0.column ?? "", of: name)
      }
    }
  }

  /// Compares a column's loss with the number of rows, so a column with few values may lose all of them.
  private func columns(of table: String, rows: Int, _ values: Values) -> [ShrunkTable] {
    values.before.sorted { $0.key < $1.key }.compactMap { column, before in
      guard let after = values.after[column], holdsBack(from: rows, to: rows - (before - after)) else {
        return nil
      }
      return ShrunkTable(name: table, column: column, before: before, after: after)
    }
  }
}

/// The decrease in the number of rows with a value, per column. NULL and empty text do not count as values.
struct ValueLoss {
  private(set) var counts: [Int]

  init(_ table: TableSchema) { counts = Array(repeating: 0, count: table.columns.count) }

  mutating func remove(_ row: [BorrowedValue]) {
    for index in row.indices where row[index].isValue { counts[index] += 1 }
  }

  mutating func insert(_ row: [BorrowedValue]) {
    for index in row.indices where row[index].isValue { counts[index] -= 1 }
  }
}

extension BorrowedValue {
  fileprivate var isValue: Bool {
    switch self {
    case .null: false
    case .text(let bytes): !bytes.isEmpty
    case .integer, .real, .blob: true
    }
  }
}

extension WorkingCopy {
  /// Counts the rows with a value in each column, by the rule of ``ValueLoss``.
  func values(in table: TableSchema) throws -> [String: Int] {
    let counts = table.columnNames.map { "count(nullif(\(quoted($0)) COLLATE BINARY, ''))" }
    let rows = try connection.rows("SELECT \(counts.joined(separator: ", ")) FROM \(quoted(table.name))")
    return Dictionary(uniqueKeysWithValues: zip(table.columnNames, rows[0].map { $0.number ?? 0 }))
  }
}
