import SeedDatabase
import Support
import Testing

@Suite struct SchemaTests {
  static func schema(_ sql: String) throws -> DatabaseSchema { try SchemaReader.schema(of: sql) }

  @Test(arguments: [
    ("CREATE TABLE t(a INTEGER PRIMARY KEY, b)", ["a"]),
    ("CREATE TABLE t(a, b, PRIMARY KEY(b, a))", ["b", "a"]),
    ("CREATE TABLE t(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID", ["b", "a"]),
    ("CREATE TABLE t(a, b NOT NULL UNIQUE)", ["b"]),
    ("CREATE TABLE t(a NOT NULL, b NOT NULL, UNIQUE(b, a))", ["b", "a"]),
    ("CREATE TABLE t(a UNIQUE, b NOT NULL); CREATE UNIQUE INDEX i ON t(b)", ["b"]),
    ("CREATE TABLE t(a PRIMARY KEY, b NOT NULL UNIQUE)", ["a"]),
    ("CREATE TABLE t(a TEXT NOT NULL, b NOT NULL UNIQUE, UNIQUE(a COLLATE NOCASE))", ["b"]),
  ])
  func `the key is the primary key or a unique constraint over NOT NULL columns`(
    _ sql: String, _ key: [String]
  ) throws {
    #expect(try Self.schema(sql).tables[0].keyNames == key)
  }

  /// Keys that are missing or compare otherwise than their column, names that differ only in their Unicode form, and
  /// objects that change rows without the digest.
  @Test(arguments: [
    ("CREATE TABLE t(a, b)", SchemaProblem.noKey(table: "t")),
    ("CREATE TABLE t(a UNIQUE)", .noKey(table: "t")),
    ("CREATE TABLE t(a NOT NULL); CREATE UNIQUE INDEX i ON t(a) WHERE a > 0", .noKey(table: "t")),
    ("CREATE TABLE t(a NOT NULL); CREATE UNIQUE INDEX i ON t(lower(a))", .noKey(table: "t")),
    ("CREATE TABLE t(a TEXT, PRIMARY KEY(a COLLATE NOCASE))", .keyCollation(table: "t", column: "a")),
    (
      "CREATE TABLE t(a TEXT COLLATE NOCASE, PRIMARY KEY(a COLLATE BINARY))",
      .keyCollation(table: "t", column: "a")
    ),
    ("CREATE TABLE \"\u{E9}\"(a PRIMARY KEY); CREATE TABLE \"e\u{301}\"(a PRIMARY KEY)", .sameName("\u{E9}")),
    ("CREATE TABLE t(a PRIMARY KEY, \"\u{E9}\", \"e\u{301}\")", .sameName("\u{E9}")),
    (
      "CREATE TABLE t(a PRIMARY KEY); CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END",
      .trigger(name: "x", table: "t")
    ),
    ("CREATE TABLE t(a PRIMARY KEY); CREATE VIRTUAL TABLE f USING fts5(a)", .virtualTable(name: "f")),
    ("CREATE TABLE seedbank_x(a PRIMARY KEY)", .reservedName("seedbank_x")),
    ("CREATE TABLE t(a PRIMARY KEY REFERENCES p)", .unknownParent(table: "t", parent: "p")),
    ("CREATE VIEW v AS SELECT 1", .noTables),
  ])
  func `a schema whose rows cannot be published is rejected`(_ sql: String, _ problem: SchemaProblem) {
    #expect(throws: problem) { try Self.schema(sql) }
  }

  @Test func `a quotation mark before a combining mark is quoted`() throws {
    let name = "a\"\u{301}b"
    let schema = try Self.schema("CREATE TABLE t(a PRIMARY KEY, \(quoted(name)))")
    #expect(schema.tables[0].columnNames.last?.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
  }

  @Test func `an unknown collation is rejected`() {
    #expect(throws: DatabaseError.self) {
      try Self.schema("CREATE TABLE t(a PRIMARY KEY, b COLLATE german)")
    }
  }

  @Test func `an FTS5 table over a published table is part of the schema`() throws {
    let schema = try Self.schema(
      """
      CREATE TABLE "my notes"(id INTEGER PRIMARY KEY, body TEXT);
      CREATE VIRTUAL TABLE search USING fts5(body, content='my notes', content_rowid='id')
      """)
    #expect(schema.searchTables == [SearchTable(name: "search", content: "my notes")])
    #expect(schema.tables.map(\.name) == ["my notes"])
  }

  @Test func `generated columns are neither stored nor part of a key`() throws {
    let table = try Self.schema("CREATE TABLE t(a PRIMARY KEY, b AS (a + 1), c AS (a * 2) STORED, d)").tables[
      0]
    #expect(table.columnNames == ["a", "d"] && table.generated == ["b", "c"])
  }

  @Test func `the schema hash covers structure and not text`() throws {
    let plain = try Self.schema("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK (b <> ''))").hash
    let same = try Self.schema("create table t ( a integer primary key, -- the key\n b text check(b<>'') )")
      .hash
    #expect(plain == same)
    for other in [
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK (b <> 'x'))",
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)",
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL CHECK (b <> ''))",
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK (b <> '')); CREATE INDEX i ON t(b)",
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK (b <> '') COLLATE NOCASE)",
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE CHECK (b <> ''))",
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK (b <> '')); CREATE VIEW v AS SELECT b FROM t",
      "CREATE TABLE t(a INTEGER, b TEXT CHECK (b <> ''), PRIMARY KEY(a)) WITHOUT ROWID",
    ] {
      #expect(try Self.schema(other).hash != plain, "\(other)")
    }
  }
}
