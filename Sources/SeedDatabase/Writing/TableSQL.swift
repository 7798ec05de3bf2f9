import SeedFormat

/// The statements of one table. Each write states its conflict rule, because otherwise the schema's ON CONFLICT clauses
/// would apply and could silently drop rows.
package struct TableSQL: Sendable {
  private let table: TableSchema

  package init(_ table: TableSchema) { self.table = table }

  private var name: String { quoted(table.name) }
  private var columns: String { list(table.columnNames) }
  private var keyMatches: String { table.keyNames.map { "\(quoted($0)) = ?" }.joined(separator: " AND ") }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }

  private func names(_ shape: RowShape) -> [String] { shape.columns.map { table.columns[$0].name } }

  package var find: String { "SELECT \(columns) FROM \(name) WHERE \(keyMatches)" }

  /// Selects the rows of `count` keys, in the order of the keys; the first column is the key's number. A row is read
  /// only when the statement steps to it, so rows may be written between two steps.
  func find(count: Int) -> String {
    let keys = table.key.indices.map { "key\($0)" }
    let wanted = (0..<count).map { "(\($0)" + keys.map { _ in ", ?" }.joined() + ")" }
    let columns = table.columnNames.map { "stored.\(quoted($0))" }.joined(separator: ", ")
    let matches = zip(table.keyNames, keys).map { "stored.\(quoted($0)) = wanted.\($1)" }
    return
      "WITH seedbank_wanted(number, \(keys.joined(separator: ", "))) AS (VALUES \(wanted.joined(separator: ", "))) "
      + "SELECT wanted.number, \(columns) FROM seedbank_wanted AS wanted LEFT JOIN \(name) AS stored "
      + "ON \(matches.joined(separator: " AND "))"
  }

  package var insert: String { insert(RowShape(whole: table)) }

  func insert(_ shape: RowShape) -> String { "INSERT OR ABORT INTO \(rows(1, shape))" }

  /// Inserts several rows, up to the first that violates a constraint. Uses FAIL, because ABORT would undo the
  /// earlier rows, and SQLite would have to copy every page before changing it.
  func insert(_ shape: RowShape, count: Int) -> String { "INSERT OR FAIL INTO \(rows(count, shape))" }

  private func rows(_ count: Int, _ shape: RowShape) -> String {
    "\(name) (\(list(names(shape)))) VALUES \(RowStatement.marks(shape.columns.count, rows: count))"
  }

  func insertIfAbsent(_ shape: RowShape) -> String {
    "\(insert(shape)) ON CONFLICT (\(list(table.keyNames))) DO NOTHING"
  }

  /// Parameters: the values at these positions of the shape, then the key. The positions may include those of the
  /// key, because its spelling may change under NOCASE.
  func update(_ shape: RowShape, at positions: [Int]) -> String {
    let settings = positions.map { "\(quoted(names(shape)[$0])) = ?" }.joined(separator: ", ")
    return "UPDATE OR ABORT \(name) SET \(settings) WHERE \(keyMatches)"
  }

  package var delete: String { "DELETE FROM \(name) WHERE \(keyMatches)" }

  /// Selects all rows in the order that is fastest for SQLite.
  package var all: String { "SELECT \(columns) FROM \(name)" }

  package var allInKeyOrder: String { "SELECT \(columns) FROM \(name) ORDER BY \(keyOrder)" }

  /// Selects all keys in their order. SQLite sorts them before the first step (the plus sign prevents the use of an
  /// index), so rows may be written between two steps.
  var sortedKeys: String {
    "SELECT \(list(table.keyNames)) FROM \(name) ORDER BY "
      + table.keyNames.map { "+\(quoted($0))" }.joined(separator: ", ")
  }

  package var keyOrder: String {
    zip(table.keyNames, table.keyCollations).map { "\(quoted($0)) COLLATE \($1.rawValue)" }
      .joined(separator: ", ")
  }
}

extension SeedValue {
  /// The exact value as SQL. Strings are written as bytes, because U+0000 would end a literal.
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

extension TableSum {
  init(of table: TableSchema, _ connection: Connection) throws {
    self.init()
    let rows = try connection.prepare(TableSQL(table).all)
    var hasher = RowHasher()
    var row: [BorrowedValue] = []
    while try rows.step() {
      rows.borrowRow(into: &row)
      insert(hasher.hash(lent: row))
    }
  }
}
