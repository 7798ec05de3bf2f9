import SeedDatabase
import SeedFormat
import SeedPublisher
import Support
import Testing

@Suite struct HardCasesValueTests {
  @Test(arguments: [
    ("INTEGER", "'12'", SeedValue.integer(12)), ("INTEGER", "' 7 '", .integer(7)),
    ("INTEGER", "1e3", .integer(1000)),
    ("NUMERIC", "1.5", .real(1.5)),
    ("NUMERIC", "'1e2'", .integer(100)), ("REAL", "5", .real(5)), ("REAL", "'0.5'", .real(0.5)),
    ("TEXT", "12", .text("12")), ("TEXT", "1.0", .text("1.0")), ("VARCHAR(3)", "12345", .text("12345")),
    ("DATETIME", "'2026-08-01'", .text("2026-08-01")),
  ])
  func `a value converted by column affinity is published once in its stored form`(
    _ type: String, _ literal: String, _ stored: SeedValue
  ) throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v \(type))", "CREATE TABLE t(id, v)")
    try series.step("INSERT INTO t VALUES ('1', \(literal))")
    #expect(try series.query("SELECT id, v FROM t") == [[.integer(1), stored]])
    #expect(try series.publish().outcome == .unchanged)
  }

  /// Values that SQL's operators consider equal in a column of this declaration.
  @Test(arguments: [
    ("TEXT COLLATE NOCASE", "'berlin'", "'BERLIN'"), ("", "1", "1.0"), ("", "0.0", "-0.0"),
    ("BLOB", "0.0", "-0.0"),
    ("TEXT COLLATE RTRIM", "'a'", "'a '"), ("", "9007199254740992", "9007199254740992.0"),
  ])
  func `a change between values equal in SQL is published`(_ type: String, _ old: String, _ new: String)
    throws
  {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v \(type))",
      "CREATE TABLE t(id, v); INSERT INTO t VALUES (1, \(old))")
    for literal in [new, old] {
      #expect(try series.step("UPDATE t SET v = \(literal)").outcome == .changed)
      let expected = try Connection("expected", .memory).rows("SELECT \(literal)")
      #expect(try series.query("SELECT v FROM t") == expected)
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

  @Test(arguments: ["", "TEXT", "INTEGER", "REAL", "BLOB", "NUMERIC"])
  func `every edge case value arrives unchanged`(_ type: String) throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v \(type))", "CREATE TABLE t(id INTEGER PRIMARY KEY, v \(type))"
    )
    let edges = try edges(of: type)
    let rows = edges.enumerated().map { "(\($0.offset), \($0.element))" }.joined(separator: ", ")
    try series.step("INSERT INTO t VALUES \(rows)")
    let origin = try Connection(series.deployment.originPath, .origin)
    #expect(try series.query("SELECT id, v FROM t") == origin.rows("SELECT id, v FROM t"))
    #expect(try series.publish().outcome == .unchanged)
    try series.step("UPDATE t SET v = (SELECT v FROM t AS o WHERE o.id = (t.id + 1) % \(edges.count))")
    #expect(try series.publish().outcome == .unchanged)
  }

  @Test func `every nullable column can become NULL`() throws {
    let columns = ["INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", ""].enumerated().map {
      "c\($0.offset) \($0.element)"
    }
    let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))"
    let series = try FollowedSeries(sql, sql + "; INSERT INTO t VALUES (1, 1, 1, 1, 1, 1, 1)")
    try series.step("INSERT INTO t(id) VALUES (2); UPDATE t SET c0 = NULL, c1 = NULL, c2 = NULL, c3 = NULL")
    try series.step("UPDATE t SET c4 = NULL, c5 = NULL, c1 = '' WHERE id = 1")
    #expect(try series.query("SELECT c1, c4, c5 FROM t WHERE id = 1") == [[.text(""), .null, .null]])
  }

  @Test(.full) func `a row may have nine mebibytes`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT, bytes BLOB)", "CREATE TABLE t(id, body, bytes)")
    try series.step("INSERT INTO t VALUES (1, hex(zeroblob(\(4 << 20))), zeroblob(\(1 << 20)))")
    #expect(try series.query("SELECT length(body) + length(bytes) FROM t") == [[.integer(9 << 20)]])
    try series.step("UPDATE t SET body = 'small'")
  }

  @Test(arguments: ["INTEGER PRIMARY KEY", "TEXT PRIMARY KEY", "INTEGER NOT NULL UNIQUE"])
  func `a NULL key is rejected although SQLite would assign one`(_ key: String) throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id \(key), v)", "CREATE TABLE t(id, v); INSERT INTO t VALUES (1, 'one')")
    try series.refuse(
      "INSERT INTO t VALUES (NULL, 'two')", mending: "UPDATE t SET id = 2 WHERE id IS NULL",
      ["\"t\"", "\"id\""])
    #expect(try series.query("SELECT v FROM t ORDER BY id") == [[.text("one")], [.text("two")]])
  }

  @Test func `text that is not UTF-8 is rejected with table, column and row`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE t(id, name); INSERT INTO t VALUES (1, 'a')")
    try series.refuse(
      "INSERT INTO t VALUES (7, CAST(x'61ff' AS TEXT))", mending: "UPDATE t SET name = 'mended' WHERE id = 7",
      ["\"t\"", "\"name\"", "id = 7", "UTF-8"])
  }

  @Test func `a value longer than a device should hold is rejected with table, column and row`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, data BLOB)",
      "CREATE TABLE t(id, data); INSERT INTO t VALUES (1, x'00')")
    try series.refuse(
      "INSERT INTO t VALUES (7, zeroblob(\(Limits.valueBytes + 1)))",
      mending: "UPDATE t SET data = zeroblob(10) WHERE id = 7", ["\"t\"", "\"data\"", "id = 7", "64.0 MB"])
  }

  @Test func `text that is not UTF-8 is rejected in keys and in a first build`() throws {
    let deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE t(id TEXT PRIMARY KEY)")], in: try TemporaryFolder(inMemory: true))
    try deployment.origin("CREATE TABLE t(id); INSERT INTO t VALUES (CAST(x'ff' AS TEXT))")
    let error = #expect(throws: OriginError.self) { try deployment.step() }
    #expect("\(try #require(error))".contains("1 row (id = (not UTF-8))"))
  }
}
