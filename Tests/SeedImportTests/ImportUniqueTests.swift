import SeedFormat
import SeedImport
import Support
import Testing

/// Messages name the conflicting row if it is certain.
@Suite struct ImportUniqueTests {
  /// The messages of the rejected rows, after the others are written.
  private func messages(_ schema: String, _ rows: String) throws -> [String] {
    let bench = try ImportBench(schema)
    let report = try bench.collect(rows, mapping: ImportMapping("p"))
    #expect(report.issues.allSatisfy { $0.code == .unique })
    return report.issues.map(\.message)
  }

  @Test(arguments: [
    (
      // A taken value.
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, email TEXT UNIQUE COLLATE NOCASE, code INTEGER UNIQUE);
      INSERT INTO p VALUES (7, 'a@x.org', 1), (8, 'b@x.org', 2);
      """,
      #"[{"id": 1, "email": "A@x.org"}, {"id": 2, "code": 2}, {"id": 3, "email": "c"}, {"id": 4, "email": "c"}]"#,
      [
        #"the value "A@x.org" of "email" must be unique, but the row id = 7 has it"#,
        #"the value 2 of "code" must be unique, but the row id = 8 has it"#,
        #"the value "c" of "email" must be unique, but the row id = 3 has it"#,
      ]
    ),
    (
      // Several columns, also one that the document does not mention.
      """
      CREATE TABLE p(a TEXT, b INTEGER, kind TEXT, place INTEGER, PRIMARY KEY(a, b), UNIQUE(kind, place));
      INSERT INTO p VALUES ('x', 1, 'stop', 5), ('y', 2, 'stop', 6);
      """, #"[{"a": "y", "b": 2, "place": 5}]"#,
      [#"the values "stop", 5 of "kind", "place" must be unique together, but the row a = x, b = 1 has them"#]
    ),
    (
      // A value from the schema's default, which is not named.
      "CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT DEFAULT 'd' UNIQUE); INSERT INTO p VALUES (7, 'd');",
      #"[{"id": 1}]"#, [#"the value of "n" must be unique, but another row has it"#]
    ),
    (
      // Rows outside a partial index.
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT, "where" INTEGER DEFAULT 1);
      CREATE UNIQUE INDEX one ON p(n) WHERE "where" = 1 -- in use;
      ;
      INSERT INTO p VALUES (5, 'a', 0), (6, 'a', 1), (7, 'a', 0);
      """, #"[{"id": 1, "n": "a"}]"#, [#"the value "a" of "n" must be unique, but the row id = 6 has it"#]
    ),
    (
      // An index over an expression.
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT); CREATE UNIQUE INDEX lower_n ON p(lower(n));
      INSERT INTO p VALUES (7, 'a');
      """, #"[{"id": 1, "n": "A"}]"#, [#"another row has the same entry in the unique index "lower_n""#]
    ),
    (
      // Two indexes over one column.
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT); CREATE UNIQUE INDEX exact ON p(n);
      CREATE UNIQUE INDEX loose ON p(n COLLATE NOCASE); INSERT INTO p VALUES (7, 'a');
      """, #"[{"id": 1, "n": "A"}]"#, [#"the value "A" of "n" must be unique, but another row has it"#]
    ),
  ])
  func `a taken value is reported with its row if that is certain`(
    schema: String, rows: String, expected: [String]
  ) throws {
    #expect(try messages(schema, rows) == expected)
  }

  @Test func `a long value is truncated`() throws {
    let long = String(repeating: "é", count: 500)
    let messages = try messages(
      "CREATE TABLE p(id TEXT PRIMARY KEY, n TEXT UNIQUE); INSERT INTO p VALUES ('\(long)', '\(long)');",
      #"[{"id": "1", "n": "\#(long)"}]"#)
    let cut = String(repeating: "é", count: 30) + "…"
    #expect(messages == [#"the value "\#(cut)" of "n" must be unique, but the row id = \#(cut) has it"#])
  }

  @Test func `a rowid column that is not the key is named too`() throws {
    let bench = try ImportBench(
      "CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO p VALUES (7, 'a');")
    let report = try bench.collect(
      #"[{"id": 7, "code": "b"}]"#, mapping: ImportMapping(TableMapping("p", key: ["code"])))
    #expect(
      report.issues.map(\.message) == ["the value 7 of \"id\" must be unique, but the row code = a has it"])
  }

  @Test func `the conflicting row is the one that has the value at the end`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT UNIQUE);
      INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c'), (9, 'z');
      """)
    let report = try bench.collect(
      #"[{"id": 1, "n": "b"}, {"id": 2, "n": "d"}, {"id": 3, "n": "b"}, {"id": 4, "n": "z"}]"#,
      mapping: ImportMapping("p"))
    #expect(try bench.rows("SELECT * FROM p") == ["1|a", "2|d", "3|b", "9|z"])
    #expect(
      report.issues.map(\.message) == [
        #"the value "b" of "n" must be unique, but the row id = 3 has it"#,
        #"the value "z" of "n" must be unique, but the row id = 9 has it"#,
      ])
  }
}
