import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

/// Deltas that begin a minor, applied to a seed of the older one.
@Suite struct SchemaAdditionsTests {
  private static let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)"
  private static let additions = [
    "ALTER TABLE t ADD COLUMN n INTEGER NOT NULL DEFAULT 7",
    "CREATE TABLE w(id INTEGER PRIMARY KEY, x TEXT)",
    "CREATE UNIQUE INDEX t_v ON t(v)",
    "CREATE VIEW loud AS SELECT v FROM t WHERE n > 7",
    "CREATE VIRTUAL TABLE find USING fts5(v, content='t', content_rowid='id')",
  ]
  private static let newSQL = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, n INTEGER NOT NULL DEFAULT 7);
    CREATE TABLE w(id INTEGER PRIMARY KEY, x TEXT);
    CREATE UNIQUE INDEX t_v ON t(v);
    CREATE VIEW loud AS SELECT v FROM t WHERE n > 7;
    CREATE VIRTUAL TABLE find USING fts5(v, content='t', content_rowid='id');
    """
  private static let series = SeedSeries("test", model: "1.0")

  private let connection: Connection
  private let old: DatabaseSchema
  private let new: DatabaseSchema

  /// A seed at version 5 of model 1.0 with the rows (1, 'red') and (2, 'green').
  init() throws {
    connection = try Connection("seed", .memory)
    try connection.execute(Self.sql)
    (old, new) = (try SchemaReader.schema(of: Self.sql), try SchemaReader.schema(of: Self.newSQL))
    try makeSeed(connection, version: 5) { writer, schema in
      try writer.insert([.integer(1), .text("red")], in: schema.tables[0])
      try writer.insert([.integer(2), .text("green")], in: schema.tables[0])
    }
  }

  /// The sums after ``delta(_:before:schema:)``.
  private var sums: [String: TableSum] {
    [
      "t": sum(of: [[.integer(1), .text("red"), .integer(7)], [.integer(2), .text("blue"), .integer(9)]]),
      "w": sum(of: [[.integer(1), .text("new")]]),
    ]
  }

  /// Begins model 1.1 as version 6, changes row 2 to ('blue', 9) and adds a row to the new table.
  private func delta(
    _ statements: [String] = additions, before: SHA256Digest? = nil, schema: SHA256Digest? = nil,
    isPlain: Bool = false
  ) -> [UInt8] {
    var writer = DeltaWriter()
    writer.begin(table: "t", key: ["id"], columns: ["id", "v", "n"])
    writer.update([.integer(2)], [.text("blue"), .integer(9)], at: [1, 2])
    writer.begin(table: "w", key: ["id"], columns: ["id", "x"])
    writer.insert([.integer(1), .text("new")])
    return writer.document(
      DeltaHeader(
        series: Self.series, model: "1.1", schema: schema ?? new.hash, from: 5, to: 6,
        digest: StateDigest.of(sums),
        additions: isPlain ? nil : SchemaAdditions(before: before ?? old.hash, statements: statements)))
  }

  private func apply(_ document: [UInt8]) throws {
    let (connection, old) = (connection, old)
    try connection.transaction { _ = try DeltaApplier(connection, old).apply(document) }
  }

  private func found(_ word: String) throws -> [[SeedValue]] {
    try connection.rows("SELECT rowid FROM find WHERE find MATCH ?", .text(word))
  }

  private func expectUntouched() throws {
    #expect(
      try connection.rows("SELECT * FROM t") == [
        [.integer(1), .text("red")], [.integer(2), .text("green")],
      ])
    let names = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    #expect(Set(names.map(\.[0].text)) == ["t", "seedbank_meta", "seedbank_table"])
    #expect(try connection.rows("SELECT name FROM temp.sqlite_schema").isEmpty)
    let meta = try SeedTables.meta(connection)
    #expect(meta.version == 5 && meta.model == "1.0" && meta.schema == old.hash)
    #expect(try connection.integer("PRAGMA user_version") == 1000)
    try SeedCheck(connection, old).run()
  }

  // MARK: Additions

  @Test
  func `a seed of the older minor gets the schema, rows, search tables, metadata and sums of the newer`()
    throws
  {
    try apply(delta())
    #expect(try SchemaReader(connection).schema() == new)
    #expect(
      try connection.rows("SELECT * FROM t ORDER BY id") == [
        [.integer(1), .text("red"), .integer(7)], [.integer(2), .text("blue"), .integer(9)],
      ])
    #expect(try connection.rows("SELECT * FROM w") == [[.integer(1), .text("new")]])
    #expect(try connection.rows("SELECT v FROM loud") == [[.text("blue")]])
    #expect(throws: DatabaseError.self) { try connection.execute("INSERT INTO t VALUES (3, 'red', 1)") }
    #expect(try found("red") == [[.integer(1)]] && found("blue") == [[.integer(2)]] && found("green").isEmpty)
    try connection.execute("INSERT INTO find(find, rank) VALUES ('integrity-check', 1)")
    let meta = try SeedTables.meta(connection)
    #expect(meta.version == 6 && meta.model == "1.1" && meta.schema == new.hash && meta.series == Self.series)
    #expect(try connection.integer("PRAGMA user_version") == 1001)
    #expect(try SeedTables.sums(connection) == sums)
    #expect(try SeedCheck(connection, new).sums() == sums && meta.digest == StateDigest.of(sums))
    try SeedCheck(connection, new).run()
  }

  @Test func `one applier goes on with deltas of the newer minor`() throws {
    let applier = DeltaApplier(connection, old)
    let connection = connection
    _ = try connection.transaction { try applier.apply(delta()) }
    #expect(applier.schema == new)
    var writer = DeltaWriter()
    writer.begin(table: "w", key: ["id"], columns: ["id", "x"])
    writer.delete([.integer(1)])
    var after = sums
    after["w"] = TableSum()
    let next = writer.document(
      DeltaHeader(
        series: Self.series, model: "1.1", schema: new.hash, from: 6, to: 7, digest: StateDigest.of(after)))
    _ = try connection.transaction { try applier.apply(next) }
    #expect(try SeedTables.meta(connection).version == 7)
    try SeedCheck(connection, new).run()
  }

  /// Newer versions of SQLite check each new column of a STRICT table in the same way.
  @Test func `a column that SQLite checks in each row is added`() throws {
    let (plain, checked) = ("DEFAULT 7", "DEFAULT 7 CHECK (n > 0)")
    let schema = try SchemaReader.schema(of: Self.newSQL.replacing(plain, with: checked))
    try apply(delta(Self.additions.map { $0.replacing(plain, with: checked) }, schema: schema.hash))
    #expect(try SeedTables.sums(connection) == sums)
  }

  // MARK: Other statements

  private static let foreign = [
    "DROP TABLE t", "DELETE FROM t", "INSERT INTO t VALUES (3, 'x')", "UPDATE t SET v = 'x'",
    "REPLACE INTO t VALUES (1, 'x')", "UPDATE seedbank_meta SET value = '9' WHERE key = 'version'",
    "CREATE TABLE x AS SELECT * FROM t", "ALTER TABLE t RENAME TO x", "ALTER TABLE t RENAME COLUMN v TO x",
    "ALTER TABLE t DROP COLUMN v", "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "CREATE TEMP TABLE x(a INTEGER PRIMARY KEY)", "CREATE TEMP VIEW x AS SELECT v FROM t",
    "ATTACH ':memory:' AS x", "DETACH main", "PRAGMA user_version = 7", "PRAGMA writable_schema = ON",
    "VACUUM",
    "ANALYZE", "REINDEX", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT x", "SELECT 1", "SELECT * FROM t", "",
    ";",
    "-- nothing", "CREATE TABLE", "EXPLAIN CREATE TABLE x(a INTEGER PRIMARY KEY)",
    "CREATE TABLE x(a INTEGER PRIMARY KEY); DELETE FROM t", "CREATE TABLE x(a INTEGER PRIMARY KEY);\nCOMMIT",
    "CREATE VIRTUAL TABLE x USING rtree(id, low, high)", "CREATE VIRTUAL TABLE x USING fts5vocab(find, row)",
    "CREATE TABLE seedbank_x(a INTEGER PRIMARY KEY)", "CREATE TABLE Seedbank_Index(a INTEGER PRIMARY KEY)",
    "CREATE VIEW seedbank_x AS SELECT v FROM t", "CREATE INDEX x ON seedbank_meta(value)",
    "ALTER TABLE seedbank_meta ADD COLUMN x", "CREATE INDEX x ON sqlite_schema(sql)",
    "CREATE INDEX x ON t(replace(v, 'r', 'l'))", "CREATE INDEX x ON t(id) WHERE v LIKE '%e%'",
    "CREATE INDEX x ON t(random())", "CREATE INDEX x ON t((SELECT max(id) FROM t))",
    "ALTER TABLE t ADD COLUMN x DEFAULT CURRENT_TIMESTAMP", "ALTER TABLE t ADD COLUMN x NOT NULL",
    "ALTER TABLE t ADD COLUMN x UNIQUE",
    // The rows break it.
    "CREATE UNIQUE INDEX x ON t(n)",
  ]

  @Test(arguments: foreign) func `a statement that is not an addition is rejected, and nothing changes`(
    _ statement: String
  ) throws {
    for statements in [[statement] + Self.additions, Self.additions + [statement]] {
      let error = #expect(throws: ForeignDefinition.self) { try apply(delta(statements)) }
      #expect(error?.sql == statement && error?.reason.isEmpty == false)
      try expectUntouched()
    }
    try apply(delta())
  }

  @Test func `the error of a rejected statement says why`() throws {
    for (statement, reason) in [
      ("DELETE FROM t", "its SQL must add exactly one thing"),
      (
        "CREATE INDEX x ON t(replace(v, 'r', 'l'))", "it calls replace(), which can take too long on a device"
      ),
    ] {
      let error = #expect(throws: ForeignDefinition.self) { try apply(delta([statement])) }
      #expect(error?.description.contains("the schema cannot be extended: \(reason)") == true)
      #expect(error?.description.contains(statement) == true)
    }
  }

  // MARK: Other schemas

  private func expectRejected(_ document: [UInt8], as error: ApplyError) throws {
    #expect(throws: error) { try apply(document) }
    try expectUntouched()
  }

  @Test func `additions to or from another schema are rejected, and so is another schema without additions`()
    throws
  {
    try expectRejected(delta([]), as: .otherSchema)
    for index in Self.additions.indices.dropFirst() {
      var fewer = Self.additions
      fewer.remove(at: index)
      try expectRejected(delta(fewer), as: .otherSchema)
    }
    try expectRejected(delta(Self.additions + ["CREATE INDEX more ON t(n)"]), as: .otherSchema)
    try expectRejected(delta(schema: .of([1])), as: .otherSchema)
    try expectRejected(delta(before: .of([1])), as: .otherSeries)
    try expectRejected(delta(before: new.hash), as: .otherSeries)
    try expectRejected(delta(isPlain: true), as: .otherSeries)
  }

  @Test func `a delta that begins a minor applies once`() throws {
    try apply(delta())
    #expect(throws: ApplyError.otherSeries) { try apply(delta()) }
    try SeedCheck(connection, new).run()
  }

  @Test func `additions whose table was altered by hand are rejected`() throws {
    try connection.execute("CREATE INDEX mine ON t(v)")
    #expect(throws: ApplyError.otherSchema) { try apply(delta()) }
    #expect(try SeedTables.meta(connection).version == 5)
  }
}
