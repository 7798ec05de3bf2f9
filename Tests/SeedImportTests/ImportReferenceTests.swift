import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportReferenceTests {
  private static let schema = """
    CREATE TABLE p(id INTEGER PRIMARY KEY);
    CREATE TABLE t(a INTEGER NOT NULL, b TEXT NOT NULL, p INTEGER REFERENCES p, PRIMARY KEY (a, b));
    INSERT INTO p VALUES (1);
    """
  private static let mapping = ImportMapping("t")
  private static let remedy = """
    import the referenced rows too, or clear such references with '--references null', or keep them with \
    '--references keep' (ImportPolicy.References); the policy for bad rows does not apply to references
    """

  @Test func `a failure names the first rows with broken references and a remedy`() throws {
    let bench = try ImportBench(Self.schema)
    let one = #expect(throws: ImportFailure.self) {
      try bench.run(#"[{"a": 1, "b": "x", "p": 1}, {"a": 2, "b": "y", "p": 7}]"#, mapping: Self.mapping)
    }
    #expect(
      one?.message
        == #"table "t", column "p": 1 row references a missing row of table "p" (a = 2, b = y has p = 7): "#
        + Self.remedy)
    let rows = (2...9).map { #"{"a": \#($0), "b": "x", "p": \#($0)}"# }.joined(separator: ",")
    let many = #expect(throws: ImportFailure.self) { try bench.run("[\(rows)]", mapping: Self.mapping) }
    #expect(
      many?.message.contains(
        "8 rows reference missing rows of table \"p\" (a = 2, b = x has p = 2; a = 3, b = x has p = 3; "
          + "a = 4, b = x has p = 4; …)") == true)
    #expect(try bench.rows("SELECT * FROM t") == [])
  }

  @Test func `broken references that are kept or cleared are issues with their rows' keys`() throws {
    let bench = try ImportBench(Self.schema)
    for (policy, parent) in [(ImportPolicy.References.keep, 7), (.null, 8)] {
      let text = #"[{"a": 2, "b": "y", "p": \#(parent)}]"#
      let report = try bench.run(text, mapping: Self.mapping, policy: ImportPolicy(references: policy))
      #expect(report.issues.map(\.key) == ["a = 2, b = y"] && report.issues.map(\.column) == ["p"])
    }
    #expect(try bench.rows("SELECT p FROM t") == ["NULL"])
  }

  @Test func `a reference that cannot become null is reported with its row, column and a remedy`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE t(id INTEGER PRIMARY KEY, p INTEGER NOT NULL REFERENCES p(id));
      """)
    let failure = bench.failure(
      #"[{"id": 2, "p": 7}]"#, mapping: ImportMapping("t"), policy: ImportPolicy(references: .null))
    #expect(
      failure?.message
        == #"table "t", column "p": 1 row references a missing row of table "p" (id = 2 has p = 7), "#
        + "and it cannot become NULL (NOT NULL constraint failed: t.p): import the referenced rows too, or keep "
        + "such references with '--references keep' (ImportPolicy.References)")
  }

  @Test func `a cleared column also clears the references to it`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY);
      CREATE TABLE employee(id INTEGER PRIMARY KEY, person INTEGER UNIQUE REFERENCES person(id));
      CREATE TABLE badge(id INTEGER PRIMARY KEY, holder INTEGER REFERENCES employee(person));
      INSERT INTO badge VALUES (1, 7);
      """)
    let report = try bench.run(
      #"[{"id": 2, "person": 7}]"#, mapping: ImportMapping("employee"),
      policy: ImportPolicy(references: .null))
    #expect(try bench.rows("SELECT * FROM employee, badge") == ["2|NULL|1|NULL"])
    #expect(report.issues.map(\.table) == ["employee", "badge"])
  }

  @Test(arguments: ["stop", "code"])
  func `a reference that is part of a key cannot become null`(column: String) throws {
    let bench = try ImportBench(
      """
      CREATE TABLE stop(id TEXT PRIMARY KEY);
      CREATE TABLE stop_line(code TEXT REFERENCES stop(id), line TEXT, stop TEXT REFERENCES stop(id),
        PRIMARY KEY (stop, line));
      CREATE UNIQUE INDEX by_code ON stop_line(code);
      """)
    for _ in 0..<2 {
      let failure = bench.failure(
        #"[{"\#(column)": "A", "line": "L1"}]"#,
        mapping: ImportMapping(TableMapping("stop_line", key: column == "stop" ? [] : [column])),
        policy: ImportPolicy(references: .null))
      #expect(failure?.code == .references)
      #expect(failure?.message.contains("cannot become NULL, because it is part of the table's key") == true)
      #expect(try bench.rows("SELECT * FROM stop_line") == [])
    }
  }

  @Test func `a reference is cleared only if its parent does not exist, compared by the parent's type`()
    throws
  {
    let bench = try ImportBench(
      """
      CREATE TABLE p(code TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE t(id INTEGER PRIMARY KEY, p REFERENCES p(code), gone REFERENCES nowhere(id));
      INSERT INTO p VALUES ('7');
      """)
    let report = try bench.run(
      #"[{"id": 1, "p": 7}, {"id": 2, "p": 8}, {"id": 3, "gone": 1}]"#, mapping: Self.mapping,
      policy: ImportPolicy(references: .null))
    #expect(try bench.rows("SELECT * FROM t") == ["1|7|NULL", "2|NULL|NULL", "3|NULL|NULL"])
    #expect(report.issueCount == 2)
  }

  @Test func `a reference to columns without a unique index is an error of the schema`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT);
      CREATE TABLE t(id INTEGER PRIMARY KEY, p TEXT REFERENCES p(code));
      """)
    let failure = bench.failure(#"[{"id": 1, "p": "x"}]"#, mapping: Self.mapping)
    #expect(failure?.code == .schema)
    #expect(failure?.message.contains("create a unique index") == true)
  }
}
