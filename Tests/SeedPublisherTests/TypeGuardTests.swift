import SeedDatabase
import SeedFormat
import SeedPublisher
import SeedSystem
import Support
import Testing

/// Numeric columns accept only numbers, whatever the origin contains.
@Suite struct TypeGuardTests {
  private static let schema =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, x REAL, day DATE, price DECIMAL(8, 2), name TEXT, photo BLOB, v)"
  private static let tries = Stage.pick(quick: 30, full: 60, deep: 60)
  private static let origin = "CREATE TABLE t(id INTEGER PRIMARY KEY, n, x, day, price, name, photo, v);"

  private func series(rows: Int = 3) throws -> FollowedSeries {
    try FollowedSeries(
      Self.schema,
      """
      \(Self.origin) WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < \(rows))
      INSERT INTO t SELECT i, i, i + 0.5, '2026-01-02', i / 4.0, 'name ' || i, x'00', i FROM c;
      """)
  }

  @Test func `a numeric column that turns into text is rejected with its rows and a remedy`() throws {
    let series = try series(rows: 500)
    try series.refuse(
      "UPDATE t SET n = 'no ' || n", mending: "UPDATE t SET n = CAST(substr(n, 4) AS INTEGER) + 1",
      [
        "table \"t\": the column \"n\" holds a string, but clients read it as INTEGER",
        "500 rows (id = 1; id = 2; id = 3; …)",
        "cast it with a SELECT in the new file models/1.0/t.sql", "NUMERIC", "a new major",
      ])
    #expect(
      try series.query("SELECT sum(n), count(*) FROM t WHERE typeof(n) = 'integer'") == [[125_750, 500]])
  }

  @Test func `a value of a wrong type is rejected in an update and in an insert`() throws {
    let series = try series()
    for (column, literal, words) in [
      ("n", "'x'", "a string"), ("n", "''", "a string"), ("n", "x'00'", "bytes"), ("n", "1.5", "not whole"),
      ("n", "1e300", "not whole"), ("x", "'1,5'", "a string"), ("x", "x'00'", "bytes"),
    ] {
      let names = ["table \"t\": the column \"\(column)\" holds", words]
      try series.refuse(
        "UPDATE t SET \(column) = \(literal) WHERE id = 2",
        mending: "UPDATE t SET \(column) = 7 WHERE id = 2", names + ["1 row (id = 2)"])
      try series.refuse(
        "INSERT INTO t(id, \(column)) VALUES (9, \(literal))", mending: "DELETE FROM t WHERE id = 9",
        names + ["1 row (id = 9)"])
    }
  }

  @Test func `a value of a wrong type is rejected in a first build`() throws {
    let deployment = try TestDeployment([model("1.0", Self.schema)], in: try TemporaryFolder(inMemory: true))
    try deployment.origin("\(Self.origin) INSERT INTO t(id, n) VALUES (1, 1), (2, 'two')")
    let error = #expect(throws: OriginError.self) { try deployment.step() }
    #expect("\(try #require(error))".contains("1 row (id = 2)"))
    #expect(throws: NotASeed.self) { try deployment.metadata() }
  }

  @Test func `NULL in a column that only the model declares NOT NULL is found before a step`() throws {
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INTEGER NOT NULL)"
    let deployment = try TestDeployment([model("1.0", schema)], in: try TemporaryFolder(inMemory: true))
    try deployment.origin(
      "\(Self.origin) INSERT INTO t(id, n) VALUES (1, 1), (2, 'two'); INSERT INTO t(id, name) VALUES (3, 'c')"
    )
    let plan = deployment.job.plans[0]
    let table = plan.schema.tables[0]
    let found = try deployment.job.readyOrigin().drift(
      table, plan.projection(table), TypeGuard(plan, copyPath: deployment.folder("none")))
    let remedy = "give these rows a value, or replace NULL with a SELECT in the new file models/1.0/t.sql"
    for words in [
      "the column \"name\" holds NULL, but the model declares it NOT NULL: \(remedy)",
      "2 rows (id = 1; id = 2)",
      "the column \"n\" holds NULL", "1 row (id = 3)", "the column \"n\" holds a string", "1 row (id = 2)",
    ] { #expect(found.contains { $0.contains(words) }, "\(words): \(found)") }
    #expect(found.count == 3)
    #expect(throws: OriginError.self) { try deployment.step() }
  }

  @Test(arguments: [
    ("'one'", "row id = 1: the column \"n\" holds a string"),
    ("1", "table \"t\" (models/1.0/t.sql): a row cannot be read: integer overflow"),
  ])
  func `a row for which a SELECT fails is reported with its table, after a wrong value before it`(
    _ first: String, _ words: String
  ) throws {
    let select = "SELECT id, CASE id WHEN 2 THEN abs(n) ELSE n END AS n FROM t"
    let deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER)", projections: ["t": select])],
      in: try TemporaryFolder(inMemory: true))
    try deployment.origin("\(Self.origin) INSERT INTO t(id, n) VALUES (1, \(first)), (2, \(Int64.min))")
    let error = try #require(#expect(throws: OriginError.self) { try deployment.step() })
    #expect(error.description.contains(words) && !error.isUnavailable, "\(error)")
  }

  @Test func `a value is published if SQLite converts it or its column's type permits it`() throws {
    let series = try series()
    for (column, literal) in [
      ("n", "'12'"), ("n", "3.0"), ("n", "NULL"), ("x", "4"), ("x", "'0.5'"), ("x", "9e999"),
      ("day", "'2024-01-01'"), ("day", "x'00'"), ("price", "'12,50'"), ("price", "1.5"), ("name", "x'00'"),
      ("name", "7"), ("photo", "'text'"), ("v", "'text'"), ("v", "1.5"),
    ] {
      let report = try series.step("UPDATE t SET \(column) = \(literal)")
      #expect(report.outcome == .changed, "\(column) = \(literal)")
    }
  }

  @Test func `a row is published only if its numeric columns hold numbers`() throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, x REAL)"
    let series = try FollowedSeries(
      schema, "CREATE TABLE t(id INTEGER PRIMARY KEY, n, x); INSERT INTO t VALUES (1, 1, 1)")
    let sqlite = try Connection("typed", .memory)
    try sqlite.execute("\(schema); INSERT INTO t(id) VALUES (1)")
    var refused = 0
    for _ in 0..<Self.tries {
      let values = [HardValues.any(&random), HardValues.any(&random)]
      for connection in [sqlite, try Connection(series.deployment.originPath, .writer)] {
        try connection.prepare("UPDATE t SET n = ?, x = ?").run(values)
      }
      let isOfType = try sqlite.value(
        "SELECT typeof(n) IN ('integer', 'null') AND typeof(x) IN ('real', 'null') FROM t")
      do {
        try series.publish()
        #expect(isOfType == .integer(1), "seed \(seed): \(values) were published")
      } catch let error as OriginError {
        refused += 1
        #expect(isOfType == .integer(0), "seed \(seed): \(values): \(error)")
      }
    }
    #expect(refused > 0 && refused < Self.tries, "seed \(seed)")
  }

  // MARK: Published texts

  private static let plain = "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, x REAL)"

  /// A deployment whose clients have a text in an INTEGER column.
  private func withText() throws -> TestDeployment {
    let deployment = try TestDeployment([model("1.0", Self.plain)], in: try TemporaryFolder(inMemory: true))
    try deployment.change("CREATE TABLE t(id, n, x); INSERT INTO t VALUES (1, 1, 1)")
    let schema = deployment.job.plans[0].schema
    let copy = try Connection(deployment.folder("state/test-1.sqlite"), .writer)
    let bytes = LentBytes()
    try copy.transaction {
      let writer = try SeedWriter(copy, schema)
      try writer.rows(of: schema.tables[0]).write(
        lent: bytes.lend([.integer(2), .text("old"), .null]), isNew: true)
      _ = try writer.finish()
    }
    #expect(try deployment.change("INSERT INTO t VALUES (2, 'old', NULL)").outcome == .unchanged)
    return deployment
  }

  @Test func `only a column with published texts accepts more of them and no column accepts blobs`()
    throws
  {
    let deployment = try withText()
    #expect(
      try deployment.change("INSERT INTO t VALUES (3, 'new', NULL); UPDATE t SET n = 'newer' WHERE id = 1")
        .outcome == .changed)
    for bad in ["UPDATE t SET x = 'text' WHERE id = 3", "UPDATE t SET n = x'00' WHERE id = 3"] {
      try deployment.origin(bad)
      #expect(throws: OriginError.self) { try deployment.step() }
      try deployment.origin("UPDATE t SET n = 'new', x = NULL WHERE id = 3")
    }
    #expect(try deployment.step().series[0].outcome == .unchanged)
  }

  @Test func `a new minor keeps published texts and a new major rejects them`() throws {
    let deployment = try withText()
    let minors = [model("1.0", Self.plain), model("1.1", Self.plain + "; CREATE VIEW v AS SELECT n FROM t")]
    try deployment.use(minors)
    #expect(try deployment.step().series[0].outcome == .changed)
    try deployment.use(minors + [model("2.0", Self.plain)])
    let error = #expect(throws: OriginError.self) { try deployment.step() }
    #expect("\(try #require(error))".contains("1 row (id = 2)"))
  }
}
