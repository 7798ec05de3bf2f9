import SeedFormat
import SeedImport
import Support
import Testing

/// CSV headers are checked before the first row, even if there is no row.
@Suite struct ImportHeaderTests {
  private func bench() throws -> ImportBench {
    try ImportBench(
      """
      CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT, lat REAL); INSERT INTO stop VALUES ('old', 'o', 1);
      CREATE TABLE pair(a TEXT NOT NULL, b TEXT NOT NULL, PRIMARY KEY (a, b));
      """)
  }

  private func failure(
    _ bytes: [UInt8], _ table: TableMapping = "stop", _ format: CSVFormat = CSVFormat()
  ) throws -> String {
    let bench = try bench()
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(
        documents: [bytes], named: ["f.csv"], mapping: ImportMapping(table, layout: .csv(format)),
        policy: ImportPolicy(badRows: .collect))
    }
    #expect(failure?.code == .document)
    #expect(try bench.rows("SELECT id FROM stop") == ["old"])
    return failure?.message ?? ""
  }

  private func failure(
    _ text: String, _ table: TableMapping = "stop", _ format: CSVFormat = CSVFormat()
  ) throws -> String { try failure(Array(text.utf8), table, format) }

  @Test func `a quotation mark in a header may have an accent`() throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, \"a\"\"\u{301}b\" TEXT);")
    let format = ImportMapping("t", layout: .csv(CSVFormat()))
    _ = try bench.run(
      documents: [Array("id,\"a\"\"\u{301}b\"\n1,x\n".utf8)], named: ["f.csv"], mapping: format)
    #expect(try bench.rows("SELECT * FROM t") == ["1|x"])
  }

  private static let start = #"the header has no field for the key column "id": "#
  private static let remedy = "; map one of these, or correct the delimiter"

  @Test(arguments: ["", "1;A\n"])
  func `a header without the key ends the import with its fields and a remedy`(rows: String) throws {
    #expect(
      try failure("id;name\n\(rows)")
        == #"f.csv: line 1, byte 0: \#(Self.start)it has "id;name"\#(Self.remedy)"#)
    #expect(
      try failure("name,ID,lat\n1,A,2\n").hasSuffix(
        #"\#(Self.start)it has "name", "ID", "lat"\#(Self.remedy)"#))
    let many = (0..<20).map { "f\($0)" }.joined(separator: ",")
    #expect(try failure("\(many)\n").contains(#""f11", …; map one"#))
  }

  @Test func `a header given by the mapping is checked too`() throws {
    let message = try failure("1,A\n", "stop", CSVFormat(header: ["ID", "name"]))
    #expect(message == #"f.csv: \#(Self.start)it has "ID", "name"\#(Self.remedy)"#)
  }

  @Test func `keys may come from constants, defaults, references and columns that list them`() throws {
    let bench = try bench()
    let constant = TableMapping("pair", columns: ["a": "x"], constants: ["b": .text("c")])
    try bench.run("x\n1\n", mapping: ImportMapping(constant, layout: .csv()))
    let reference = TableMapping(
      "pair", relations: [.object("halt", TableMapping("stop"), foreignKey: ["b"])])
    try bench.run("a,halt\n2,old\n", mapping: ImportMapping(reference, layout: .csv()))
    let fallback = TableMapping("pair", defaults: ["b": .text("d")])
    try bench.run("a\n3\n4\n", mapping: ImportMapping(fallback, layout: .csv()))
    #expect(try bench.rows("SELECT * FROM pair") == ["1|c", "2|old", "3|d", "4|d"])
  }

  @Test func `a short record does not go to the list of the record before it`() throws {
    let lists = ["stop", "pair"].map { table in
      ImportMapping.List(
        TableMapping(table, columns: table == "pair" ? ["a": "id"] : [:]), layout: .csv(),
        where: [RowCondition("kind", in: [.text(table)])])
    }
    let report = try bench().collect("id,kind,b\n1,pair,x\n2\n", mapping: ImportMapping(lists: lists))
    #expect(report.tables["stop"]?.rejected == 1 && report.tables["pair"]?.rejected == 0)
    #expect(report.issues.map(\.message) == ["the record has 1 field, but the header has 3"])
  }

  @Test(
    arguments: [
      (", note TEXT NOT NULL", "TEXT", "", "NULL"), ("", "TEXT", "\"\"", "''"),
      (", note TEXT", "TEXT NOT NULL", "", "''"), (", note TEXT NOT NULL", "INTEGER", "", "NULL"),
    ], ["", "b,-1,2\n"])
  func `an empty field has the value for its own list's column, even beside a bad row`(
    row: (first: String, second: String, field: String, stored: String), bad: String
  ) throws {
    let bench = try ImportBench(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY\(row.first));
      CREATE TABLE b(id INTEGER PRIMARY KEY CHECK (id > 0), note \(row.second));
      """)
    let lists = ["a", "b"].map {
      ImportMapping.List(TableMapping($0), layout: .csv(), where: [RowCondition("kind", in: [.text($0)])])
    }
    let report = try bench.collect(
      "kind,id,note\na,1,x\nb,1,\(row.field)\n\(bad)", mapping: ImportMapping(lists: lists))
    #expect(try bench.rows("SELECT quote(note) FROM b") == [row.stored])
    #expect(report.issueCount == (bad.isEmpty ? 0 : 1))
  }

  @Test func `a header shared by two lists must have the keys of both`() throws {
    let bench = try bench()
    let lists = [
      ImportMapping.List("stop", layout: .csv(), where: [RowCondition("kind", in: [.text("s")])]),
      ImportMapping.List(TableMapping("pair", columns: ["a": "id"]), layout: .csv()),
    ]
    let failure = bench.failure("kind,id\ns,1\n", mapping: ImportMapping(lists: lists))
    #expect(failure?.message.contains(#"no field for the key column "b""#) == true)
  }

  @Test func `replace rejects a header without a listed field; other modes report it`() throws {
    let columns: [String: ColumnMapping] = ["name": "label"]
    let message = try failure("id,Label\nold,A\n", TableMapping("stop", columns: columns, mode: .replace))
    let words =
      #"no field "label" for the column "name", which the mode replace would empty: it has "id", "Label""#
    #expect(message.contains(words), "\(message)")
    let report = try bench().run(
      "id,Label\nold,A\n", mapping: ImportMapping(TableMapping("stop", columns: columns), layout: .csv()))
    let missing = #"table "stop": no row has a member $.label for the column "name""#
    #expect(report.missing.first?.description == missing)
  }

  @Test func `names that nothing reads may be empty or occur twice`() throws {
    let bench = try bench()
    let format = CSVFormat(delimiter: ";")
    let report = try bench.collect(
      "id;name;;;x;x\n1;A;;;1;2\n2;B\n", mapping: ImportMapping("stop", layout: .csv(format)))
    #expect(report.tables["stop"]?.inserted == 1 && report.issueCount == 1)
    #expect(try failure("id;name;name\n", "stop", format).contains(#"the name "name" twice"#))
    let given = CSVFormat(header: ["", "id", "", "name"])
    try bench.run("x,3,y,C\n", mapping: ImportMapping("stop", layout: .csv(given)))
    // As spreadsheets end lines, but more; a search for each free name from the start would take minutes.
    let ends = String(repeating: ";", count: 100_000)
    try bench.run("id;name\(ends)\n4;D\(ends)\n", mapping: ImportMapping("stop", layout: .csv(format)))
    #expect(try bench.rows("SELECT id, name FROM stop WHERE id > 0 AND id < 9") == ["1|A", "3|C", "4|D"])
  }
}
