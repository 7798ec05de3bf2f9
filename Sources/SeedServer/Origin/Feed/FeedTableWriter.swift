import SeedDatabase
import SeedFormat
import SeedImport

/// Writes a table's rows into a staging database. Columns that no model knows join when the first document names them.
final class FeedTableWriter: RowReceiver {
  private let table: FeedSchema.Table
  private let connection: Connection
  /// The type of a column that no model knows.
  private let otherType: String
  private var columns: [ColumnSchema]
  /// By name in lower case.
  private var numbers: [String: Int]
  /// Columns that the table in the database has.
  private var madeColumns = 0
  private var many: Statement?
  private var one: Statement?
  private(set) var rows = 0

  init(_ table: FeedSchema.Table, _ connection: Connection, otherType: String) {
    (self.table, self.connection, self.otherType) = (table, connection, otherType)
    columns = table.columns
    numbers = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($1.name.lowercased(), $0) })
  }

  // MARK: Columns

  var width: Int { columns.count }
  var names: [String] { columns.map(\.name) }

  func column(_ name: String) -> ReceivedColumn? {
    if let number = numbers[name.lowercased()] { return ReceivedColumn(number, columns[number].received) }
    guard !name.isEmpty, columns.count < ReceivedRows.mostColumns else { return nil }
    numbers[name.lowercased()] = columns.count
    columns.append(ColumnSchema(name, declaredType: otherType))
    return ReceivedColumn(columns.count - 1, columns[columns.count - 1])
  }

  func flaw(ofHeader names: [String]) -> String? {
    let folded = names.map { $0.lowercased() }
    if let number = folded.indices.first(where: { !folded[$0].isEmpty && folded[..<$0].contains(folded[$0]) })
    {
      return "the header has the name \"\(names[number])\" twice: rename one of them"
    }
    let missing = columns.first {
      $0.isNotNull && $0.defaultSQL == nil && !folded.contains($0.name.lowercased())
    }
    let lacking = missing?.name ?? table.key.first { !folded.contains($0.column.lowercased()) }?.column
    return lacking.map {
      "the header has no field \"\($0)\", which each row of the table needs; it has \(names.joined(separator: ", "))"
    }
  }

  // MARK: Rows

  func take(_ rows: ReceivedRows) throws {
    try makeColumns()
    if rows.count == DocumentRows.rowsTaken, let many = try statement(&many, rows: rows.count) {
      for number in 0..<rows.count { try lend(rows.row(number), to: many, from: number * width) }
      if let error = many.attempt() { throw error }
    } else if let one = try statement(&one, rows: 1) {
      for number in 0..<rows.count {
        try lend(rows.row(number), to: one, from: 0)
        if let error = one.attempt() { throw error }
      }
    }
    self.rows += rows.count
  }

  private func lend(
    _ row: UnsafePointer<BorrowedValue>, to statement: Statement, from first: Int
  ) throws(DatabaseError) {
    for column in 0..<width { try statement.lend(row[column], at: Int32(first + column + 1)) }
  }

  private func statement(_ known: inout Statement?, rows: Int) throws -> Statement? {
    if let known { return known }
    let row = "(\(Array(repeating: "?", count: width).joined(separator: ",")))"
    let all = Array(repeating: row, count: rows).joined(separator: ",")
    known = try connection.prepare("INSERT INTO \(quoted(table.name)) VALUES \(all)")
    return known
  }

  /// Makes the table, or the columns that came since.
  func makeColumns() throws {
    guard madeColumns < columns.count else { return }
    (many, one) = (nil, nil)
    let new = columns[madeColumns...].map(\.declaration)
    if madeColumns == 0 {
      try connection.execute("CREATE TABLE \(quoted(table.name))(\(new.joined(separator: ", ")))")
    } else {
      for column in new { try connection.execute("ALTER TABLE \(quoted(table.name)) ADD COLUMN \(column)") }
    }
    madeColumns = columns.count
  }
}

extension ColumnSchema {
  /// Rows are compared by the client's own constraints, so a staging table has none.
  fileprivate var declaration: String {
    "\(quoted(name)) \(declaredType) COLLATE \(collation.rawValue)"
  }
}
