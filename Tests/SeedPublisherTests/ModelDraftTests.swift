import SeedDatabase
import SeedFormat
import Support
import Testing

@testable import SeedPublisher

@Suite struct ModelDraftTests {
  /// An origin and the model made from it before the origin changed.
  private final class History {
    private let origin: DraftedOrigin
    let base: ModelDefinition
    let known: OriginOutline

    init(_ sql: String, model: String? = nil, selects: [String: String]? = nil) throws {
      origin = try DraftedOrigin()
      let survey = try origin.survey(after: sql)
      let drafted = try SchemaDraft(survey)
      known = survey.outline
      base = ModelDefinition(
        version: "1.0", schemaSQL: model ?? drafted.text(header: "Model 1.0 of test"),
        projections: selects ?? drafted.projections, path: "models/1.0")
    }

    func draft(_ version: ModelVersion = "1.1", after sql: String) throws -> ModelDraft {
      let survey = try origin.survey(after: sql)
      let schema = try SchemaReader.schema(of: base.schemaSQL)
      return ModelDraft(
        version, in: "models/\(version)", copying: base,
        adding: OriginGain(survey.outline, since: known, without: schema), from: try SchemaDraft(survey))
    }
  }

  private static let shop = "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);"

  @Test func `without changes in the origin, the draft is a copy with the new version`() throws {
    let history = try History(Self.shop)
    let draft = try history.draft(after: "INSERT INTO shop VALUES (1, 'Tea')")
    #expect(draft.added.isEmpty && draft.notes.isEmpty)
    #expect(draft.schemaSQL == history.base.schemaSQL.replacing("Model 1.0 of", with: "Model 1.1 of"))
  }

  @Test(arguments: [
    (
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);",
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, \"phone\" TEXT COLLATE NOCASE);"
    ),
    // A line for each column.
    (
      "CREATE TABLE shop(\n  id INTEGER PRIMARY KEY,\n  name TEXT\n);",
      "CREATE TABLE shop(\n  id INTEGER PRIMARY KEY,\n  name TEXT,\n  \"phone\" TEXT COLLATE NOCASE\n);"
    ),
    // A comment stays with its column.
    (
      "CREATE TABLE shop(\n  id INTEGER PRIMARY KEY,\n  name TEXT -- its name, shown\n);",
      "CREATE TABLE shop(\n  id INTEGER PRIMARY KEY,\n  name TEXT -- its name, shown\n, \"phone\" TEXT COLLATE NOCASE);"
    ),
    // Comments and other tables may have the same words.
    (
      "-- CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);\nCREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);",
      "-- CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);\nCREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, \"phone\" TEXT COLLATE NOCASE);"
    ),
    (
      "CREATE TABLE workshop(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);",
      "CREATE TABLE workshop(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, \"phone\" TEXT COLLATE NOCASE);"
    ),
    // Table constraints come last.
    (
      "CREATE TABLE IF NOT EXISTS \"shop\" (id INTEGER, [name] TEXT CHECK(name <> ',') -- why, is told\n  , PRIMARY KEY(id), UNIQUE (name)) WITHOUT ROWID;",
      "CREATE TABLE IF NOT EXISTS \"shop\" (id INTEGER, [name] TEXT CHECK(name <> ',') -- why, is told\n  , \"phone\" TEXT COLLATE NOCASE, PRIMARY KEY(id), UNIQUE (name)) WITHOUT ROWID;"
    ),
  ])
  func `a new column is added after the others, and the rest of the text is unchanged`(
    model: String, expected: String
  ) throws {
    let text = "/* Ours; not \"shop\". */\n\(model)\n"
    let history = try History(Self.shop, model: text)
    let draft = try history.draft(after: "ALTER TABLE shop ADD COLUMN phone TEXT COLLATE NOCASE")
    #expect(draft.schemaSQL == "/* Ours; not \"shop\". */\n\(expected)\n")
    #expect(draft.added == ["column \"shop\".\"phone\""])
    #expect(
      try SchemaReader.schema(of: draft.schemaSQL).table("shop")?.columnNames == ["id", "name", "phone"])
  }

  @Test func `a new column is not added to a table whose name differs in the case of a letter beyond ASCII`()
    throws
  {
    let history = try History("CREATE TABLE \"Ä\"(a); CREATE TABLE \"ä\"(id INTEGER PRIMARY KEY);")
    let draft = try history.draft(after: "ALTER TABLE \"ä\" ADD COLUMN phone TEXT")
    #expect(draft.added == ["column \"ä\".\"phone\""])
    #expect(draft.projections == history.base.projections && draft.projections.keys.sorted() == ["Ä"])
    let schema = try SchemaReader.schema(of: draft.schemaSQL)
    #expect(schema.table("ä")?.columnNames == ["id", "phone"])
    #expect(schema.table("Ä")?.columnNames == ["row_number", "a"])
  }

  @Test func `a new column is left to the operator if the text has no statement of its table as it is`()
    throws
  {
    let text = "CREATE TABLE shop(id INTEGER PRIMARY KEY);\nALTER TABLE shop ADD COLUMN name TEXT;\n"
    let draft = try History(Self.shop, model: text).draft(after: "ALTER TABLE shop ADD COLUMN phone TEXT")
    #expect(draft.added.isEmpty && draft.schemaSQL == text)
    #expect(
      SetupNote.lines(draft.notes) == [
        "Skipped column \"shop\".\"phone\": the table's CREATE TABLE statement in schema.sql is not written as SQLite stores it: add the column"
          + " there by hand"
      ])
  }

  @Test func `tables and columns that a model excluded stay excluded`() throws {
    let history = try History(
      "\(Self.shop) CREATE TABLE staff(id INTEGER PRIMARY KEY, salary INTEGER); CREATE INDEX pay ON staff(salary);",
      model: "CREATE TABLE shop(id INTEGER PRIMARY KEY);")
    let draft = try history.draft(
      after: """
        ALTER TABLE staff ADD COLUMN iban TEXT; ALTER TABLE shop ADD COLUMN open INTEGER;
        CREATE VIEW people AS SELECT * FROM staff;
        CREATE VIRTUAL TABLE search USING fts5(name, content='shop', content_rowid='id');
        """)
    #expect(draft.added == ["column \"shop\".\"open\""])
    #expect(draft.notes.map(\.name) == ["search", "people"])
    #expect(!draft.schemaSQL.contains("staff") && !draft.schemaSQL.contains("name"))
  }

  @Test func `tables that refer to each other are added together, with their indexes and views`() throws {
    let history = try History(Self.shop)
    let draft = try history.draft(
      after: """
        CREATE TABLE a(id INTEGER PRIMARY KEY, b INTEGER REFERENCES b(id));
        CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id));
        CREATE INDEX b_a ON b(a);
        CREATE VIEW both AS SELECT a.id FROM a JOIN b ON a.b = b.id;
        CREATE VIRTUAL TABLE search USING fts5(name, content='shop', content_rowid='id');
        """)
    #expect(
      draft.added == [
        "table \"a\"", "table \"b\"", "index \"b_a\"", "virtual table \"search\"", "view \"both\"",
      ])
    let schema = try SchemaReader.schema(of: draft.schemaSQL)
    #expect(
      schema.tables.count == 3 && schema.views == ["both"] && schema.searchTables.map(\.name) == ["search"])
  }

  @Test func `a new table can follow a statement that has no semicolon`() throws {
    let history = try History(Self.shop, model: "CREATE TABLE shop(id INTEGER PRIMARY KEY) -- ours")
    let draft = try history.draft(after: "CREATE TABLE park(id INTEGER PRIMARY KEY)")
    #expect(draft.added == ["table \"park\""])
    #expect(draft.schemaSQL.hasPrefix("CREATE TABLE shop(id INTEGER PRIMARY KEY); -- ours\n"))
  }

  @Test func `a new column is added to the SELECT of a table with numbered rows`() throws {
    let history = try History("CREATE TABLE log(text);")
    let draft = try history.draft(
      after: "ALTER TABLE log ADD COLUMN level INTEGER; CREATE TABLE mark(x); INSERT INTO mark VALUES (1)")
    #expect(
      draft.projections["log"]?.contains("SELECT rowid AS row_number, \"text\", \"level\"\nFROM \"log\"\n")
        == true)
    #expect(draft.projections["mark"]?.contains("rowid AS row_number") == true)
    #expect(draft.added == ["column \"log\".\"level\"", "table \"mark\""])
  }

  @Test func `numbered rows of a table with another program's collation are read by their bytes`() throws {
    let draft = try History("CREATE TABLE word(word TEXT COLLATE uint);")
      .draft(after: "ALTER TABLE word ADD COLUMN other TEXT COLLATE uint")
    #expect(draft.added == ["column \"word\".\"other\""])
    let end = #", "other" COLLATE BINARY AS "other"\#nFROM "word" NOT INDEXED\#n"#
    #expect(draft.projections["word"]?.hasSuffix(end) == true, "\(draft.projections)")
  }

  @Test func `a table with a custom SELECT is left to the operator`() throws {
    let history = try History(
      Self.shop, model: "CREATE TABLE shop(id INTEGER PRIMARY KEY, title TEXT);",
      selects: ["shop": "SELECT id, upper(name) AS title FROM shop"])
    let draft = try history.draft(after: "ALTER TABLE shop ADD COLUMN phone TEXT")
    #expect(draft.added.isEmpty && draft.definition.projections == history.base.projections)
    #expect(
      SetupNote.lines(draft.notes) == [
        "Skipped column \"shop\".\"phone\": its table has a custom SELECT: add the column in models/1.1/shop.sql"
          + " and schema.sql"
      ])
  }

  @Test func `a new NOT NULL column without default becomes nullable in a minor, not in a major`()
    throws
  {
    let history = try History(Self.shop)
    let sql = """
      DROP TABLE shop;
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, code TEXT NOT NULL, rank INTEGER NOT NULL DEFAULT 1);
      """
    let minor = try history.draft(after: sql)
    #expect(
      minor.schemaSQL.contains("\"code\" TEXT,\n  \"rank\" INTEGER NOT NULL DEFAULT 1\n)"),
      "\(minor.schemaSQL)")
    #expect(
      minor.remarks.count == 1 && minor.remarks[0].contains("\"shop\".\"code\" is NOT NULL in the origin"))
    let major = try history.draft("2.0", after: sql)
    #expect(major.schemaSQL.contains("\"code\" TEXT NOT NULL,\n  \"rank\"") && major.remarks.isEmpty)
  }
}
