import SeedFormat

/// The statements of one table. Each that writes says what happens where a constraint forbids it: left unsaid, the
/// schema's own ON CONFLICT clauses would decide, and rows would go or stay without a word.
package struct TableSQL: Sendable {
  private let table: TableSchema
  private let constants: [TableLayout.Constant]

  /// The statements of a table that lies in the file as it is.
  package init(_ table: TableSchema) { self.init(TableLayout(table)) }

  init(_ layout: TableLayout) {
    table = layout.stored
    constants = layout.constants
  }

  private var name: String { quoted(table.name) }
  private var columns: String { list(table.columnNames) }
  private var keyMatches: String { table.keyNames.map { "\(quoted($0)) = ?" }.joined(separator: " AND ") }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

  private func names(_ shape: RowShape) -> [String] { shape.columns.map { table.columns[$0].name } }

  /// The stored columns of the row with a key.
  package var find: String { "SELECT \(columns) FROM \(name) WHERE \(keyMatches)" }

  /// The stored columns of the rows with several keys, in the keys' order, each behind its key's number. What is found
  /// for a key is read when its row is asked for, so rows may be written in between.
  func find(count: Int) -> String {
    let keys = table.key.indices.map { "key\($0)" }
    let wanted = (0..<count).map { number in "(\(number)" + keys.map { _ in ", ?" }.joined() + ")" }
    let columns = table.columnNames.map { "stored.\(quoted($0))" }.joined(separator: ", ")
    let matches = zip(table.keyNames, keys).map { "stored.\(quoted($0)) = wanted.\($1)" }
    return
      "WITH seedbank_wanted(number, \(keys.joined(separator: ", "))) AS (VALUES \(wanted.joined(separator: ", "))) "
      + "SELECT wanted.number, \(columns) FROM seedbank_wanted AS wanted LEFT JOIN \(name) AS stored "
      + "ON \(matches.joined(separator: " AND "))"
  }

  /// A whole new row.
  package var insert: String { insert(RowShape(whole: table)) }

  func insert(_ shape: RowShape) -> String { "INSERT OR ABORT INTO \(target(shape)) VALUES \(row(shape))" }

  /// Several whole new rows, up to the first that a constraint forbids, whatever the schema's own rule for that is.
  /// FAIL, for ABORT must be able to undo the rows before it: SQLite would copy every page that it touches first.
  func insert(count: Int) -> String {
    let shape = RowShape(whole: table)
    let rows = Array(repeating: row(shape), count: count).joined(separator: ", ")
    return "INSERT OR FAIL INTO \(target(shape)) VALUES \(rows)"
  }

  private func target(_ shape: RowShape) -> String {
    "\(name) (\(list(names(shape) + constants.map(\.column))))"
  }

  private func row(_ shape: RowShape) -> String {
    let values = Array(repeating: "?", count: shape.columns.count) + constants.map(\.value.literal)
    return "(\(values.joined(separator: ", ")))"
  }

  func insertIfAbsent(_ shape: RowShape) -> String {
    "\(insert(shape)) ON CONFLICT (\(list(table.keyNames))) DO NOTHING"
  }

  /// A shape's values, then the key. The key's columns are set too: under NOCASE their text may change.
  func update(_ shape: RowShape) -> String { update(names(shape)) }

  /// The values at some positions of a shape, then the key.
  func update(_ shape: RowShape, at positions: [Int]) -> String {
    update(positions.map { names(shape)[$0] })
  }

  private func update(_ columns: [String]) -> String {
    let settings = columns.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    return "UPDATE OR ABORT \(name) SET \(settings) WHERE \(keyMatches)"
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

extension SeedValue {
  /// The value as SQL, exactly; texts by their bytes, for U+0000 would end a literal.
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): value.isFinite ? "\(value)" : value < 0 ? "-9e999" : "9e999"
    case .text(let text): "CAST(x'\(lowerHex(text.utf8))' AS TEXT)"
    case .blob(let bytes): "x'\(lowerHex(bytes))'"
    }
  }
}
