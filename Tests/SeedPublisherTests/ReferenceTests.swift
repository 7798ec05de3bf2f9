import SeedDatabase
import Support
import Testing

@testable import SeedPublisher

@Suite struct ReferenceTests {
  @Test func `a violated reference is removed, and the rest of the table is kept`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY);
      CREATE TABLE b(id INTEGER PRIMARY KEY);
      CREATE TABLE c(
        id INTEGER PRIMARY KEY, n INT CHECK(n > 0),
        a_id INT CONSTRAINT good REFERENCES a ON DELETE SET NULL ON UPDATE NO ACTION NOT NULL, -- stays
        b_id INT CONSTRAINT bad REFERENCES b(id) MATCH SIMPLE ON DELETE CASCADE
          NOT DEFERRABLE INITIALLY DEFERRED
          DEFAULT 7
      );
      INSERT INTO a VALUES(1);
      INSERT INTO c VALUES(1, 1, 1, 99);
      """)
    let table = try #require(try SchemaReader.schema(of: draft.text).table("c"))
    #expect(table.foreignKeys.map(\.parent) == ["a"])
    #expect(table.columns.map(\.defaultSQL) == [nil, nil, nil, "7"])
    #expect(draft.text.contains("CHECK(n > 0)"))
    #expect(
      draft.notes.map(\.text) == [
        #"Skipped reference of "c" to "b": rows of the origin violate it; clients get the rows all the same; "#
          + "'PRAGMA foreign_key_check' lists them, and once they are repaired it can be in schema.sql"
      ])
  }

  @Test func `references to a skipped table are removed in every syntax`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE log(x, y);
      CREATE TABLE a(id INTEGER PRIMARY KEY);
      CREATE TABLE t(
        id INTEGER PRIMARY KEY, x VARCHAR(10) REFERENCES log(x), y INT, -- (see below
        FOREIGN KEY (x, y) REFERENCES "log"(x, y) ON DELETE RESTRICT,
        CONSTRAINT "to a" FOREIGN KEY (y) REFERENCES a(id) -- stays
        CONSTRAINT "to log" FOREIGN KEY (y) REFERENCES log, UNIQUE (y)
      );
      """)
    let table = try #require(try SchemaReader.schema(of: draft.text).table("t"))
    #expect(table.columnNames == ["id", "x", "y"])
    #expect(table.hasOtherUnique)
    #expect(table.foreignKeys.map(\.parent) == ["a"])
    #expect(draft.notes.filter { $0.kind == .reference }.map(\.part) == ["log", "log", "log"])
  }

  @Test func `references of a table to itself and in a cycle are kept`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE node(id INTEGER PRIMARY KEY, parent INT REFERENCES NODE(id));
      CREATE TABLE a(id INTEGER PRIMARY KEY, b INT REFERENCES b);
      CREATE TABLE b(id INTEGER PRIMARY KEY, a INT REFERENCES a);
      INSERT INTO node VALUES(1, NULL), (2, 1);
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.foreignKeys.count) == [1, 1, 1])
    #expect(draft.notes.isEmpty)
  }

  @Test func `a reference to columns that are not a key is removed`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE b(id INTEGER PRIMARY KEY, name TEXT REFERENCES a(name));
      """)
    #expect(try SchemaReader.schema(of: draft.text).table("b")?.foreignKeys.isEmpty == true)
    #expect(draft.notes.map(\.kind) == [.reference])
  }

  @Test func `an invalid reference hides neither the valid nor the violated ones`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT, code TEXT COLLATE NOCASE UNIQUE);
      CREATE TABLE b(x INT, y INT, PRIMARY KEY(x, y));
      CREATE TABLE t(
        id INTEGER PRIMARY KEY, name TEXT REFERENCES a(name), good INT REFERENCES a, code TEXT REFERENCES a(CODE),
        x INT, y INT, FOREIGN KEY(x, y) REFERENCES b, FOREIGN KEY(y, x) REFERENCES b(y, x)
      );
      INSERT INTO a VALUES(1, 'n', 'c');
      INSERT INTO b VALUES(1, 2);
      INSERT INTO t VALUES(1, 'n', 1, 'C', 1, NULL), (2, 'n', NULL, NULL, 1, 3);
      """)
    let table = try #require(try SchemaReader.schema(of: draft.text).table("t"))
    #expect(table.foreignKeys.map(\.parent) == ["a", "a"])
    #expect(
      draft.notes.map(\.reason) == [
        "the referenced columns are not a key of that table", "rows of the origin violate it",
        "rows of the origin violate it",
      ])
  }

  @Test(arguments: [
    ("a INT REFERENCES p, b", "a INT, b"),
    ("a INT -- one\n REFERENCES p(x)\n, b", "a INT -- one\n\n, b"),
    ("a, b,\n FOREIGN KEY(a) REFERENCES p ON UPDATE SET DEFAULT", "a, b"),
    ("a \"REFERENCES p\", 'REFERENCES p' REFERENCES [p](\"(\"), c", "a \"REFERENCES p\", 'REFERENCES p', c"),
    ("a CHECK(a <> ')') REFERENCES p NOT NULL", "a CHECK(a <> ')') NOT NULL"),
    ("a /* ( */ REFERENCES p ON DELETE NO ACTION DEFERRABLE UNIQUE", "a /* ( */ UNIQUE"),
    ("a REFERENCES p ON UPDATE SET DEFAULT DEFAULT NULL", "a DEFAULT NULL"),
    ("generated TEXT REFERENCES p ON DELETE SET NULL NOT NULL", "generated TEXT NOT NULL"),
    ("a, FOREIGN KEY(a) REFERENCES p CONSTRAINT u UNIQUE (a)", "a, CONSTRAINT u UNIQUE (a)"),
  ])
  func `only the reference is cut out of the text`(columns: String, left: String) {
    let text = SQLText("CREATE TABLE t(\(columns))")
    #expect(text.cuttingReferences([0]) == "CREATE TABLE t(\(left))")
    #expect(text.cuttingReferences([]) == "CREATE TABLE t(\(columns))")
  }
}
