import SeedDatabase
import Support
import Testing

@testable import seedbank

@Suite(.bounded) struct SchemaDraftTests {
  let folder: SetupFolder

  init() throws { folder = try SetupFolder() }

  @Test func `a table comes over as its author wrote it, with its indexes and generated columns`() throws {
    let draft = try folder.draft(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, price REAL CHECK(price > 0), -- in euros
        tax REAL AS (price * 0.19) STORED, gross AS (price + tax), picture BLOB);
      CREATE UNIQUE INDEX item_by_picture ON item(picture);
      CREATE INDEX cheap ON item(price) WHERE price < 5;
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.columnNames) == [["id", "price", "picture"]])
    #expect(schema.tables[0].generated == ["tax", "gross"])
    #expect(schema.indexes == ["cheap", "item_by_picture"])
    #expect(draft.text.contains("CHECK(price > 0), -- in euros"))
    #expect(draft.counts.text == "1 table, 2 indexes")
    #expect(draft.notes.isEmpty)
  }

  @Test func `AUTOINCREMENT goes, the word in names and comments stays`() throws {
    let draft = try folder.draft(
      "CREATE TABLE t(id INTEGER PRIMARY KEY /* autoincrement */ AutoIncrement, \"AUTOINCREMENT\" TEXT);")
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables[0].columnNames == ["id", "AUTOINCREMENT"])
    #expect(draft.text.contains("PRIMARY KEY /* autoincrement */, \"AUTOINCREMENT\" TEXT"))
  }

  @Test func `keys of every shape are kept`() throws {
    let draft = try folder.draft(
      """
      CREATE TABLE a(x TEXT, y BLOB, PRIMARY KEY(y, x)) WITHOUT ROWID;
      CREATE TABLE b(x TEXT COLLATE NOCASE NOT NULL UNIQUE) STRICT;
      CREATE TABLE c(x INT NOT NULL, y);
      CREATE UNIQUE INDEX c_x ON c(x);
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.keyNames) == [["y", "x"], ["x"], ["x"]])
    #expect(draft.notes.isEmpty)
  }

  @Test func `names with spaces, quotes, keywords and other scripts survive`() throws {
    let draft = try folder.draft(
      #"""
      CREATE TABLE "my ""table"""("a column" INTEGER PRIMARY KEY, "select" TEXT, [from] TEXT, `größe` REAL);
      CREATE TABLE "日本"(id INTEGER PRIMARY KEY, r REFERENCES "my ""table"""("a column"));
      CREATE INDEX "an index; -- really" ON "my ""table"""("select");
      CREATE VIEW 'order' AS SELECT * FROM "日本";
      """#)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.name) == ["my \"table\"", "日本"])
    #expect(schema.tables[0].columnNames == ["a column", "select", "from", "größe"])
    #expect(schema.tables[1].foreignKeys.map(\.parent) == ["my \"table\""])
    #expect(schema.indexes == ["an index; -- really"])
    #expect(schema.views == ["order"])
    #expect(draft.notes.isEmpty)
  }

  @Test func `what has no key, a reserved name or a collation of its own is skipped with the reason`() throws
  {
    let draft = try folder.draft(
      """
      CREATE TABLE good(id INTEGER PRIMARY KEY);
      CREATE TABLE log(line TEXT, maybe TEXT UNIQUE);
      CREATE TABLE seedbank_mine(id INTEGER PRIMARY KEY);
      CREATE TABLE odd(id TEXT PRIMARY KEY COLLATE uint);
      CREATE INDEX good_odd ON good(id COLLATE uint);
      """)
    #expect(try SchemaReader.schema(of: draft.text).tables.map(\.name) == ["good"])
    #expect(
      draft.notes.map(\.text) == [
        #"Skipped table "log": it has no key: neither a primary key nor a UNIQUE constraint over NOT NULL columns"#,
        #"Skipped table "seedbank_mine": names that start with seedbank_ are reserved"#,
        #"Skipped table "odd": no such collation sequence: uint"#,
        #"Skipped index "good_odd": no such collation sequence: uint"#,
      ])
  }

  @Test func `a trigger is skipped and its table kept`() throws {
    let draft = try folder.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY);
      CREATE TRIGGER watch AFTER INSERT ON t BEGIN DELETE FROM t; END;
      """)
    #expect(try SchemaReader.schema(of: draft.text).tables.map(\.name) == ["t"])
    #expect(draft.skipped == ["trigger watch"])
  }

  @Test func `views are kept in an order that works, those over something skipped are not`() throws {
    let draft = try folder.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY);
      CREATE TABLE log(line TEXT);
      CREATE VIEW outer_view AS SELECT * FROM inner_view;
      CREATE VIEW inner_view AS SELECT id FROM t -- the last line is a comment;
      ;
      CREATE VIEW lines AS SELECT * FROM log;
      CREATE VIEW lines_again AS SELECT * FROM lines;
      """)
    #expect(try SchemaReader.schema(of: draft.text).views == ["inner_view", "outer_view"])
    #expect(draft.skipped == ["table log", "view lines", "view lines_again"])
    #expect(draft.notes[1].reason == "no such table: main.log")
  }

  @Test func `full-text search over a published table is kept, other virtual tables are not`() throws {
    let draft = try folder.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE log(line TEXT);
      CREATE VIRTUAL TABLE search USING fts5(name, content='t', content_rowid='id');
      CREATE VIRTUAL TABLE log_search USING fts5(line, content='log');
      CREATE VIRTUAL TABLE notes USING fts5(text);
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.searchTables == [SearchTable(name: "search", content: "t")])
    #expect(schema.tables.map(\.name) == ["t"])
    #expect(Set(draft.skipped).isSuperset(of: ["virtual table log_search", "virtual table notes"]))
    #expect(draft.skipped.contains("shadow table notes_data"))
    #expect(!draft.skipped.contains("shadow table search_data"))
  }

  @Test func `a hundred tables that reference each other are all kept`() throws {
    let tables = (0..<100).map {
      "CREATE TABLE t\($0)(id INTEGER PRIMARY KEY, r REFERENCES t\(($0 + 1) % 100));"
    }
    let draft = try folder.draft(tables.joined(separator: "\n"))
    #expect(try SchemaReader.schema(of: draft.text).tables.count == 100)
    #expect(draft.notes.isEmpty)
  }
}
