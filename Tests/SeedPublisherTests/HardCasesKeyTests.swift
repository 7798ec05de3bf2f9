import SeedDatabase
import SeedFormat
import SeedPublisher
import Support
import Testing

@Suite struct HardCasesKeyTests {
  /// Ways to declare `slot` unique, and the unique value that is made from a row number.
  static let uniques = [
    "CREATE TABLE t(id INTEGER PRIMARY KEY, slot UNIQUE)",
    "CREATE TABLE t(id TEXT PRIMARY KEY, slot UNIQUE) WITHOUT ROWID",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, slot TEXT COLLATE NOCASE UNIQUE)",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, slot); CREATE UNIQUE INDEX i ON t(slot) WHERE slot IS NOT NULL",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, slot); CREATE UNIQUE INDEX i ON t(lower(slot))",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, slot, same DEFAULT 1, UNIQUE(same, slot))",
    "CREATE TABLE t(id INTEGER PRIMARY KEY, slot, made AS (slot || '!') UNIQUE)",
    "CREATE TABLE t(id INTEGER NOT NULL UNIQUE, slot TEXT UNIQUE)",
  ]

  private func slots(_ schema: String) throws -> FollowedSeries {
    let same = schema.contains("same") ? ", same" : ""
    return try FollowedSeries(
      schema,
      """
      CREATE TABLE t(id, slot\(same)); INSERT INTO t(id, slot) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, NULL);
      """)
  }

  private func move(_ series: FollowedSeries, _ slots: [(Int, String)]) throws {
    let cases = slots.map { "WHEN \($0.0) THEN \($0.1)" }.joined(separator: " ")
    try series.step("UPDATE t SET slot = CASE id \(cases) ELSE slot END")
    for (id, slot) in slots {
      #expect(
        try series.query("SELECT 1 FROM t WHERE id = '\(id)' AND slot IS \(slot) COLLATE BINARY").count == 1)
    }
    #expect(try series.publish().outcome == .unchanged)
  }

  @Test(arguments: uniques) func `unique values rotate within one delta in either direction, and swap`(
    _ schema: String
  ) throws {
    let series = try slots(schema)
    try move(series, [(1, "'b'"), (2, "'c'"), (3, "'d'"), (4, "'a'")])
    try move(series, [(1, "'a'"), (2, "'b'"), (3, "'c'"), (4, "'d'")])
    try move(series, [(1, "'b'"), (2, "'a'")])
  }

  @Test(arguments: uniques) func `a chain of unique values ends in NULL, a new value or a new row`(
    _ schema: String
  ) throws {
    let series = try slots(schema)
    try move(series, [(1, "'b'"), (2, "'c'"), (3, "NULL")])
    try move(series, [(3, "'b'"), (2, "'x'"), (1, "'c'"), (4, "NULL")])
    try series.step(
      "INSERT INTO t(id, slot) VALUES (0, 'b'), (9, 'x'); UPDATE t SET slot = NULL WHERE id IN (2, 3)")
    #expect(
      try series.query("SELECT slot FROM t WHERE id IN ('0', '9') ORDER BY id") == [
        [.text("b")], [.text("x")],
      ])
  }

  @Test(arguments: uniques)
  func `a unique value moves from a deleted row to another one and changes its case`(
    _ schema: String
  ) throws {
    let series = try slots(schema)
    try series.step(
      "DELETE FROM t WHERE id = 4; UPDATE t SET slot = 'D' WHERE id = 1; INSERT INTO t(id, slot) VALUES (7, 'a')"
    )
    #expect(
      try series.query("SELECT slot FROM t WHERE id IN ('1', '7') ORDER BY id") == [
        [.text("D")], [.text("a")],
      ])
    try move(series, [(1, "'A'"), (7, "'d'")])
  }

  @Test(arguments: [
    "CREATE TABLE t(id TEXT PRIMARY KEY, v)", "CREATE TABLE t(id TEXT PRIMARY KEY, v) WITHOUT ROWID",
    "CREATE TABLE t(id NOT NULL UNIQUE, v)",
  ])
  func `a changed key is a deleted and an inserted row`(_ schema: String) throws {
    let series = try FollowedSeries(schema, "CREATE TABLE t(id, v); INSERT INTO t VALUES ('a', 1), ('b', 2)")
    let changes = try series.step("UPDATE t SET id = 'z' WHERE id = 'a'").changes["t"]
    #expect(changes?.deleted == 1 && changes?.inserted == 1 && changes?.updated == 0)
    try series.step("UPDATE t SET id = CASE id WHEN 'z' THEN 'b' ELSE 'z' END")
    #expect(
      try series.query("SELECT id, v FROM t ORDER BY id") == [
        [.text("b"), .integer(1)], [.text("z"), .integer(2)],
      ])
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a key changes its case under NOCASE`(_ option: String) throws {
    let series = try FollowedSeries(
      """
      CREATE TABLE t(id TEXT COLLATE NOCASE PRIMARY KEY, v)\(option);
      CREATE TABLE child(id INTEGER PRIMARY KEY, t_id TEXT REFERENCES t ON UPDATE CASCADE ON DELETE CASCADE)
      """,
      """
      CREATE TABLE t(id, v); INSERT INTO t VALUES ('berlin', 1), ('Zürich', 2);
      CREATE TABLE child(id, t_id); INSERT INTO child VALUES (1, 'berlin')
      """)
    let changes = try series.step("UPDATE t SET id = upper(id)").changes["t"]
    #expect(changes?.updated == 2 && changes?.deleted == 0)
    #expect(try series.query("SELECT id FROM t ORDER BY id") == [[.text("BERLIN")], [.text("ZüRICH")]])
    // The reference matches under the parent's collation; the child keeps its own text.
    #expect(try series.query("SELECT t_id FROM child") == [[.text("berlin")]])
    try series.step("UPDATE t SET id = 'Berlin', v = 3 WHERE v = 1")
  }

  @Test func `a key whose number changes between integer and real stays the same row`() throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(k PRIMARY KEY, v)",
      "CREATE TABLE t(k, v); INSERT INTO t VALUES (1, 'a'), (0.0, 'b'), ('1', 'c')")
    try series.step("UPDATE t SET k = 1.0 WHERE v = 'a'; UPDATE t SET k = -0.0 WHERE v = 'b'")
    #expect(try series.query("SELECT k FROM t ORDER BY k") == [[.real(-0.0)], [.real(1)], [.text("1")]])
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

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a composite key may have another column order than its table`(_ option: String) throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(v, a TEXT COLLATE NOCASE, b INTEGER, PRIMARY KEY(b, a))\(option)",
      "CREATE TABLE t(a, b, v); INSERT INTO t VALUES ('x', 1, 1), ('y', 1, 2), ('x', 2, 3)")
    try series.step("UPDATE t SET b = 3 - b; INSERT INTO t VALUES ('a', 10, 9), ('A', 9, 8)")
    try series.step("DELETE FROM t WHERE a = 'x'; UPDATE t SET a = upper(a)")
    #expect(
      try series.query("SELECT b, a FROM t ORDER BY b").map { $0[0] } == [2, 9, 10].map { .integer($0) })
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

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a row with a dangling reference is rejected from both ends`(_ option: String) throws {
    let series = try FollowedSeries(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(id TEXT PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE)\(option)",
      "CREATE TABLE p(id); CREATE TABLE c(id, p); INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES ('x', 1)"
    )
    let names = ["\"c\"", "id = x", "\"p\""]
    try series.refuse("DELETE FROM p WHERE id = 1", mending: "UPDATE c SET p = 2", names)
    try series.refuse("UPDATE c SET p = 77", mending: "UPDATE c SET p = NULL", names)
  }

  @Test(arguments: [
    ("INSERT INTO t VALUES (7, -1, 1, 1)", "UPDATE t SET low = 0 WHERE id = 7", "CHECK"),
    ("INSERT INTO t VALUES (7, 0, NULL, 1)", "UPDATE t SET must = 1 WHERE id = 7", "NOT NULL"),
    ("INSERT INTO t VALUES (7, 0, 1, 'taken')", "UPDATE t SET one = 'free' WHERE id = 7", "UNIQUE"),
  ])
  func `a row that violates a constraint is reported with table, row and constraint`(
    _ bad: String, _ good: String, _ rule: String
  ) throws {
    let series = try FollowedSeries(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, low CHECK (low >= 0), must NOT NULL, one UNIQUE)",
      "CREATE TABLE t(id, low, must, one); INSERT INTO t VALUES (1, 0, 1, 'taken')")
    try series.refuse(bad, mending: good, ["\"t\"", "id = 7", rule])
    #expect(try series.query("SELECT id FROM t ORDER BY id") == [[.integer(1)], [.integer(7)]])
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
