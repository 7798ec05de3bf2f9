import SeedDatabase
import SeedFormat
import Support
import Testing

@testable import SeedPublisher

@Suite struct SchemaDraftTests {
  @Test
  func `a table is drafted without its rules, with its indexes and the values of generated columns`()
    throws
  {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY REFERENCES item, price REAL CHECK(price > 0), -- in euros
        tax REAL AS (price * 0.19) STORED, gross AS (price + tax), picture BLOB);
      CREATE UNIQUE INDEX item_by_picture ON item(picture);
      CREATE INDEX cheap ON item(price) WHERE price < 5;
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.columnNames) == [["id", "price", "tax", "gross", "picture"]])
    #expect(schema.tables[0].generated.isEmpty)
    #expect(schema.indexes == ["cheap", "item_by_picture"])
    #expect(
      draft.parts[0].sql == """
        CREATE TABLE "item" (
          "id" INTEGER PRIMARY KEY,
          "price" REAL,
          "tax" REAL,
          "gross",
          "picture" BLOB
        )
        """)
    #expect(draft.contents == "1 table, 2 indexes")
    #expect(draft.notes == [.rules(of: "item")])
  }

  @Test func `a column of numbers with other values is declared NUMERIC`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE shop(id INTEGER PRIMARY KEY, "the rank" INT(4) NOT NULL DEFAULT 1, size double precision /* m */, open INTEGER,
        price REAL CHECK (price <> 0), name TEXT);
      INSERT INTO shop VALUES (1, '', 'large', 1, 2.5, 3), (2, 2, 1.5, NULL, 2, x'00');
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(
      schema.tables[0].columns.map(\.declaredType) == [
        "INTEGER", "NUMERIC", "NUMERIC", "INTEGER", "REAL", "TEXT",
      ])
    #expect(draft.text.contains("\"the rank\" NUMERIC NOT NULL DEFAULT 1,\n  \"size\" NUMERIC,\n"))
    #expect(draft.notes.map(\.part) == [nil, "the rank", "size"])
  }

  @Test func `AUTOINCREMENT and defaults by expressions are skipped, and defaults by literals are kept`()
    throws
  {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a DEFAULT -5, b TEXT DEFAULT 'it''s', c DEFAULT x'00',
        d DEFAULT CURRENT_TIMESTAMP, e DEFAULT (1 + 2), f DEFAULT (NOT 1), g DEFAULT (random()), h DEFAULT "x");
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(
      schema.tables[0].columns.map(\.defaultSQL) == [
        nil, "-5", "'it''s'", "x'00'", "CURRENT_TIMESTAMP", nil, nil, nil, "\"x\"",
      ])
    #expect(!draft.text.contains("AUTOINCREMENT"))
  }

  @Test func `keys of every shape are kept`() throws {
    let draft = try DraftedOrigin.draft(
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
    let draft = try DraftedOrigin.draft(
      #"""
      CREATE TABLE "my ""table"""("a column" INTEGER PRIMARY KEY, "select" TEXT, [from] TEXT, `größe` REAL);
      CREATE TABLE "日本"(id INTEGER PRIMARY KEY, r REFERENCES "my ""table"""("a column"));
      CREATE INDEX "an index; -- really" ON "my ""table"""("select");
      CREATE VIEW 'order' AS SELECT * FROM "日本";
      """#)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.name) == ["my \"table\"", "日本"])
    #expect(schema.tables[0].columnNames == ["a column", "select", "from", "größe"])
    #expect(schema.indexes == ["an index; -- really"])
    #expect(schema.views == ["order"])
    #expect(draft.notes == [.rules(of: "日本")])
  }

  @Test
  func `tables without distinguishable rows, reserved names and custom collations are skipped`()
    throws
  {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE good(id INTEGER PRIMARY KEY);
      CREATE TABLE log(rowid TEXT, _ROWID_ TEXT UNIQUE, oid TEXT);
      CREATE TABLE seedbank_mine(id INTEGER PRIMARY KEY);
      CREATE TABLE odd(id TEXT PRIMARY KEY COLLATE uint, n INT) WITHOUT ROWID;
      CREATE INDEX good_odd ON good(id COLLATE uint);
      """)
    #expect(try SchemaReader.schema(of: draft.text).tables.map(\.name) == ["good"])
    #expect(
      draft.notes.map(\.text) == [
        #"Skipped index "good_odd": clients lack the collation uint, by which it sorts; queries are slower without it; you can add another index to schema.sql"#,
        #"Skipped table "log": there is no key, neither a primary key nor a UNIQUE constraint over NOT NULL columns, and rows cannot be numbered; give it a primary key, or add it to schema.sql, with a PRIMARY KEY of columns that identify its rows"#,
        #"Skipped table "seedbank_mine": names that start with seedbank_ are reserved; add to schema.sql a table that has another name, and beside it a file TABLE.sql with 'SELECT … FROM' this one"#,
        #"Skipped table "odd": clients lack the collation uint, by which it sorts; add it to schema.sql without the collation, and beside it a file TABLE.sql that SELECTs such columns COLLATE BINARY; if the collation is in the key of a table WITHOUT ROWID, only a copy without the collation can be read"#,
      ])
  }

  @Test func `another program's collation is removed, and its columns are read by their bytes`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE odd(id TEXT COLLATE uint NOT NULL, n INT, PRIMARY KEY (n, id COLLATE uint));
      CREATE TABLE word(word TEXT PRIMARY KEY COLLATE "uint" NOT NULL, kind TEXT COLLATE NOCASE);
      INSERT INTO word VALUES ('10', ''), ('9', '');
      """)
    #expect(!draft.text.contains("uint"), "\(draft.text)")
    #expect(draft.text.contains("PRIMARY KEY (\"n\", \"id\")"), "\(draft.text)")
    #expect(
      draft.text.contains("\"word\" TEXT NOT NULL,\n  \"kind\" TEXT COLLATE NOCASE,\n"), "\(draft.text)")
    let select = "SELECT \"word\" COLLATE BINARY AS \"word\", \"kind\"\nFROM \"word\" NOT INDEXED\n"
    #expect(draft.projections["word"]?.hasSuffix(select) == true, "\(draft.projections)")
    #expect(draft.skipped == ["collation odd", "collation word"])
    #expect(
      draft.notes[0].text
        == "Removed a collation from table \"odd\": clients lack COLLATE uint, so such columns sort by their bytes"
    )
  }

  @Test func `a trigger is skipped and its table kept`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY);
      CREATE TRIGGER watch AFTER INSERT ON t BEGIN DELETE FROM t; END;
      """)
    #expect(try SchemaReader.schema(of: draft.text).tables.map(\.name) == ["t"])
    #expect(
      draft.notes.map(\.text) == [
        #"Skipped trigger "watch": seeds have no triggers, and the origin's rows are published as they are; no action needed"#
      ])
  }

  @Test func `views are kept in a valid order, except those over skipped objects`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY);
      CREATE TABLE log(rowid, _rowid_, oid, line TEXT);
      CREATE VIEW outer_view AS SELECT * FROM inner_view;
      CREATE VIEW inner_view AS SELECT id FROM t -- the last line is a comment;
      ;
      CREATE VIEW lines AS SELECT * FROM log;
      CREATE VIEW lines_again AS SELECT * FROM lines;
      CREATE VIEW broken AS SELECT * FROM gone;
      CREATE VIEW calls AS SELECT distance_of(id) FROM t;
      """)
    #expect(try SchemaReader.schema(of: draft.text).views == ["inner_view", "outer_view"])
    #expect(draft.skipped == ["table log", "view lines", "view lines_again", "view broken", "view calls"])
    #expect(draft.notes[1].reason.hasPrefix("SQLite reports \"no such table: "), "\(draft.notes[1])")
    #expect(draft.notes[1].reason.hasSuffix("log\""), "\(draft.notes[1])")
    #expect(draft.notes[1].remedy.hasPrefix("publish the tables that it reads, or add to schema.sql a table"))
    #expect(draft.notes[4].remedy.hasPrefix("clients get its rows if the origin keeps them"))
  }

  @Test func `full-text search over a published table is kept, and other virtual tables are skipped`() throws
  {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE log(rowid, _rowid_, oid, line TEXT);
      CREATE VIRTUAL TABLE search USING fts5(name, content='t', content_rowid='id');
      CREATE VIRTUAL TABLE log_search USING fts5(line, content='log');
      CREATE VIRTUAL TABLE notes USING fts5(text);
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.searchTables == [SearchTable(name: "search", content: "t")])
    #expect(schema.tables.map(\.name) == ["t"])
    #expect(draft.skipped == ["table log", "virtual table log_search", "virtual table notes"])
  }

  @Test
  func `a search table over columns that its content lacks is skipped, and a model with it is rejected`()
    throws
  {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT);
      CREATE VIRTUAL TABLE search USING fts5(body, content='doc', content_rowid='id');
      ALTER TABLE doc RENAME COLUMN body TO text;
      """)
    #expect(draft.contents == "1 table")
    #expect(draft.notes.map(\.reason) == ["SQLite reports \"no such column: T.body\""])
    let model = ModelDefinition(
      version: "1.0",
      schemaSQL: draft.text
        + "CREATE VIRTUAL TABLE search USING fts5(body, content='doc', content_rowid='id');",
      projections: [:], path: "models/1.0")
    let error = #expect(throws: PlanError.self) { try SeriesPlan(SeedSeries("test", major: 1), [model]) }
    #expect(
      error?.description
        == "models/1.0/schema.sql: the search table \"search\" does not fit its content, \"doc\": no such column: T.body"
    )
  }

  @Test func `the text has types that were quoted, and ends no statement with a comment`() throws {
    let origin = try DraftedOrigin()
    _ = try origin.survey(
      after: """
        CREATE TABLE person(id INTEGER PRIMARY KEY, [name] [nvarchar](50), kind "order", size "(2)", fee DECIMAL(9, 2));
        CREATE INDEX by_name ON person(name) /* for the list
        """)
    let survey = try origin.survey(
      after: """
        CREATE TABLE place(id INTEGER PRIMARY KEY);
        CREATE VIEW places AS SELECT id FROM place -- all
        ;
        CREATE VIEW people AS SELECT name FROM person /* all
        """)
    let draft = try SchemaDraft(survey)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(draft.contents == "2 tables, 1 index, 2 views" && draft.notes.isEmpty)
    #expect(
      schema.tables.count == 2 && schema.indexes == ["by_name"] && schema.views == ["people", "places"])
    #expect(
      schema.table("person")?.columns.map(\.declaredType) == [
        "INTEGER", "nvarchar](50", "order", "(2)", "DECIMAL(9, 2)",
      ])
    #expect(draft.text.contains("\"size\" \"(2)\",\n  \"fee\" DECIMAL(9, 2)\n"), "\(draft.text)")
  }

  // MARK: Rows without a key

  @Test func `rows without a key are numbered in a column with a free name`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE log(line TEXT, Row_Number TEXT, whole AS (line || '!'));
      CREATE TABLE [a "b"](rowid TEXT, x UNIQUE /* may be NULL */);
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.keyNames) == [["row_number"], ["row_number_2"]])
    #expect(schema.tables.map(\.columnNames.count) == [3, 4])
    #expect(
      draft.projections["log"]?.contains(#"SELECT rowid AS row_number_2, "line", "Row_Number""#) == true)
    #expect(draft.projections["a \"b\""]?.contains(#"SELECT oid AS row_number, "rowid", "x""#) == true)
    #expect(
      SetupNote.lines(draft.notes) == [#"Numbered the rows of tables "log", "a "b"": there is no key"#])
  }

  @Test func `rows without a key are read by their bytes if clients lack a collation`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE word(word TEXT COLLATE uint, n INTEGER); INSERT INTO word VALUES ('10', 1), ('9', 2);
      CREATE TABLE fine(id INTEGER PRIMARY KEY);
      """)
    #expect(try SchemaReader.schema(of: draft.text).tables.map(\.name) == ["fine", "word"])
    let select =
      #"SELECT rowid AS row_number, "word" COLLATE BINARY AS "word", "n"\#nFROM "word" NOT INDEXED\#n"#
    #expect(draft.projections["word"]?.hasSuffix(select) == true, "\(draft.projections)")
    #expect(draft.skipped == ["numbering word", "collation word"])
  }

  @Test func `a primary key with NULLs becomes UNIQUE, and the rows are numbered`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE a(x TEXT, y TEXT, CONSTRAINT pk PRIMARY KEY(x, y DESC));
      CREATE TABLE b(x TEXT PRIMARY KEY DESC ON CONFLICT IGNORE, a_x TEXT, a_y TEXT, FOREIGN KEY(a_x, a_y) REFERENCES a);
      CREATE TABLE c(x TEXT PRIMARY KEY, y INT NOT NULL UNIQUE);
      CREATE TABLE whole(x TEXT, y TEXT, PRIMARY KEY(x, y));
      INSERT INTO a VALUES('1', NULL), ('1', NULL), (NULL, '2');
      INSERT INTO b(x) VALUES(NULL), (NULL);
      INSERT INTO c VALUES(NULL, 7);
      INSERT INTO whole VALUES('1', '2');
      """)
    let schema = try SchemaReader.schema(of: draft.text)
    #expect(schema.tables.map(\.keyNames) == [["row_number"], ["row_number"], ["y"], ["x", "y"]])
    #expect(draft.projections.keys.sorted() == ["a", "b"])
    #expect(
      draft.notes.filter { $0.kind != .rules }.map(\.text) == [
        #"Numbered the rows of table "a": some of its rows have NULL in the key's columns "x", "y""#,
        #"Numbered the rows of table "b": some of its rows have NULL in the key's column "x""#,
        #"Chose a different key for table "c": some of its rows have NULL in the key's column "x", so its key is column "y""#,
      ])
  }

  @Test func `a table whose name cannot be a file name is not numbered`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE "a/b"(x); CREATE TABLE schema(x); CREATE TABLE ".c"(x); CREATE TABLE good(id INTEGER PRIMARY KEY);
      """)
    #expect(draft.skipped == ["table a/b", "table schema", "table .c"])
  }

  // MARK: Functions

  @Test
  func `rules with functions that clients may lack are skipped, and generated columns become ordinary`()
    throws
  {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE t(
        first TEXT AS (json_extract(doc, '$."a, b"')) STORED, id INTEGER PRIMARY KEY,
        doc TEXT CONSTRAINT is_json CHECK (json_valid(doc)) CHECK (length(doc) < 100) DEFAULT (json_array(1, 2)),
        last TEXT AS (upper(json_extract(doc, '$.z'))) CHECK (last IS NULL OR json_valid(last)),
        other INT CHECK (other > 0), CHECK (json_type(doc) = 'object'), UNIQUE (other));
      INSERT INTO t(id, doc, other) VALUES(1, '{"a": 1}', 2);
      """)
    #expect(
      draft.parts.map(\.sql) == [
        """
        CREATE TABLE "t" (
          "first" TEXT,
          "id" INTEGER PRIMARY KEY,
          "doc" TEXT,
          "last" TEXT,
          "other" INT,
          UNIQUE ("other")
        )
        """
      ])
    #expect(draft.notes == [.rules(of: "t")])
  }

  @Test func `a generated column that only its own program can read is skipped`() throws {
    let draft = try DraftedOrigin.draft(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, at TEXT, day TEXT AS (sha3(at)));
      """)
    #expect(try SchemaReader.schema(of: draft.text).tables[0].columnNames == ["id", "at"])
    #expect(draft.notes.count == 1 && draft.notes[0].text.hasPrefix("Skipped column \"t\".\"day\": "))
  }
}
