import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem

/// Writes a table's rows into a staging database. Adds columns that no model declares when documents first have them.
final class FeedTableWriter: RowReceiver {
  private let table: FeedSchema.Table
  private let connection: Connection
  private let otherType: String
  private var columns: [ColumnSchema]
  /// The positions of the columns, by folded name.
  private var numbers: [String: Int] = [:]
  /// The folded names of columns that occur in documents.
  private var seen: Set<String> = []
  /// The text columns to which neither a model nor the operator assigns a type.
  private(set) var untyped: [String] = []
  private var madeColumns = 0
  private lazy var insert = makeInsert()
  private(set) var rows = 0

  init(_ table: FeedSchema.Table, _ connection: Connection, otherType: String) {
    (self.table, self.connection, self.otherType) = (table, connection, otherType)
    columns = table.columns
    for (number, column) in columns.enumerated() { numbers[column.name.foldedName] = number }
  }

  var width: Int { columns.count }
  var names: [String] { columns.map(\.name) }

  func column(_ written: String) -> ReceivedColumn? {
    let name = Self.name(written)
    let folded = name.foldedName
    if let number = numbers[folded] {
      seen.insert(folded)
      let column = columns[number]
      // An empty field of a NOT NULL column with a default is NULL, not an empty string.
      let isDefaulted = column.isNotNull && column.defaultSQL != nil
      return ReceivedColumn(number, isDefaulted ? column.nullable : column)
    }
    guard !name.isEmpty, !name.utf8.contains(0), columns.count < ReceivedColumn.most else { return nil }
    numbers[folded] = columns.count
    let type = table.types[folded]
    if type == nil, !otherType.isEmpty { untyped.append(name) }
    columns.append(ColumnSchema(name, declaredType: type ?? otherType))
    return ReceivedColumn(columns.count - 1, columns[columns.count - 1])
  }

  private static func name(_ written: String) -> String {
    let start = written.drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }

  func flaw(ofHeader names: [String]) -> String? {
    if let number = names.indices.first(where: { names[$0].utf8.contains(0) }) {
      return "the header's field \(number + 1) has a NUL character: \(NULInText.remedy)"
    }
    let trimmed = names.map(Self.name)
    let folded = trimmed.map { $0.foldedName }
    var passed: Set<String> = []
    if let number = folded.indices.first(where: { folded[$0] != "" && !passed.insert(folded[$0]).inserted }) {
      return "the header has the name \"\(names[number])\" twice: rename one of them"
    }
    return flaw("the header has no field", found: trimmed, Set(folded))
  }

  /// The error if the documents have rows, but no row has a required column.
  var flawOfRows: String? { rows > 0 ? flaw("no row has a member", found: names, seen) : nil }

  /// A missing column is an error, because all rows would lose its values. A new column may be the missing one, renamed.
  private func flaw(_ start: String, found: [String], _ folded: Set<String>) -> String? {
    let key = Set(table.key.map { $0.column.foldedName })
    let gone = table.columns.filter { !folded.contains($0.name.foldedName) }
    let needed = gone.filter { key.contains($0.name.foldedName) || $0.isNotNull && $0.defaultSQL == nil }
    let lacking = needed.isEmpty ? gone.filter { !table.optional.contains($0.name.foldedName) } : needed
    guard !lacking.isEmpty else { return nil }
    let known = Set(table.columns.map { $0.name.foldedName })
    let new = found.filter { !known.contains($0.foldedName) }
    let nearest = lacking.compactMap { nearestName(to: $0.name, in: new) }.map { "\"\($0)\"" }
    let rename = nearest.isEmpty ? "" : " (renamed to \(nearest.joined(separator: ", "))?)"
    let list = lacking.map { "\"\($0.name)\"" }.joined(separator: ", ")
    guard needed.isEmpty else {
      return
        "\(start) \(list), which each row of the table needs\(rename): bring it back; found \(found.joined(separator: ", "))"
    }
    return
      "\(start) \(list), which the models read\(rename): bring it back, or add \"optionalColumns\": [\(list)] to \"\(table.name)\" in "
      + "origin.tables, which makes it NULL in all rows while it is absent"
  }

  func take(_ rows: LentRows) throws {
    try makeColumns()
    let width = width
    for number in 0..<rows.count {
      let row = rows[number]
      for column in 0..<width {
        if case .text(let text) = row[column], let start = text.baseAddress,
          memchr(start, 0, text.count) != nil
        {
          throw NULInText(row: self.rows + number + 1, column: columns[column].name)
        }
      }
    }
    try insert.run(rows, Array(0..<width))
    self.rows += rows.count
  }

  private func makeInsert() -> RowStatement {
    let (name, width) = (quoted(table.name), width)
    return RowStatement(connection) { "INSERT INTO \(name) VALUES \(RowStatement.marks(width, rows: $0))" }
  }

  /// Creates the table or adds new columns, without constraints, because the working copy enforces the client's. Declares
  /// affinities, because the type ANY would convert strings in a table that is not STRICT.
  func makeColumns() throws {
    guard madeColumns < columns.count else { return }
    insert = makeInsert()
    let new = columns[madeColumns...].map {
      "\(quoted($0.name)) \($0.affinity.rawValue) COLLATE \($0.collation.rawValue)"
    }
    if madeColumns == 0 {
      try connection.execute("CREATE TABLE \(quoted(table.name))(\(new.joined(separator: ", ")))")
    } else {
      for column in new { try connection.execute("ALTER TABLE \(quoted(table.name)) ADD COLUMN \(column)") }
    }
    madeColumns = columns.count
  }
}

/// The error for a string with a NUL character. Other programs would truncate the string there.
struct NULInText: Error {
  /// The row's number in the table, starting at 1.
  let row: Int
  let column: String

  static let remedy =
    "remove it from the feed. A file with many NUL characters is probably incomplete or in UTF-16; convert UTF-16 with "
    + "iconv -f utf-16le -t utf-8"
}
