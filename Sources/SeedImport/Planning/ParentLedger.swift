import SeedDatabase
import SeedFormat

/// Parents that may have lost rows, with the rows that they named, in temporary tables. Each object of the document is
/// a turn; a later turn overrides an earlier one for the same parent or row.
final class ParentLedger {
  private let table: TableSchema
  private let matches: [String]
  private let connection: Connection
  private let parents: String
  private let named: String
  private let enter: Statement
  private let name: Statement
  private let withdraw: Statement
  private(set) var statements = 0
  private(set) var hasParents = false

  /// The turn of rows that the document also names elsewhere; these stay, whatever a parent names.
  static let always: Int64 = -1

  /// `scope` is the SQL condition for all rows that belong to a parent.
  init(_ table: TableSchema, parent: [Int], scope: [String], number: Int, _ connection: Connection) throws {
    (self.table, self.connection) = (table, connection)
    (parents, named) = ("temp.seedbank_parents_\(number)", "temp.seedbank_named_\(number)")
    let own = parent.indices.map { "p\($0)" }
    matches = zip(own, parent).map { "\(Self.column(table, $1)) = seedbank_parents.\($0)" } + scope
    try Self.make(parents, own, parent.map { (table.columns[$0], table.columns[$0].collation) }, connection)
    let key = table.key.indices.map { "k\($0)" }
    try Self.make(
      named, key, Array(zip(table.key.map { table.columns[$0] }, table.keyCollations)), connection)
    let marks = { (count: Int) in Array(repeating: "?", count: count).joined(separator: ", ") }
    // A row that waited is read again with its first turn; later turns take precedence.
    let isNewer = "DO UPDATE SET turn = excluded.turn WHERE excluded.turn > turn"
    enter = try connection.prepare(
      "INSERT INTO \(parents) VALUES (\(marks(parent.count + 1))) "
        + "ON CONFLICT (\(own.joined(separator: ", "))) \(isNewer)")
    name = try connection.prepare(
      "INSERT INTO \(named) VALUES (\(marks(table.key.count + 1))) "
        + "ON CONFLICT (\(key.joined(separator: ", "))) \(isNewer) OR excluded.turn = \(Self.always)")
    let isParent = own.map { "\($0) = ?" }.joined(separator: " AND ")
    withdraw = try connection.prepare("DELETE FROM \(parents) WHERE \(isParent)")
  }

  private static func make(
    _ name: String, _ names: [String], _ columns: [(ColumnSchema, Collation)], _ connection: Connection
  ) throws {
    let types = zip(names, columns).map { "\($0) \($1.0.affinity.rawValue) COLLATE \($1.1.rawValue)" }
    try connection.execute("DROP TABLE IF EXISTS \(name)")
    try connection.execute(
      "CREATE TABLE \(name)(\(types.joined(separator: ", ")), turn INTEGER NOT NULL, "
        + "PRIMARY KEY (\(names.joined(separator: ", ")))) WITHOUT ROWID")
  }

  private static func column(_ table: TableSchema, _ column: Int) -> String {
    "\(quoted(table.name)).\(quoted(table.columns[column].name))"
  }

  // MARK: Single rows

  func enter(_ parent: [BorrowedValue], turn: Int64) throws {
    try run(enter, parent + [.integer(turn)])
    hasParents = true
  }

  func name(_ key: [BorrowedValue], turn: Int64) throws { try run(name, key + [.integer(turn)]) }

  /// Keeps all rows of the parent, because their outcome is not known.
  func withdraw(_ parent: [BorrowedValue]) throws { try run(withdraw, parent) }

  private func run(_ statement: Statement, _ values: [BorrowedValue]) throws {
    statements += 1
    for (index, value) in values.enumerated() { try statement.lend(value, at: Int32(index + 1)) }
    if let error = statement.attempt() { throw error }
  }

  // MARK: Supplied rows

  /// Enters parents from supplied rows, each with its key, an unused count and the turn.
  func enterSupplied(_ width: Int) throws {
    try take(into: parents, (0..<width).map { "c\($0)" } + ["c\(width + 1)"])
    hasParents = true
  }

  func withdrawSupplied(_ width: Int) throws {
    let own = (0..<width).map { "p\($0)" }.joined(separator: ", ")
    let supplied = (0..<width).map { "c\($0)" }.joined(separator: ", ")
    statements += 1
    try connection.cached(
      "DELETE FROM \(parents) WHERE (\(own)) IN (SELECT \(supplied) FROM \(RowSupply.table))"
    ).run()
  }

  func nameSupplied() throws { try take(into: named, (0...table.key.count).map { "c\($0)" }) }

  private func take(into table: String, _ columns: [String]) throws {
    statements += 1
    try connection.cached(
      "INSERT OR REPLACE INTO \(table) SELECT \(columns.joined(separator: ", ")) FROM \(RowSupply.table)"
    ).run()
  }

  // MARK: Lost rows

  /// The rows that their parents lost, as the part of a query after the columns of `SELECT`. A row that another parent
  /// named later but that still belongs to this one was rejected there, and stays.
  var lost: String {
    let isNamed = table.key.enumerated().map { "seedbank_named.k\($0) = \(Self.column(table, $1))" }
    return """
      FROM \(parents) AS seedbank_parents JOIN \(quoted(table.name)) ON \(matches.joined(separator: " AND ")) \
      WHERE NOT EXISTS (SELECT 1 FROM \(named) AS seedbank_named WHERE \(isNamed.joined(separator: " AND ")) \
      AND (seedbank_named.turn >= seedbank_parents.turn OR seedbank_named.turn = \(Self.always)))
      """
  }

  func clear() throws {
    guard hasParents else { return }
    try connection.execute("DELETE FROM \(parents)")
    try connection.execute("DELETE FROM \(named)")
    hasParents = false
  }

  func drop() throws {
    for statement in [enter, name, withdraw] { statement.reset() }
    try connection.execute("DROP TABLE \(parents)")
    try connection.execute("DROP TABLE \(named)")
  }
}
