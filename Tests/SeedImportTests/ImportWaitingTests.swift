import SeedFormat
import SeedImport
import Support
import Testing

/// Unique values that move from row to row, even between nested rows; rows that swap values are rejected.
@Suite struct ImportWaitingTests {
  private static let schema = """
    CREATE TABLE ch(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE att(id INTEGER PRIMARY KEY, ch INTEGER REFERENCES ch(id), url TEXT UNIQUE, size INTEGER CHECK (size > 0));
    INSERT INTO ch VALUES (1, 'A'), (2, 'B'), (3, 'C');
    INSERT INTO att VALUES (10, 1, 'x', 1), (20, 2, 'y', 2), (30, 3, 'z', 3);
    """
  private static let mapping = ImportMapping(
    TableMapping(
      "ch", relations: [.array("atts", TableMapping("att"), parentKey: ["ch"], mode: .replaceForParent)]))

  private func outcome(
    _ document: String
  ) throws -> (report: ImportReport, names: [String], atts: [String]) {
    let bench = try ImportBench(Self.schema)
    let report = try bench.collect(document, mapping: Self.mapping)
    return (
      report, try bench.rows("SELECT name FROM ch ORDER BY id"),
      try bench.rows("SELECT id, ch, url FROM att ORDER BY id")
    )
  }

  @Test func `rows that swap unique values are rejected, each with the row that has its value`() throws {
    let found = try outcome(#"[{"id": 1, "name": "B"}, {"id": 2, "name": "A"}, {"id": 3, "name": "D"}]"#)
    #expect(found.names == ["A", "B", "D"])
    #expect(
      found.report.issues.map(\.message) == [
        #"the value "B" of "name" must be unique, but the row id = 2 has it"#,
        #"the value "A" of "name" must be unique, but the row id = 1 has it"#,
      ])
  }

  @Test(arguments: [false, true])
  func `a value moves between nested rows of two parents in either order`(reversed: Bool) throws {
    let rows = [
      #"{"id": 1, "atts": [{"id": 10, "url": "y"}]}"#, #"{"id": 2, "atts": [{"id": 20, "url": "new"}]}"#,
    ]
    let found = try outcome("[\((reversed ? rows.reversed() : rows).joined(separator: ","))]")
    #expect(found.report.issueCount == 0)
    #expect(found.atts == ["10|1|y", "20|2|new", "30|3|z"])
    #expect(found.report.tables["att"]?.updated == 2 && found.report.tables["ch"]?.unchanged == 2)
  }

  @Test func `a waiting nested row makes its whole parent wait, whose other issues are reported once`() throws
  {
    let found = try outcome(
      """
      [{"id": 1, "name": "new", "atts": [{"id": 11, "url": "y"}, {"id": 12, "size": -1}]},
       {"id": 2, "atts": [{"id": 20, "url": "free"}]}]
      """)
    #expect(found.names == ["new", "B", "C"])
    #expect(found.atts == ["11|1|y", "20|2|free", "30|3|z"])
    #expect(found.report.issues.map(\.key) == ["id = 12"])
    #expect(found.report.tables["att"]?.rejected == 1 && found.report.tables["att"]?.inserted == 1)
  }

  @Test func `nested rows of a row that waited are read by their own members`() throws {
    let bench = try ImportBench(Self.schema)
    try bench.run(
      """
      [{"id": 1, "name": "B", "atts": [{"size": 5, "id": 11}, {"size": 6, "id": 12}, {"size": 7, "id": 13}]},
       {"id": 2, "name": "X", "atts": [{"id": 21, "size": 1}, {"id": 22, "size": 2}, {"id": 23, "size": 3}]}]
      """, mapping: Self.mapping)
    #expect(
      try bench.rows("SELECT id, ch, size FROM att WHERE ch < 3 ORDER BY id")
        == ["11|1|5", "12|1|6", "13|1|7", "21|2|1", "22|2|2", "23|2|3"])
  }

  @Test func `a child whose value stays taken does not affect its parent, and is not deleted`() throws {
    let found = try outcome(#"[{"id": 1, "name": "new", "atts": [{"id": 10, "url": "z"}]}]"#)
    #expect(found.names == ["new", "B", "C"])
    #expect(found.atts == ["10|1|x", "20|2|y", "30|3|z"])
    #expect(found.report.issues.map(\.key) == ["id = 10"])
  }

  @Test func `the newer object of a recurring parent decides its rows, even if the older one waited`()
    throws
  {
    let found = try outcome(
      """
      [{"id": 1, "atts": [{"id": 10, "url": "y"}, {"id": 40, "url": "u"}]}, {"id": 2, "atts": [{"id": 20, "url": "v"}]},
       {"id": 1, "atts": [{"id": 10}]}]
      """)
    #expect(found.report.issueCount == 0)
    #expect(found.atts == ["10|1|y", "20|2|v", "30|3|z"])
  }

  @Test func `a batch's rows do not wait for the next batch`() throws {
    let bench = try ImportBench(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, x UNIQUE); INSERT INTO t VALUES (2, 'a')")
    let policy = ImportPolicy(badRows: .collect, atomicity: .batched(rows: 1))
    let report = try bench.run(
      #"[{"id": 1, "x": "a"}, {"id": 2, "x": "b"}]"#, mapping: ImportMapping("t"), policy: policy)
    #expect(
      report.issues.first?.message.hasSuffix(
        "a later batch may resolve this conflict: repeat without batches (omit --batch)") == true)
    #expect(try bench.rows("SELECT * FROM t") == ["2|b"])
  }
}
