import SeedDatabase
import SeedFormat
import SeedPublisher
import Support
import Testing

/// Columns with unique values, which the rows of one delta exchange.
@Suite struct HardCasesUniqueTests {
  /// Ways to declare `slot` unique, each in its own table.
  private static let uniques = [
    "CREATE TABLE t#(id INTEGER PRIMARY KEY, slot UNIQUE)",
    "CREATE TABLE t#(id TEXT PRIMARY KEY, slot UNIQUE) WITHOUT ROWID",
    "CREATE TABLE t#(id INTEGER PRIMARY KEY, slot TEXT COLLATE NOCASE UNIQUE)",
    "CREATE TABLE t#(id INTEGER PRIMARY KEY, slot); CREATE UNIQUE INDEX i# ON t#(slot) WHERE slot IS NOT NULL",
    "CREATE TABLE t#(id INTEGER PRIMARY KEY, slot); CREATE UNIQUE INDEX i# ON t#(lower(slot))",
    "CREATE TABLE t#(id INTEGER PRIMARY KEY, slot, same DEFAULT 1, UNIQUE(same, slot))",
    "CREATE TABLE t#(id INTEGER PRIMARY KEY, slot, made AS (slot || '!') UNIQUE)",
    "CREATE TABLE t#(id INTEGER NOT NULL UNIQUE, slot TEXT UNIQUE)",
  ]

  private let slots: FollowedSeries

  init() throws {
    slots = try FollowedSeries(
      numbered(Self.uniques),
      numbered(
        Self.uniques.map { schema in
          """
          CREATE TABLE t#(id, slot\(schema.contains("same") ? ", same" : ""));
          INSERT INTO t#(id, slot) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, NULL)
          """
        }))
  }

  private func stepEverywhere(_ sql: String) throws {
    try slots.step(numbered(sql, Self.uniques.count))
  }

  private func expect(_ values: [(Int, String)]) throws {
    for (number, schema) in Self.uniques.enumerated() {
      for (id, slot) in values {
        let find = "SELECT 1 FROM t\(number) WHERE id = '\(id)' AND slot IS \(slot) COLLATE BINARY"
        #expect(try slots.query(find).count == 1, "\(id) in \(schema)")
      }
    }
  }

  private func move(_ values: [(Int, String)]) throws {
    let cases = values.map { "WHEN \($0.0) THEN \($0.1)" }.joined(separator: " ")
    try stepEverywhere("UPDATE t# SET slot = CASE id \(cases) ELSE slot END")
    try expect(values)
    #expect(try slots.publish().outcome == .unchanged)
  }

  @Test func `unique values rotate within one delta in either direction, and swap`() throws {
    try move([(1, "'b'"), (2, "'c'"), (3, "'d'"), (4, "'a'")])
    try move([(1, "'a'"), (2, "'b'"), (3, "'c'"), (4, "'d'")])
    try move([(1, "'b'"), (2, "'a'")])
  }

  @Test func `a chain of unique values ends in NULL, a new value or a new row`() throws {
    try move([(1, "'b'"), (2, "'c'"), (3, "NULL")])
    try move([(3, "'b'"), (2, "'x'"), (1, "'c'"), (4, "NULL")])
    try stepEverywhere(
      "INSERT INTO t#(id, slot) VALUES (0, 'b'), (9, 'x'); UPDATE t# SET slot = NULL WHERE id IN (2, 3)")
    try expect([(0, "'b'"), (9, "'x'")])
  }

  @Test func `a unique value moves from a deleted row to another one and changes its case`() throws {
    try stepEverywhere(
      "DELETE FROM t# WHERE id = 4; UPDATE t# SET slot = 'D' WHERE id = 1; INSERT INTO t#(id, slot) VALUES (7, 'a')"
    )
    try expect([(1, "'D'"), (7, "'a'")])
    try move([(1, "'A'"), (7, "'d'")])
  }
}

@Suite struct HardCasesKeyTests {
  @Test func `a changed key is a deleted and an inserted row`() throws {
    let series = try FollowedSeries(
      numbered([
        "CREATE TABLE t#(id TEXT PRIMARY KEY, v)", "CREATE TABLE t#(id TEXT PRIMARY KEY, v) WITHOUT ROWID",
        "CREATE TABLE t#(id NOT NULL UNIQUE, v)",
      ]), numbered("CREATE TABLE t#(id, v); INSERT INTO t# VALUES ('a', 1), ('b', 2)", 3))
    let report = try series.step(numbered("UPDATE t# SET id = 'z' WHERE id = 'a'", 3))
    try series.step(numbered("UPDATE t# SET id = CASE id WHEN 'z' THEN 'b' ELSE 'z' END", 3))
    for table in ["t0", "t1", "t2"] {
      let changes = report.changes[table]
      #expect(changes?.deleted == 1 && changes?.inserted == 1 && changes?.updated == 0, "\(table)")
      #expect(
        try series.query("SELECT id, v FROM \(table) ORDER BY id") == [["b", 1], ["z", 2]], "\(table)")
    }
  }

  @Test func `a key changes its case under NOCASE`() throws {
    let series = try FollowedSeries(
      numbered(
        ["", " WITHOUT ROWID"].map {
          """
          CREATE TABLE t#(id TEXT COLLATE NOCASE PRIMARY KEY, v)\($0);
          CREATE TABLE child#(id INTEGER PRIMARY KEY, t_id TEXT REFERENCES t# ON UPDATE CASCADE ON DELETE CASCADE)
          """
        }),
      numbered(
        """
        CREATE TABLE t#(id, v); INSERT INTO t# VALUES ('berlin', 1), ('Zürich', 2);
        CREATE TABLE child#(id, t_id); INSERT INTO child# VALUES (1, 'berlin')
        """, 2))
    let report = try series.step(numbered("UPDATE t# SET id = upper(id)", 2))
    for number in 0...1 {
      let changes = report.changes["t\(number)"]
      #expect(changes?.updated == 2 && changes?.deleted == 0)
      #expect(try series.query("SELECT id FROM t\(number) ORDER BY id") == [["BERLIN"], ["ZüRICH"]])
      // The reference matches under the parent's collation; the child keeps its own text.
      #expect(try series.query("SELECT t_id FROM child\(number)") == [["berlin"]])
    }
    try series.step(numbered("UPDATE t# SET id = 'Berlin', v = 3 WHERE v = 1", 2))
  }

  @Test func `a key whose number changes between integer and real stays the same row`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(k PRIMARY KEY, v)",
      "CREATE TABLE t(k, v); INSERT INTO t VALUES (1, 'a'), (0.0, 'b'), ('1', 'c')")
    try series.step("UPDATE t SET k = 1.0 WHERE v = 'a'; UPDATE t SET k = -0.0 WHERE v = 'b'")
    #expect(try series.query("SELECT k FROM t ORDER BY k") == [[.real(-0.0)], [.real(1)], ["1"]])
  }

  @Test func `integer keys beyond 2^53 stay distinct from nearby reals`() throws {
    let near =
      "(9007199254740991, 1), (9007199254740992.0, 2), (9007199254740993, 3), (9.3e18, 4), (9223372036854775807, 5)"
    let series = try FollowedSeries(
      "CREATE TABLE t(k PRIMARY KEY, v)", "CREATE TABLE t(k, v); INSERT INTO t VALUES \(near)")
    try series.step(
      "UPDATE t SET v = v + 10; DELETE FROM t WHERE v = 12; INSERT INTO t VALUES (9223372036854775806, 6)")
    #expect(
      try series.query("SELECT v FROM t ORDER BY k").map(\.[0]) == [11, 13, 6, 15, 14].map { .integer($0) })
  }

  @Test func `a composite key may have another column order than its table`() throws {
    let series = try FollowedSeries(
      numbered(
        ["", " WITHOUT ROWID"].map {
          "CREATE TABLE t#(v, a TEXT COLLATE NOCASE, b INTEGER, PRIMARY KEY(b, a))\($0)"
        }),
      numbered("CREATE TABLE t#(a, b, v); INSERT INTO t# VALUES ('x', 1, 1), ('y', 1, 2), ('x', 2, 3)", 2))
    try series.step(numbered("UPDATE t# SET b = 3 - b; INSERT INTO t# VALUES ('a', 10, 9), ('A', 9, 8)", 2))
    try series.step(numbered("DELETE FROM t# WHERE a = 'x'; UPDATE t# SET a = upper(a)", 2))
    for number in 0...1 {
      #expect(try series.query("SELECT b FROM t\(number) ORDER BY b") == [[2], [9], [10]])
    }
  }

  @Test func `rows that reference themselves or each other are inserted and deleted together`() throws {
    let series = try FollowedSeries(
      """
      CREATE TABLE tree(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES tree);
      CREATE TABLE a(id INTEGER PRIMARY KEY, b INTEGER NOT NULL REFERENCES b);
      CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES a)
      """, "CREATE TABLE tree(id, parent); CREATE TABLE a(id, b); CREATE TABLE b(id, a)")
    try series.step(
      "INSERT INTO tree VALUES (1, 1), (2, 3), (3, 2); INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1)"
    )
    try series.step(
      "UPDATE tree SET parent = 9 - id - parent WHERE id > 1; INSERT INTO tree VALUES (4, 4), (5, 4), (7, 5)")
    try series.step("DELETE FROM tree WHERE id < 4; DELETE FROM a; DELETE FROM b")
    #expect(try series.query("SELECT id FROM tree") == [[.integer(4)], [.integer(5)], [.integer(7)]])
  }

  @Test func `ON DELETE CASCADE deletes only rows that the delta names`() throws {
    let series = try FollowedSeries(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, v);
      CREATE TABLE c(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE)
      """,
      "CREATE TABLE p(id, v); CREATE TABLE c(id, p); INSERT INTO p VALUES (1, 1), (2, 2); INSERT INTO c VALUES (1, 1), (2, 1)"
    )
    // The child moves to another parent. A cascade would delete it before its own change is applied.
    let report = try series.step("DELETE FROM p WHERE id = 1; UPDATE c SET p = 2")
    #expect(report.changes["c"]?.updated == 2 && report.changes["c"]?.deleted == 0)
    #expect(try series.query("SELECT id, p FROM c").count == 2)
  }

  @Test func `a row with a dangling reference is rejected from both ends`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); "
        + numbered(
          ["", " WITHOUT ROWID"].map {
            "CREATE TABLE c#(id TEXT PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE)\($0)"
          }),
      "CREATE TABLE p(id); INSERT INTO p VALUES (1), (2), (3); "
        + numbered("CREATE TABLE c#(id, p); INSERT INTO c# VALUES ('x', # + 1)", 2))
    for number in 0...1 {
      let names = ["\"c\(number)\"", "id = x", "\"p\""]
      try series.refuse(
        "DELETE FROM p WHERE id = \(number) + 1", mending: "UPDATE c\(number) SET p = 3", names)
      try series.refuse("UPDATE c\(number) SET p = 77", mending: "UPDATE c\(number) SET p = NULL", names)
    }
  }

  @Test func `a row that violates a constraint is reported with table, row and constraint`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, low CHECK (low >= 0), must NOT NULL, one UNIQUE)",
      "CREATE TABLE t(id, low, must, one); INSERT INTO t VALUES (1, 0, 1, 'taken')")
    for (bad, good, id, rule) in [
      ("INSERT INTO t VALUES (7, -1, 1, 1)", "UPDATE t SET low = 0 WHERE id = 7", 7, "CHECK"),
      ("INSERT INTO t VALUES (8, 0, NULL, 2)", "UPDATE t SET must = 1 WHERE id = 8", 8, "NOT NULL"),
      ("INSERT INTO t VALUES (9, 0, 1, 'taken')", "UPDATE t SET one = 'free' WHERE id = 9", 9, "UNIQUE"),
    ] { try series.refuse(bad, mending: good, ["\"t\"", "id = \(id)", rule]) }
    #expect(try series.query("SELECT id FROM t ORDER BY id") == [[1], [7], [8], [9]])
  }

  @Test func `a row that an expression of its table cannot read is reported with table and row`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER CHECK (abs(n) < 9))", "CREATE TABLE t(id, n)")
    try series.refuse(
      "INSERT INTO t VALUES (7, \(Int64.min))", mending: "UPDATE t SET n = 1",
      ["\"t\"", "id = 7", "integer overflow"])
  }

  @Test func `a STRICT table rejects a value of another type and accepts a convertible one`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INT PRIMARY KEY, n INT, x ANY, r REAL) STRICT", "CREATE TABLE t(id, n, x, r)")
    try series.step("INSERT INTO t VALUES ('1', '12', '12', 5)")
    #expect(try series.query("SELECT n, x, r FROM t") == [[.integer(12), .text("12"), .real(5)]])
    #expect(try series.publish().outcome == .unchanged)
    try series.refuse(
      "INSERT INTO t VALUES (2, 'abc', 1, 1)", mending: "UPDATE t SET n = 3 WHERE id = 2",
      ["\"t\"", "id = 2"])
  }
}
