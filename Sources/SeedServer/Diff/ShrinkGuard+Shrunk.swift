import SeedDatabase
import SeedFormat

extension ShrinkGuard {
  /// How many rows of a table have a value, by column.
  typealias Values = (before: [String: Int], after: [String: Int])

  /// The tables that lost too many rows. Of the others, the columns that lost their values in as many; `values` is
  /// asked for a table that is guarded.
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

  /// Measured by the table's rows: a column in which few of them have a value may lose all.
  private func columns(of table: String, rows: Int, _ values: Values) -> [ShrunkTable] {
    values.before.sorted { $0.key < $1.key }.compactMap { column, before in
      guard let after = values.after[column], holdsBack(from: rows, to: rows - (before - after)) else {
        return nil
      }
      return ShrunkTable(name: table, column: column, before: before, after: after)
    }
  }
}

/// How many rows fewer have a value in each column of a table. NULL and the empty text are no values.
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
  /// How many rows of a table have a value, by column, as ``ValueLoss`` counts.
  func values(in table: TableSchema) throws -> [String: Int] {
    let counts = table.columnNames.map { "count(nullif(\(quoted($0)) COLLATE BINARY, ''))" }
    let rows = try connection.rows("SELECT \(counts.joined(separator: ", ")) FROM \(quoted(table.name))")
    let found = zip(table.columnNames, rows[0]).map { name, count in
      if case .integer(let count) = count { (name, Int(count)) } else { (name, 0) }
    }
    return Dictionary(uniqueKeysWithValues: found)
  }
}
