import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedDatabase

/// Compares tables and indexes like SQLite's `integrity_check`, but more exactly.
@Suite struct TableCheckTests {
  /// Both layouts, multi-column keys, descending columns, each collation, and a column named like a rowid.
  static let schemas = [
    """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b REAL, c);
    CREATE INDEX i ON t(a, b DESC); CREATE INDEX u ON t(c, b)
    """,
    """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INT, c, UNIQUE(a, c));
    CREATE INDEX i ON t(b DESC, c COLLATE RTRIM); CREATE INDEX u ON t(c)
    """,
    """
    CREATE TABLE t(id INT, a TEXT, b BLOB, c, PRIMARY KEY(a, id DESC)) WITHOUT ROWID;
    CREATE INDEX i ON t(c, b); CREATE INDEX u ON t(b, a DESC)
    """,
    """
    CREATE TABLE t(id INT NOT NULL, rowid TEXT COLLATE RTRIM NOT NULL, b, c, PRIMARY KEY(rowid, id));
    CREATE INDEX i ON t(c COLLATE NOCASE DESC, b); CREATE INDEX u ON t(b, c)
    """,
    """
    CREATE TABLE t(id INTEGER NOT NULL, a ANY, b REAL, c ANY, PRIMARY KEY(id)) STRICT, WITHOUT ROWID;
    CREATE INDEX i ON t(b, c, a DESC); CREATE INDEX u ON t(c)
    """,
  ]

  private static let rows = 100

  @Test(arguments: schemas)
  func `a sound table passes and yields the sum of its rows`(_ schema: String) throws {
    let world = try CheckedTable(schema, rows: Self.rows)
    let rows = try world.connection.rows(TableSQL(world.table).allInKeyOrder)
    #expect(try world.check().run() == sum(of: rows) && rows.count > Self.rows / 2, "\(world)")
  }

  @Test(arguments: [
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c); CREATE INDEX i ON t(a) WHERE b = 1",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c); CREATE INDEX i ON t(a || b)",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c); CREATE INDEX i ON t(a, id)",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d AS (a || b)); CREATE INDEX i ON t(d)",
    "CREATE TABLE t(rowid INT NOT NULL, oid INT, _rowid_ INT, c, PRIMARY KEY(rowid)); CREATE INDEX i ON t(c)",
  ])
  func `partial, unnamed and expression indexes are left to SQLite`(_ schema: String)
    throws
  {
    let connection = try Connection("test", .memory)
    try connection.run(script: schema)
    #expect(try TableCheck(connection, SchemaReader(connection).table("t")) == nil)
  }

  @Test(
    arguments: schemas,
    [
      "DELETE FROM o WHERE id = 7", "DELETE FROM t WHERE id = 7", "UPDATE o SET c = 'other' WHERE id = 7",
      "UPDATE o SET b = 0.125 WHERE id = 7", "UPDATE o SET id = 9999 WHERE id = 7",
      "UPDATE o SET c = x'00' WHERE id = 7", "UPDATE o SET b = NULL WHERE id = 7",
    ])
  func `an index of other rows is found`(_ schema: String, _ change: String) throws {
    let world = try CheckedTable(schema, rows: Self.rows)
    try world.connection.execute(change)
    for index in ["i", "u"] {
      try world.exchangeWithOther(index)
      #expect(try world.isSound() == world.isSoundToSQLite(), "\(index), \(world)")
      try world.exchangeWithOther(index)
    }
  }

  @Test(arguments: schemas)
  func `rows that differ from their index, and wrongly ordered entries, are found`(_ schema: String) throws {
    let other = try CheckedTable(schema, rows: Self.rows)
    try other.connection.execute("DELETE FROM o WHERE id % 2 = 0")
    try other.exchange("t", "o")
    #expect(try !other.isSound() && !other.isSoundToSQLite(), "\(other)")
    for (old, new) in [(" DESC", "     "), ("t(b", "t(c"), ("(c", "(b")] where schema.contains(old) {
      let world = try CheckedTable(schema, rows: Self.rows)
      try world.rewriteSchema(old, new)
      #expect(try !world.isSound() && !world.isSoundToSQLite(), "\(old), \(world)")
    }
  }

  @Test(arguments: schemas)
  func `duplicate entries of a unique index are found except for NULLs`(_ schema: String) throws {
    let doubled = try CheckedTable(schema, rows: Self.rows)
    try doubled.connection.execute("UPDATE OR IGNORE t SET b = 1, c = 2")
    try doubled.rewriteSchema("CREATE INDEX u", "CREATE UNIQUE INDEX u")
    #expect(try !doubled.isSound() && !doubled.isSoundToSQLite(), "\(doubled)")
    let absent = try CheckedTable(schema, rows: Self.rows)
    try absent.connection.execute("UPDATE t SET b = NULL, c = NULL")
    try absent.rewriteSchema("CREATE INDEX u", "CREATE UNIQUE INDEX u")
    #expect(try absent.isSound() && absent.isSoundToSQLite(), "\(absent)")
  }
}

private struct CheckedTable: CustomStringConvertible {
  let connection: Connection
  let table: TableSchema
  let description: String

  init(_ schema: String, rows: Int) throws {
    let seed = Stage.seed
    var chance = SplitMix(seed: seed)
    description = "seed \(seed), \(schema)"
    connection = try Connection("test", .memory)
    try connection.execute(schema)
    table = try SchemaReader(connection).table("t")
    for number in 1...rows {
      let values = table.columns.map { $0.name == "id" ? .integer(Int64(number)) : Self.value($0, &chance) }
      let marks = values.map { _ in "?" }.joined(separator: ", ")
      try connection.cached("INSERT OR IGNORE INTO t VALUES (\(marks))").run(values)
    }
    try connection.execute(
      schema.replacing(" t(", with: " o(").replacing("INDEX ", with: "INDEX o_")
        + "; INSERT INTO o SELECT * FROM t")
  }

  /// Few values, so that equal ones of all kinds occur; none differ only by case.
  private static func value(_ column: ColumnSchema, _ chance: inout SplitMix) -> SeedValue {
    let number = Int64.random(in: -9...9, using: &chance)
    if column.declaredType == "REAL" { return .real(Double(number) / 4) }
    if column.declaredType == "TEXT" { return .text(text(number)) }
    switch Int.random(in: column.isNotNull ? 1...4 : 0...4, using: &chance) {
    case 0: return .null
    case 1: return .integer(number)
    case 2: return .real(Double(number) / 4)
    case 3: return .text(text(number))
    default: return .blob(Array("\(number)".utf8))
    }
  }

  private static func text(_ number: Int64) -> String {
    String(repeating: number < 0 ? "a long one, " : "A", count: Int(abs(number)))
  }

  func check() throws -> TableCheck { try #require(try TableCheck(connection, table)) }

  func isSound() throws -> Bool {
    do {
      _ = try check().run()
      return true
    } catch is NotASeed {
      return false
    }
  }

  func isSoundToSQLite() throws -> Bool {
    try connection.value("PRAGMA integrity_check(t)") == .text("ok")
  }

  func exchangeWithOther(_ index: String) throws { try exchange(index, "o_\(index)") }

  func exchange(_ name: String, _ other: String) throws {
    try connection.writeSchema(
      """
      UPDATE sqlite_schema SET rootpage = (SELECT sum(rootpage) FROM sqlite_schema WHERE name IN ('\(name)', '\(other)'))
        - rootpage WHERE name IN ('\(name)', '\(other)')
      """)
  }

  /// Only of `t`, whose rows and entries stay in place.
  func rewriteSchema(_ old: String, _ new: String) throws {
    try connection.writeSchema(
      "UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE tbl_name = 't'")
  }
}
