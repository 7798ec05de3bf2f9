import SeedDatabase
import SeedFormat

/// Two temporary tables: the parents that may have lost nested rows, and the rows that they named. Each parent object
/// of the document has a number, its turn. If a parent or a row occurs again, the later turn counts.
final class ParentLedger {
  private let table: TableSchema
  private let matches: [String]
  private let connection: Connection
  private let parents: String
  private let named: String
  private let enter: RowStatement
  private let name: RowStatement
  private let withdraw: RowStatement
  private let width: Int
  private(set) var hasParents = false

  /// The turn of rows that the document also names elsewhere. The ledger never deletes these rows.
  static let always = Int64.max

  /// `scope` contains the SQL conditions for rows that belong to the relation.
  init(_ table: TableSchema, parent: [Int], scope: [String], number: Int, _ connection: Connection) throws {
    (self.table, self.connection) = (table, connection)
    (parents, named) = ("temp.seedbank_parents_\(number)", "temp.seedbank_named_\(number)")
    let own = parent.indices.map { "p\($0)" }
    matches = zip(own, parent).map { "\(table.qualified($1)) = seedbank_parents.\($0)" } + scope
    let (key, turn) = (table.key.indices.map { "k\($0)" }, "turn INTEGER NOT NULL, ")
    try connection.makeKeyTable(parents, own, like: parent.map { table.columns[$0] }, besides: turn)
    try connection.makeKeyTable(named, key, like: table.keyColumns, besides: turn)
    // When a row that had to wait is retried, it still has the turn of its first reading. That turn must not replace a
    // later one.
    let isNewer = "DO UPDATE SET turn = excluded.turn WHERE excluded.turn > turn"
    func upsert(_ list: String, _ columns: [String]) -> RowStatement {
      RowStatement(connection) {
        "INSERT INTO \(list) VALUES \(RowStatement.marks(columns.count + 1, rows: $0)) "
          + "ON CONFLICT (\(columns.joined(separator: ", "))) \(isNewer)"
      }
    }
    width = own.count
    (enter, name) = (upsert(parents, own), upsert(named, key))
    let parents = parents
    withdraw = RowStatement(connection) {
      "DELETE FROM \(parents) WHERE (\(own.joined(separator: ", "))) "
        + "IN (VALUES \(RowStatement.marks(own.count, rows: $0)))"
    }
  }

  var statements: Int { enter.runs + name.runs + withdraw.runs }

  /// Adds parents, each with its key and turn.
  func enter(_ parents: some Collection<BorrowedValue>) throws {
    try enter.run(parents, width: width + 1)
    hasParents = true
  }

  /// Adds named rows, each with its key and turn.
  func name(_ rows: some Collection<BorrowedValue>) throws { try name.run(rows, width: table.key.count + 1) }

  /// Removes these parents, so that all their rows stay: they lost no rows, or it is not known whether they did.
  func withdraw(_ keys: [BorrowedValue]) throws { try withdraw.run(keys, width: width) }

  /// A query (without `SELECT` and its columns) for rows that their parents no longer name. A row that a
  /// later parent names is kept. If it is rejected in the later parent, it stays with its earlier parent.
  var lost: String {
    let isNamed = table.key.enumerated().map { "seedbank_named.k\($0) = \(table.qualified($1))" }
    return """
      FROM \(parents) AS seedbank_parents JOIN \(quoted(table.name)) ON \(matches.joined(separator: " AND ")) \
      WHERE NOT EXISTS (SELECT 1 FROM \(named) AS seedbank_named WHERE \(isNamed.joined(separator: " AND ")) \
      AND seedbank_named.turn >= seedbank_parents.turn)
      """
  }

  func clear() throws {
    guard hasParents else { return }
    try connection.execute("DELETE FROM \(parents)")
    try connection.execute("DELETE FROM \(named)")
    hasParents = false
  }

  func drop() throws {
    try connection.execute("DROP TABLE \(parents)")
    try connection.execute("DROP TABLE \(named)")
  }
}
