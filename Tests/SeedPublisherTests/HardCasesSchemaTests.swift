import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import Support
import Testing

@Suite struct HardCasesSchemaTests {
  @Test(arguments: [
    ("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT COLLATE german)", "german"),
    (
      "CREATE TABLE t(id INTEGER PRIMARY KEY, n); CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END",
      "trigger \"x\""
    ),
  ])
  func `a custom collation or a trigger is rejected before any comparison`(
    _ schema: String, _ name: String
  ) throws {
    let error = #expect(throws: PlanError.self) { try SeriesPlan.plans("test", [model("1.0", schema)]) }
    let text = "\(try #require(error))"
    #expect(text.contains("models/1.0/schema.sql") && text.contains(name))
  }

  @Test func `generated columns are not sent or hashed and are correct, even in a view`() throws {
    let series = try FollowedSeries(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a, doubled AS (a * 2), kept AS (a || '!') STORED, CHECK (doubled < 100));
      CREATE VIEW large AS SELECT id FROM t WHERE doubled > 6
      """,
      "CREATE TABLE t(id, a, doubled, kept); INSERT INTO t VALUES (1, 2, 'never', 'read')")
    #expect(try series.step("UPDATE t SET doubled = 'still never'").outcome == .unchanged)
    try series.step("UPDATE t SET a = 3; INSERT INTO t VALUES (2, 4, NULL, NULL)")
    #expect(
      try series.query("SELECT doubled, kept FROM t") == [[6, "3!"], [8, "4!"]])
    #expect(try series.query("SELECT id FROM large") == [[2]])
    #expect(try !series.text().contains("doubled") && !series.text().contains("kept"))
    try series.refuse(
      "UPDATE t SET a = 50 WHERE id = 1", mending: "UPDATE t SET a = 49 WHERE id = 1",
      ["\"t\"", "id = 1", "CHECK"])
  }

  @Test func `a table whose key is its last column is published although SQLite reports NULLs in it`() throws
  {
    let series = try FollowedSeries(
      "CREATE TABLE t(v TEXT, d TEXT NOT NULL, k INTEGER, PRIMARY KEY(k)) WITHOUT ROWID; CREATE INDEX i ON t(d) WHERE k > 1",
      "CREATE TABLE t(v, d, k); INSERT INTO t VALUES (NULL, 'one', 1), ('v', 'two', 2)")
    try series.step("INSERT INTO t VALUES (NULL, 'three', 3); UPDATE t SET d = 'other' WHERE k = 1")
    try series.refuse(
      "UPDATE t SET d = NULL WHERE k = 2", mending: "UPDATE t SET d = 'two' WHERE k = 2",
      ["\"t\"", "NOT NULL"])
    #expect(try series.query("SELECT count(*) FROM t") == [[.integer(3)]])
  }

  /// Content tables with a rowid column, and with SQLite's implicit rowid.
  @Test func `an external-content FTS5 table is never stale in a client or a snapshot`() throws {
    let series = try FollowedSeries(
      numbered(
        [("INTEGER", "id"), ("TEXT", "rowid")].map { type, rowid in
          """
          CREATE TABLE note#(id \(type) PRIMARY KEY, title TEXT, body TEXT);
          CREATE VIRTUAL TABLE search# USING fts5(title, body, content='note#', content_rowid='\(rowid)')
          """
        }),
      numbered(
        """
        CREATE TABLE note#(id, title, body);
        INSERT INTO note# VALUES ('1', 'first', 'apple'), ('2', 'second', 'pear'), ('3', 'third', 'plum')
        """, 2))
    func expect(_ word: String, _ titles: String...) throws {
      for number in 0...1 {
        #expect(try found(word, number, series.client) == titles, "\(word) in note\(number)")
      }
    }
    try expect("apple", "first")
    try series.step(
      numbered("UPDATE note# SET body = 'quince' WHERE id = '1'; DELETE FROM note# WHERE id = '2'", 2))
    try expect("apple")
    try expect("pear")
    try expect("quince", "first")
    try series.step(
      numbered("INSERT INTO note# VALUES ('0', 'again', 'pear plum'), ('9', 'ninth', 'apple')", 2))
    try expect("pear", "again")
    try expect("plum", "again", "third")
    try expect("apple", "ninth")
    let snapshot = try #require(try series.deployment.metadata().newestSnapshot)
    let file = try Connection(try series.deployment.expand(snapshot, to: "search.sqlite"), .writer)
    for number in 0...1 { #expect(try found("plum", number, file) == ["again", "third"]) }
    try series.step(numbered("DELETE FROM note#", 2))
    try expect("plum")
  }

  /// The titles of the notes that have a word, by the search table's rowids.
  private func found(_ word: String, _ number: Int, _ file: Connection) throws -> [String] {
    let search = "search\(number)"
    try file.execute("INSERT INTO \(search)(\(search), rank) VALUES ('integrity-check', 1)")
    return try file.rows(
      """
      SELECT note.title FROM \(search) JOIN note\(number) AS note ON note.rowid = \(search).rowid
      WHERE \(search) MATCH '\(word)' ORDER BY 1
      """
    ).map(\.[0].text)
  }

  @Test func `a table can be emptied and filled again`() throws {
    let series = try FollowedSeries(
      numbered(["", " WITHOUT ROWID"].map { "CREATE TABLE t#(id TEXT PRIMARY KEY, v)\($0)" })
        + "; CREATE TABLE u(id INTEGER PRIMARY KEY)",
      "CREATE TABLE u(id); "
        + numbered(
          "CREATE TABLE t#(id, v); INSERT INTO t# SELECT value, 'v' FROM json_each('[1,2,3,4,5,6,7,8,9]')", 2)
    )
    let changes = try series.step(numbered("DELETE FROM t#", 2)).changes
    for table in ["t0", "t1"] { #expect(changes[table]?.deleted == 9) }
    #expect(try series.publish().outcome == .unchanged)
    for row in ["('x', 1)", "('', 2)"] { try series.step(numbered("INSERT INTO t# VALUES \(row)", 2)) }
  }

  @Test(.full) func `a schema may have five hundred tables`() throws {
    let tables = (0..<500).map { "CREATE TABLE t\($0)(id INTEGER PRIMARY KEY, v TEXT)" }.joined(
      separator: ";")
    let series = try FollowedSeries(tables, tables)
    try series.step((0..<500).map { "INSERT INTO t\($0) VALUES (1, 'in \($0)')" }.joined(separator: ";"))
    let report = try series.step("DELETE FROM t7; UPDATE t499 SET v = 'new'")
    #expect(report.changes.filter { !$0.value.isEmpty }.count == 2)
  }

  @Test func `a table may have a thousand columns`() throws {
    let names = (1..<1000).map { "c\($0)" }.joined(separator: ", ")
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, \(names))", "CREATE TABLE t(\(names), id)")
    try series.step("INSERT INTO t(id, c1, c999) VALUES (1, 'first', 'last'), (2, 1, 2)")
    try series.step("UPDATE t SET c500 = 'middle' WHERE id = 2; DELETE FROM t WHERE id = 1")
    #expect(
      try series.query("SELECT id, c1, c500, c999 FROM t") == [
        [.integer(2), .integer(1), .text("middle"), .integer(2)]
      ])
  }

  // MARK: Projections

  @Test func `names may need quotes and differ in case from the origin's`() throws {
    let series = try FollowedSeries(
      #"CREATE TABLE "odd ""name"""("the key" TEXT, "select" INTEGER, "ü'" BLOB, PRIMARY KEY("the key", "select"))"#,
      #"CREATE TABLE "ODD ""NAME"""("SELECT", "ü'", extra, "The Key")"#)
    try series.step(#"INSERT INTO "odd ""name""" VALUES (1, x'00', 'not sent', 'k'), (2, NULL, NULL, 'k')"#)
    try series.step(#"UPDATE "odd ""name""" SET "ü'" = x'01', "select" = 3 WHERE "select" = 2"#)
    #expect(try !series.text().contains("extra"))
  }

  /// The second SELECT yields another order, so its rows are staged.
  @Test func `a key that the projection yields twice is reported`() throws {
    let series = try FollowedSeries(
      numbered("CREATE TABLE t#(id INTEGER PRIMARY KEY, name)", 2),
      numbered(
        "CREATE TABLE source#(code, name); INSERT INTO source# VALUES (9, 'a'), (10, 'b'), (100, 'c')", 2),
      projections: [
        "t0": "SELECT code AS id, name FROM source0",
        "t1": "SELECT CAST(code AS TEXT) AS id, name FROM source1",
      ])
    for number in 0...1 {
      let source = "source\(number)"
      try series.refuse(
        "INSERT INTO \(source) VALUES (10, 'again')",
        mending: "DELETE FROM \(source) WHERE name = 'again'; UPDATE \(source) SET name = 'B'",
        ["\"t\(number)\"", "id = 10", "two rows"])
    }
  }

  @Test func `keys that are equal only under the client's collation are reported`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id TEXT COLLATE NOCASE PRIMARY KEY)",
      "CREATE TABLE t(id); INSERT INTO t VALUES ('a'), ('berlin'), ('x ')")
    for (second, good) in [("BERLIN", "DELETE FROM t WHERE id LIKE 'berlin'"), ("x ", "DELETE FROM t")] {
      try series.refuse("INSERT INTO t VALUES ('\(second)')", mending: good, ["\"t\"", "id = ", "two rows"])
    }
  }

  /// Numbers as text in origins of each encoding, read by a client whose keys are numbers or texts.
  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `an origin whose key order differs from the client's is staged`(_ encoding: String) throws {
    let types = ["TEXT", "NUMERIC", "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", ""]
    let texts = "'é', 'z', 'ａ', '\u{10000}', '\u{FFFD}', '_', 'ab', 'a b', ''"
    let origin = types.map { type in
      let values =
        type == "NUMERIC"
        ? "'9', '10', 100, '-5', '1e1x', 2.5"
        : texts + (type.contains("NOCASE") ? "" : ", 'Z'") + ", 9, '10', 100"
      let rows = values.split(separator: ", ").map { "(\($0), 1)" }.joined(separator: ", ")
      return "CREATE TABLE t#(id, v); INSERT INTO t# VALUES \(rows)"
    }
    let series = try FollowedSeries(
      numbered(types.map { "CREATE TABLE t#(id \($0) NOT NULL UNIQUE, v)" }),
      "PRAGMA encoding = '\(encoding)'; \(numbered(origin))")
    #expect(try series.publish().outcome == .unchanged)
    let changes = try series.step(
      numbered(
        "UPDATE t# SET v = v + 1 WHERE rowid % 2; DELETE FROM t# WHERE rowid = 3; INSERT INTO t# VALUES ('m', 5)",
        types.count)
    ).changes
    for (number, type) in types.enumerated() {
      #expect(changes["t\(number)"]?.deleted == 1 && changes["t\(number)"]?.inserted == 1, "\(type)")
    }
    #expect(try series.publish().outcome == .unchanged)
  }

  @Test func `a row of a staged table that violates a constraint is reported`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v CHECK (v < 10), u UNIQUE)",
      "CREATE TABLE t(id, v, u); INSERT INTO t VALUES ('9', 1, 1), ('10', 2, 2)")
    try series.refuse(
      "UPDATE t SET v = 11 WHERE id = '10'", mending: "UPDATE t SET v = 9", ["\"t\"", "id = 10", "CHECK"])
    try series.refuse("UPDATE t SET u = 1", mending: "UPDATE t SET u = id", ["\"t\"", "UNIQUE"])
  }

  @Test func `a projection may end in a semicolon, a comment and white space`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v)",
      "CREATE TABLE s(a, b); INSERT INTO s VALUES (2, 'x'), (1, 'y')",
      projections: ["t": "-- all\nSELECT a AS id, b AS v FROM s WHERE a > 0 ORDER BY b ; -- of them\n\n"])
    try series.step("INSERT INTO s VALUES (0, 'not'), (3, 'z')")
    #expect(try series.query("SELECT id FROM t") == [[1], [2], [3]])
  }
}
