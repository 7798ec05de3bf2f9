import SeedDatabase
import SeedFormat
import Support
import Testing

@Suite struct RowTests {
  static let values: [SeedValue] = [
    .null, .integer(0), .integer(-1), .integer(12), .integer(.max), .integer(.min),
    .integer(9_007_199_254_740_993),
    .real(0), .real(-0.0), .real(12), .real(1.5), .real(9_007_199_254_740_992), .real(1e300), .real(-1e300),
    .real(.infinity), .real(-.infinity), .real(9.3e18), .text(""), .text("12"), .text("12.0"), .text(" 12"),
    .text("1e2"),
    .text("abc"), .text("ABC"), .text("abc "), .text("ab\u{0}c"), .text("ab\u{0}d"), .text("AB\u{0}d"),
    .text("é"),
    .text("E"), .text("_"), .text("9223372036854775808"), .blob([]), .blob([49, 50]), .blob([0]),
    .blob([255]),
  ]

  @Test(arguments: [
    "INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC", "", "VARCHAR(10)", "FLOATING POINT", "DATETIME", "DOUBLE",
  ])
  func `a value gets the affinity that SQLite would apply`(_ type: String) throws {
    let connection = try Connection("test", .memory)
    try connection.execute("CREATE TABLE t(k PRIMARY KEY, v \(type))")
    let table = try SchemaReader(connection).table("t")
    let fitter = AffinityFitter()
    for value in Self.values {
      try connection.execute("DELETE FROM t")
      try connection.execute("INSERT INTO t VALUES (1, ?)", value)
      #expect(try connection.value("SELECT v FROM t") == fitter.fit(value, to: table.columns[1].affinity))
    }
  }

  @Test(arguments: ["BINARY", "NOCASE", "RTRIM"])
  func `keys are ordered and distinguished like in SQLite's index`(_ collation: String) throws {
    let connection = try Connection("test", .memory)
    try connection.execute("CREATE TABLE t(k COLLATE \(collation), PRIMARY KEY(k))")
    let order = KeyOrder(try SchemaReader(connection).table("t"))
    for left in Self.values {
      for right in Self.values where left != .null && right != .null {
        let sql = "SELECT (?1 < ?2 COLLATE \(collation)) - (?1 > ?2 COLLATE \(collation))"
        let expected = try connection.integer(sql, left, right) ?? 0
        #expect(order.compare([left], [right]).signum() == -Int(expected), "\(left) and \(right)")
      }
    }
  }

  @Test func `text that is not UTF-8 is an error with its column`() throws {
    let connection = try Connection("test", .memory)
    #expect(throws: InvalidText(column: "name")) { try connection.rows("SELECT CAST(x'ff' AS TEXT) AS name") }
  }

  @Test func `empty text and empty blob are not NULL`() throws {
    let connection = try Connection("test", .memory)
    #expect(try connection.rows("SELECT ?, ?", .text(""), .blob([])) == [[.text(""), .blob([])]])
  }

  @Test func `an error contains the statement but not its values`() throws {
    let connection = try Connection("test", .memory)
    try connection.execute("CREATE TABLE t(a CHECK (a < 5))")
    let error = #expect(throws: DatabaseError.self) {
      try connection.execute("INSERT INTO t VALUES (?)", .integer(98_765))
    }
    #expect(error?.code == 275 && error?.subject == "INSERT INTO t VALUES (?)")
    #expect(error?.description.contains("98765") == false)
  }
}
