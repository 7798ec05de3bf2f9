/// The statements of one table.
package struct TableSQL: Sendable {
  private let table: TableSchema

  package init(_ table: TableSchema) { self.table = table }

  private var name: String { quoted(table.name) }
  private var columns: String { list(table.columnNames) }
  private var keyMatches: String { table.keyNames.map { "\(quoted($0)) = ?" }.joined(separator: " AND ") }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

  private func names(_ shape: RowShape) -> [String] { shape.columns.map { table.columns[$0].name } }

  /// The stored columns of the row with a key.
  package var find: String { "SELECT \(columns) FROM \(name) WHERE \(keyMatches)" }

  /// The columns of a shape in the row with a key.
  func find(_ shape: RowShape) -> String { "SELECT \(list(names(shape))) FROM \(name) WHERE \(keyMatches)" }

  /// A whole new row.
  package var insert: String { insert(RowShape(whole: table)) }

  /// A new row with a shape's columns; the others take their defaults.
  func insert(_ shape: RowShape) -> String {
    let marks = Array(repeating: "?", count: shape.columns.count).joined(separator: ", ")
    return "INSERT INTO \(name) (\(list(names(shape)))) VALUES (\(marks))"
  }

  /// As ``insert(_:)``, doing nothing where the key is there already.
  func insertIfAbsent(_ shape: RowShape) -> String {
    "\(insert(shape)) ON CONFLICT (\(list(table.keyNames))) DO NOTHING"
  }

  /// A shape's values, then the key. The key's columns are set too: under NOCASE their text may change.
  func update(_ shape: RowShape) -> String {
    let settings = names(shape).map { "\(quoted($0)) = ?" }.joined(separator: ", ")
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
