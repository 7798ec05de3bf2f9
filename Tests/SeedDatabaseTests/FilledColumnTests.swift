import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

/// New columns whose values a delta lists without keys.
@Suite struct FilledColumnTests {
  private static let series = SeedSeries("test", model: "1.0")
  private static let additions = ["ALTER TABLE t ADD COLUMN v TEXT"]

  struct Table: Sendable, CustomTestStringConvertible {
    let sql: String
    /// The rows in the order of their keys.
    let rows: [[SeedValue]]
    var key: [String] = ["k"]

    var testDescription: String { sql }
  }

  static let tables = [
    Table(
      sql: "CREATE TABLE t(k INTEGER PRIMARY KEY, n INTEGER)",
      rows: [[.integer(-9), .integer(1)], [.integer(2), .integer(9)], [.integer(10), .integer(1)]]),
    Table(
      sql: "CREATE TABLE t(n INTEGER, k TEXT COLLATE NOCASE PRIMARY KEY NOT NULL)",
      rows: [[.integer(1), .text("a")], [.integer(0), .text("B")], [.integer(1), .text("c")]]),
    Table(
      sql: "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, n INTEGER) WITHOUT ROWID",
      rows: [[.text("B"), .integer(1)], [.text("a"), .integer(9)], [.text("é"), .integer(1)]]),
    Table(
      sql: "CREATE TABLE t(n INTEGER NOT NULL, k TEXT NOT NULL, PRIMARY KEY (k, n))",
      rows: [[.integer(9), .text("a")], [.integer(1), .text("b")], [.integer(2), .text("b")]],
      key: ["k", "n"]),
  ]

  private func seed(_ table: Table) throws -> (connection: Connection, schema: DatabaseSchema) {
    let connection = try Connection("seed", .memory)
    try connection.execute(table.sql)
    let schema = try makeSeed(connection, version: 5) { writer, schema in
      for row in table.rows.reversed() { try writer.insert(row, in: schema.tables[0]) }
    }
    return (connection, schema)
  }

  /// A delta that begins model 1.1 and fills the rows that have a value.
  private func delta(
    _ table: Table, _ values: [String?], _ schema: DatabaseSchema, additions: [String] = additions
  ) throws -> [UInt8] {
    let after = try SchemaReader.schema(of: ([table.sql] + additions).joined(separator: "; "))
    var writer = DeltaWriter()
    let columns = after.tables[0].columnNames
    writer.begin(table: "t", key: table.key, columns: columns, filling: [columns.count - 1])
    for value in values {
      if let value { LentBytes.lending([.text(value)]) { writer.fill(lent: $0) } } else { writer.skip() }
    }
    let rows = zip(table.rows, values).map { $0 + [$1.map(SeedValue.text) ?? .null] }
    return writer.document(
      DeltaHeader(
        series: Self.series, model: "1.1", schema: after.hash, from: 5, to: 6,
        digest: StateDigest.of(["t": sum(of: rows)]),
        additions: SchemaAdditions(
          before: schema.hash, statements: additions)))
  }

  private func apply(_ document: [UInt8], _ connection: Connection, _ schema: DatabaseSchema) throws {
    try connection.transaction { _ = try DeltaApplier(connection, schema).apply(document) }
  }

  @Test(arguments: tables)
  func `each row gets its own value in the order of the keys, even beside indexes of the new column`(
    _ table: Table
  ) throws {
    let (connection, schema) = try seed(table)
    try apply(delta(table, ["one", nil, "three"], schema), connection, schema)
    let rows = try connection.rows("SELECT * FROM t")
    #expect(Set(rows) == Set(zip(table.rows, [.text("one"), .null, .text("three")]).map { $0 + [$1] }))
    try SeedCheck(connection, SchemaReader(connection).schema()).run()
    let (indexed, _) = try seed(table)
    let key = table.key.joined(separator: ", ")
    let indexes = ["CREATE INDEX i ON t(\(key), v)", "CREATE UNIQUE INDEX u ON t(v, \(key))"]
    try apply(delta(table, ["z", "y", "x"], schema, additions: Self.additions + indexes), indexed, schema)
    #expect(
      try indexed.rows("SELECT v FROM t ORDER BY \(key)") == [[.text("z")], [.text("y")], [.text("x")]])
    try SeedCheck(indexed, SchemaReader(indexed).schema()).run()
  }

  @Test(arguments: [["a", "b", "c", "d"], [nil, nil, nil, "d"], [nil, nil, nil, nil, "e"]])
  func `values for more rows than the table has are rejected, and nothing changes`(_ values: [String?]) throws
  {
    let (connection, schema) = try seed(Self.tables[0])
    let document = try delta(Self.tables[0], values, schema)
    #expect(throws: ApplyError.tooManyRows(table: "t")) { try apply(document, connection, schema) }
    #expect(try SchemaReader(connection).schema() == schema)
    try SeedCheck(connection, schema).run()
  }

  @Test func `a disk that is full after the additions leaves the older minor, which gets the delta later`()
    throws
  {
    let (connection, schema) = try seed(Self.tables[0])
    let document = try delta(Self.tables[0], [String(repeating: "x", count: 100_000), nil, "c"], schema)
    let pages = try #require(try connection.integer("PRAGMA page_count"))
    try connection.execute("PRAGMA max_page_count = \(pages)")
    let error = #expect(throws: DatabaseError.self) { try apply(document, connection, schema) }
    #expect(error?.saysFull == true && error?.subject.contains("ALTER TABLE") == false, "\(error as Any)")
    #expect(try SchemaReader(connection).schema() == schema)
    #expect(try SeedTables.meta(connection).version == 5)
    try SeedCheck(connection, schema).run()
    try connection.execute("PRAGMA max_page_count = 1000")
    try apply(document, connection, schema)
    try SeedCheck(connection, SchemaReader(connection).schema()).run()
  }

  @Test func `a row that was lost by damage is noticed`() throws {
    let (connection, schema) = try seed(Self.tables[0])
    try connection.execute("DELETE FROM t WHERE k = 2")
    let document = try delta(Self.tables[0], ["a", nil, nil], schema)
    #expect(throws: ApplyError.digestMismatch(at: 6)) { try apply(document, connection, schema) }
  }

  @Test(arguments: [
    (#""fill":["v"]"#, #""fill":["k"]"#, ["k"]), (#""fill":["v"]"#, #""fill":["x"]"#, ["x"]),
    (#""fill":["v"],"filled":["a"]"#, #""fill":["v","v"],"filled":["a","b"]"#, ["v", "v"]),
  ])
  func `a key column, an unknown column and a column named twice cannot be filled`(
    _ part: String, _ other: String, _ columns: [String]
  ) throws {
    let (connection, schema) = try seed(Self.tables[0])
    let document = String(decoding: try delta(Self.tables[0], ["a"], schema), as: UTF8.self)
    let broken = document.replacing(part, with: other)
    try #require(broken != document)
    let error = ImportError.wrongSet(table: "t", columns: columns)
    #expect(throws: error) { try apply(Array(broken.utf8), connection, schema) }
    try SeedCheck(connection, schema).run()
  }
}
