/// The statements of one table.
package struct TableSQL: Sendable {
  private let table: TableSchema

  package init(_ table: TableSchema) { self.table = table }

  private var name: String { quoted(table.name) }
  private var columns: String { table.columnNames.map(quoted).joined(separator: ", ") }
  private var keyMatches: String { table.keyNames.map { "\(quoted($0)) = ?" }.joined(separator: " AND ") }

  /// The stored columns of the row with a key.
  package var find: String { "SELECT \(columns) FROM \(name) WHERE \(keyMatches)" }

  /// A whole new row.
  package var insert: String {
    let marks = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    return "INSERT INTO \(name) (\(columns)) VALUES (\(marks))"
  }

  /// A whole row, then the key. The key's columns are set too: under NOCASE their text may change.
  package var update: String {
    let settings = table.columnNames.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    return "UPDATE \(name) SET \(settings) WHERE \(keyMatches)"
  }

  /// The row with a key.
  package var delete: String { "DELETE FROM \(name) WHERE \(keyMatches)" }

  /// All rows, in whatever order SQLite reads them fastest.
  package var all: String { "SELECT \(columns) FROM \(name)" }

  /// All rows in the key's order.
  package var allInKeyOrder: String { "SELECT \(columns) FROM \(name) ORDER BY \(keyOrder)" }

  /// The key's columns with their collations, as ORDER BY wants them.
  package var keyOrder: String {
    zip(table.keyNames, table.keyCollations).map { "\(quoted($0)) COLLATE \($1.rawValue)" }
      .joined(separator: ", ")
  }
}
