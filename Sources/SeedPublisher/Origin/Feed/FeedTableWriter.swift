import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

/// Writes a table's rows into a staging database. Columns that no model knows join when the first document names them.
final class FeedTableWriter: RowReceiver {
  private let table: FeedSchema.Table
  private let connection: Connection
  /// The type of a column that no model knows.
  private let otherType: String
  private var columns: [ColumnSchema]
  /// By name in lower case.
  private var numbers: [String: Int]
  /// Columns, by number, that some document has.
  private var seen: Set<Int> = []
  /// Columns of texts of which nobody said that they are.
  private(set) var untyped: [String] = []
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

  func column(_ written: String) -> ReceivedColumn? {
    let name = Self.name(written)
    if let number = numbers[name.lowercased()] {
      seen.insert(number)
      return ReceivedColumn(number, columns[number].received)
    }
    guard !name.isEmpty, !name.utf8.contains(0), columns.count < ReceivedRows.mostColumns else { return nil }
    numbers[name.lowercased()] = columns.count
    let type = table.types[name.lowercased()]
    if type == nil, !otherType.isEmpty { untyped.append(name) }
    columns.append(ColumnSchema(name, declaredType: type ?? otherType))
    return ReceivedColumn(columns.count - 1, columns[columns.count - 1])
  }

  /// Headers are often written with spaces around the names.
  private static func name(_ written: String) -> String {
    let start = written.drop(while: \.isWhitespace)
    return String(
      start.prefix(upTo: start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.endIndex))
  }

  func flaw(ofHeader names: [String]) -> String? {
    if let number = names.indices.first(where: { names[$0].utf8.contains(0) }) {
      return "the header's field \(number + 1) has a NUL character: \(NULInText.remedy)"
    }
    let folded = names.map { Self.name($0).lowercased() }
    if let number = folded.indices.first(where: { !folded[$0].isEmpty && folded[..<$0].contains(folded[$0]) })
    {
      return "the header has the name \"\(names[number])\" twice: rename one of them"
    }
    let missing = columns.first {
      $0.isNotNull && $0.defaultSQL == nil && !folded.contains($0.name.lowercased())
    }
    let lacking = missing?.name ?? table.key.first { !folded.contains($0.column.lowercased()) }?.column
    if let lacking {
      return
        "the header has no field \"\(lacking)\", which each row of the table needs; it has \(names.joined(separator: ", "))"
    }
    return flaw(
      "the header has no field", lacking: expected { !folded.contains($0.name.lowercased()) },
      found: names.map(Self.name))
  }

  /// Without a document only the operator can tell what a SELECT may read.
  func addTypedColumns() {
    for name in table.types.keys.sorted() { _ = column(name) }
  }

  /// What is wrong with documents of rows that were read: columns of the models that none of the rows mentions.
  var flawOfRows: String? {
    guard rows > 0 else { return nil }
    return flaw(
      "no row has a member", lacking: expected { !seen.contains(numbers[$0.name.lowercased()] ?? -1) },
      found: self.names)
  }

  /// The models' columns that documents must have, and of them those that `isLacking` is true of.
  private func expected(_ isLacking: (ColumnSchema) -> Bool) -> [String] {
    table.columns.filter { !table.optional.contains($0.name.lowercased()) && isLacking($0) }.map(\.name)
  }

  /// A column that has gone would take its values from all rows. One that was found may be the same under another name.
  private func flaw(_ start: String, lacking names: [String], found: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let known = Set(table.columns.map { $0.name.lowercased() })
    let new = found.filter { !known.contains($0.lowercased()) }
    let nearest = names.compactMap { nearestName(to: $0, in: new) }.map { "\"\($0)\"" }
    let rename = nearest.isEmpty ? "" : " (renamed to \(nearest.joined(separator: ", "))?)"
    return
      "\(start) \(list), which the models take\(rename): bring it back, or add \"optionalColumns\": [\(list)] to \"\(table.name)\" in "
      + "origin.tables, which makes it NULL in all rows while it is absent"
  }

  // MARK: Rows

  func take(_ rows: ReceivedRows) throws {
    try makeColumns()
    try refuseNUL(rows)
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

  private func refuseNUL(_ rows: ReceivedRows) throws(NULInText) {
    for number in 0..<rows.count {
      let row = rows.row(number)
      for column in 0..<width where row[column].hasNUL {
        throw NULInText(row: self.rows + number + 1, column: columns[column].name)
      }
    }
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

/// A text with a NUL character, at which other programs cut it off.
struct NULInText: Error {
  /// Of the table, counted from 1.
  let row: Int
  let column: String

  static let remedy =
    "take it out where the feed is made. A file with many of them was not written to its end, or is in UTF-16 without a mark at its "
    + "start, which \"csv\": {\"encoding\": \"utf-16le\"} of its table in origin.tables says"
}

extension BorrowedValue {
  fileprivate var hasNUL: Bool {
    guard case .text(let bytes) = self, let start = bytes.baseAddress else { return false }
    return memchr(start, 0, bytes.count) != nil
  }
}
