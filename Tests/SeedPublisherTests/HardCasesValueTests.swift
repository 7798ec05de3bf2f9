import SeedDatabase
import SeedFormat
import SeedPublisher
import Support
import Testing

@Suite struct HardCasesValueTests {
  @Test func `a value converted by column affinity is published once in its stored form`() throws {
    let cases: [(type: String, literal: String, stored: SeedValue)] = [
      ("INTEGER", "'12'", 12), ("INTEGER", "' 7 '", 7), ("INTEGER", "1e3", 1000), ("NUMERIC", "1.5", 1.5),
      ("NUMERIC", "'1e2'", 100), ("REAL", "5", 5.0), ("REAL", "'0.5'", 0.5), ("TEXT", "12", "12"),
      ("TEXT", "1.0", "1.0"), ("VARCHAR(3)", "12345", "12345"), ("DATETIME", "'2026-08-01'", "2026-08-01"),
    ]
    let names = cases.indices.map { "v\($0)" }
    let columns = zip(names, cases).map { "\($0) \($1.type)" }.joined(separator: ", ")
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns))",
      "CREATE TABLE t(id, \(names.joined(separator: ", ")))")
    try series.step("INSERT INTO t VALUES ('1', \(cases.map(\.literal).joined(separator: ", ")))")
    #expect(try series.query("SELECT * FROM t") == [[1] + cases.map(\.stored)])
    #expect(try series.publish().outcome == .unchanged)
  }

  /// Values that SQL's operators consider equal in a column of this declaration.
  @Test func `a change between values equal in SQL is published`() throws {
    let cases = [
      ("TEXT COLLATE NOCASE", "'berlin'", "'BERLIN'"), ("", "1", "1.0"), ("", "0.0", "-0.0"),
      ("BLOB", "0.0", "-0.0"), ("TEXT COLLATE RTRIM", "'a'", "'a '"),
      ("", "9007199254740992", "9007199254740992.0"),
    ]
    let series = try FollowedSeries(
      numbered(cases.map { "CREATE TABLE t#(id INTEGER PRIMARY KEY, v \($0.0))" }),
      numbered(cases.map { "CREATE TABLE t#(id, v); INSERT INTO t# VALUES (1, \($0.1))" }))
    for literals in [cases.map(\.2), cases.map(\.1)] {
      let changes = try series.step(numbered(literals.map { "UPDATE t# SET v = \($0)" })).changes
      for (number, literal) in literals.enumerated() {
        #expect(changes["t\(number)"]?.updated == 1, "\(literal)")
        let expected = try Connection("expected", .memory).rows("SELECT \(literal)")
        #expect(try series.query("SELECT v FROM t\(number)") == expected)
      }
      #expect(try series.publish().outcome == .unchanged)
    }
  }

  @Test func `a negative zero in a REAL column loses its sign on both sides as in SQLite`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, r REAL)", "CREATE TABLE t(id, r); INSERT INTO t VALUES (1, 0.0)"
    )
    #expect(try series.step("UPDATE t SET r = -0.0").outcome == .unchanged)
    #expect(try series.step("INSERT INTO t VALUES (2, -0.0)").outcome == .changed)
    #expect(try series.query("SELECT r FROM t") == [[.real(0)], [.real(0)]])
    #expect(try series.publish().outcome == .unchanged)
  }

  /// SQL literals of edge case values.
  static let edges = [
    "NULL", "''", "x''", "x'00'", "'x' || char(0) || 'y'", "'x' || char(0) || 'z'", "char(0)", "9e999",
    "-9e999",
    "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807",
    "-9223372036854775808", "9007199254740993.0", "1e300", "4.9e-324", "0.1", "5e15", "9.3e18", "'é'",
    "'e' || char(769)",
    "char(128512)", "char(65533)", "char(8232)", "'{\"i64\":\"1\"}'", "'\"\\'", "char(10, 9, 13, 1, 31, 127)",
  ]

  /// The edge cases that a column accepts; see TypeGuardTests for the others.
  private func edges(of type: String) throws -> [String] {
    let scratch = try Connection("edges", .memory)
    try scratch.execute("CREATE TABLE t(v \(type))")
    return try Self.edges.filter { literal in
      try scratch.execute("DELETE FROM t; INSERT INTO t VALUES (\(literal))")
      let found = try scratch.value("SELECT typeof(v) FROM t")?.text
      return !["INTEGER", "REAL"].contains(type) || found == "null" || found == type.lowercased()
    }
  }

  @Test func `every edge case value arrives unchanged`() throws {
    let types = ["", "TEXT", "INTEGER", "REAL", "BLOB", "NUMERIC"]
    let literals = try types.map { try edges(of: $0) }
    let schema = numbered(types.map { "CREATE TABLE t#(id INTEGER PRIMARY KEY, v \($0))" })
    let series = try FollowedSeries(schema, schema)
    try series.step(
      numbered(
        literals.map { values in
          let rows = values.enumerated().map { "(\($0.offset), \($0.element))" }
          return "INSERT INTO t# VALUES \(rows.joined(separator: ", "))"
        }))
    let origin = try Connection(series.deployment.originPath, .origin)
    for (number, type) in types.enumerated() {
      let all = "SELECT id, v FROM t\(number)"
      #expect(try series.query(all) == origin.rows(all), "\(type)")
    }
    #expect(try series.publish().outcome == .unchanged)
    try series.step(
      numbered(
        literals.map { "UPDATE t# SET v = (SELECT v FROM t# AS o WHERE o.id = (t#.id + 1) % \($0.count))" }))
    #expect(try series.publish().outcome == .unchanged)
  }

  @Test(.full) func `a row may have nine mebibytes`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT, bytes BLOB)", "CREATE TABLE t(id, body, bytes)")
    try series.step("INSERT INTO t VALUES (1, hex(zeroblob(\(4 << 20))), zeroblob(\(1 << 20)))")
    #expect(try series.query("SELECT length(body) + length(bytes) FROM t") == [[.integer(9 << 20)]])
    try series.step("UPDATE t SET body = 'small'")
  }

  @Test func `a NULL key is rejected although SQLite would assign one`() throws {
    let keys = ["INTEGER PRIMARY KEY", "TEXT PRIMARY KEY", "INTEGER NOT NULL UNIQUE"]
    let series = try FollowedSeries(
      numbered(keys.map { "CREATE TABLE t#(id \($0), v)" }),
      numbered("CREATE TABLE t#(id, v); INSERT INTO t# VALUES (1, 'one')", keys.count))
    for table in ["t0", "t1", "t2"] {
      try series.refuse(
        "INSERT INTO \(table) VALUES (NULL, 'two')",
        mending: "UPDATE \(table) SET id = 2 WHERE id IS NULL", ["\"\(table)\"", "\"id\""])
      #expect(try series.query("SELECT v FROM \(table) ORDER BY id") == [["one"], ["two"]])
    }
  }

  @Test func `text that is not UTF-8 and a value too long for devices are rejected with their place`() throws
  {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, data BLOB)",
      "CREATE TABLE t(id, name, data); INSERT INTO t VALUES (1, 'a', x'00')")
    try series.refuse(
      "INSERT INTO t VALUES (7, CAST(x'61ff' AS TEXT), NULL)",
      mending: "UPDATE t SET name = 'mended' WHERE id = 7", ["\"t\"", "\"name\"", "id = 7", "UTF-8"])
    try series.refuse(
      "INSERT INTO t VALUES (8, 'long', zeroblob(\(Limits.valueBytes + 1)))",
      mending: "UPDATE t SET data = zeroblob(10) WHERE id = 8", ["\"t\"", "\"data\"", "id = 8", "64.0 MB"])
  }

  @Test func `text that is not UTF-8 is rejected in keys and in a first build`() throws {
    let deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE t(id TEXT PRIMARY KEY)")], in: try TemporaryFolder(inMemory: true))
    try deployment.origin("CREATE TABLE t(id); INSERT INTO t VALUES (CAST(x'ff' AS TEXT))")
    let error = #expect(throws: OriginError.self) { try deployment.step() }
    #expect("\(try #require(error))".contains("1 row (id = (not UTF-8))"))
  }
}
