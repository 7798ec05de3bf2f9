/// SQL with which an attacker puts SQL into a seed. In it, `NOTES` is the path of an app's database, and `AS SQL x` a
/// query.
struct HostileText: CustomStringConvertible {
  let description: String
  let sql: String

  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
  private static let huge = "hex(zeroblob(400000000))"
  private static let slow =
    "instr(hex(zeroblob(100000 + id)), hex(zeroblob(50000)) || 'x')"

  /// The quick stage's text: an index that the client builds.
  static let few = [all[2]]

  static let all = indexes + objects + parts + tables

  /// The definition of an index that the client builds.
  private static let indexes = [
    "ATTACH DATABASE 'NOTES' AS v", "ATTACH DATABASE 'notes.sqlite' AS v",
    "CREATE INDEX shop_name ON shop(name); ATTACH DATABASE 'my.sqlite' AS v; DELETE FROM v.shop",
    "VACUUM INTO 'vacuumed.sqlite'", "VACUUM INTO 'NOTES-2'", "DELETE FROM shop", endless,
    "SELECT load_extension('NOTES')",
    "SELECT writefile('written.txt', 'x')", "SELECT edit('x', 'touch written.txt')",
    "PRAGMA writable_schema = ON",
    "CREATE TRIGGER shop_name AFTER INSERT ON shop BEGIN DELETE FROM shop; END",
    "CREATE INDEX shop_name ON shop(\(huge))", "CREATE INDEX shop_name ON shop(hex(randomblob(400000000)))",
    "CREATE INDEX shop_name ON shop(printf('%400000000d', id))",
  ].map { text in
    HostileText(
      description: "index: \(text)",
      sql: "UPDATE seedbank_index SET sql = '\(text.replacing("'", with: "''"))'")
  }

  /// Objects that are added to the publisher's or replace them.
  private static let objects = [
    "ALTER TABLE seedbank_meta RENAME TO mine; CREATE VIEW seedbank_meta AS \(endless)",
    "ALTER TABLE seedbank_table RENAME TO mine; CREATE VIEW seedbank_table AS \(endless)",
    "DROP TABLE seedbank_index; CREATE VIEW seedbank_index AS \(endless)",
    "CREATE VIEW more AS SELECT writefile('written.txt', 'x')", "CREATE VIEW more AS \(endless)",
    "CREATE TRIGGER more AFTER INSERT ON shop BEGIN SELECT writefile('written.txt', 'x'); END",
    "CREATE TRIGGER more AFTER UPDATE ON seedbank_meta BEGIN DELETE FROM shop; END",
    "CREATE TABLE more(id INTEGER PRIMARY KEY REFERENCES shop ON DELETE CASCADE, x DEFAULT (\(huge)))",
    "CREATE VIRTUAL TABLE more USING rtree(id, a, b)",
  ].map { HostileText(description: $0, sql: $0) }

  /// Tables that SQLite reads unasked.
  private static let parts =
    [
      "DROP TABLE shop_search_config; CREATE VIEW shop_search_config AS \(endless)",
      "INSERT INTO shop_search_config VALUES ('rank', 'bm25(10); ATTACH DATABASE ''NOTES'' AS v')",
      "INSERT INTO sqlite_stat1 VALUES ('shop', 'x''; DELETE FROM shop; --', '9 9 9 9 9 9')",
    ].map { HostileText(description: $0, sql: $0) } + [
      schema(
        "shop_search_config",
        "CREATE TABLE shop_search_config(k PRIMARY KEY, w, v AS (\(huge))) WITHOUT ROWID"),
      schema(
        "shop_search_data",
        "CREATE TABLE shop_search_data(id INTEGER PRIMARY KEY, x BLOB, block AS (\(huge)))"),
      schema("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl, idx, x, stat AS (\(huge)))"),
    ]

  /// Expressions and queries in the definition of a published table.
  private static let tables =
    [
      "name TEXT, rank REAL, more TEXT AS (\(huge)) NOT NULL",
      "name TEXT, rank REAL, more AS (\(slow)) NOT NULL",
      "name TEXT, rank REAL CHECK (\(huge) <> '')", "name TEXT DEFAULT (\(huge)), rank REAL",
    ].map { schema("shop", "CREATE TABLE shop(id INTEGER PRIMARY KEY, \($0))") } + [
      schema("shop", "CREATE TABLE shop AS \(endless)")
    ]

  private static func schema(_ name: String, _ sql: String) -> HostileText {
    HostileText(
      description: sql,
      sql: """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = '\(sql.replacing("'", with: "''"))' WHERE name = '\(name)'
        """)
  }
}
