import SeedFormat
import SeedImport
import Support
import Testing

/// Numbers in CSV spelling, and records before the header.
@Suite struct RecordNumberTests {
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, r REAL, d NUMERIC, x TEXT)"
  private static let collecting = ImportPolicy(badRows: .collect)

  /// The stored values of the number columns; `nil` if the value is rejected.
  private func stored(_ text: String, _ decimal: CSVFormat.DecimalMark) throws -> [String?] {
    let format = CSVFormat(delimiter: ";", decimal: decimal)
    return try ["n", "r", "d"].map { column in
      let bench = try ImportBench(Self.schema)
      let report = try bench.run(
        "id;\(column)\n1;\(text)\n", mapping: ImportMapping("t", layout: .csv(format)),
        policy: Self.collecting)
      return report.issueCount > 0 ? nil : try bench.rows("SELECT \(column) FROM t").first
    }
  }

  @Test(
    arguments: [
      ("0003", ["3", "3.0", "3"]), ("+5", ["5", "5.0", "5"]), (" 52.5", [nil, "52.5", "52.5"]),
      ("7 ", ["7", "7.0", "7"]), ("-007", ["-7", "-7.0", "-7"]), (".5", [nil, "0.5", "0.5"]),
      ("5.", ["5", "5.0", "5"]), ("-0.5", [nil, "-0.5", "-0.5"]), ("00", ["0", "0.0", "0"]),
      ("1,5", [nil, nil, "1,5"]), ("1 234", [nil, nil, "1 234"]), ("- 5", [nil, nil, "- 5"]),
      (".", [nil, nil, "."]), ("x", [nil, nil, "x"]), ("1e2", [nil, "100.0", "100"]),
    ] as [(String, [String?])])
  func `number columns accept numbers with spaces, signs and zeros`(text: String, expected: [String?])
    throws
  {
    #expect(try stored(text, .point) == expected)
  }

  @Test(
    arguments: [
      ("52,5", [nil, "52.5", "52.5"]), ("1.234", [nil, nil, nil]),
      ("1.234.567,25", [nil, nil, "1.234.567,25"]), ("-12'345", [nil, nil, "-12'345"]),
      ("1 234,5", [nil, nil, "1 234,5"]),
      (",5", [nil, "0.5", "0.5"]), ("0,10", [nil, "0.1", "0.1"]), ("12", ["12", "12.0", "12"]),
      ("1,5e3", [nil, "1500.0", "1500"]),
      ("1.5", [nil, nil, nil]), ("1.2345", [nil, nil, nil]), ("0.123", [nil, nil, nil]),
      ("1.234 567", [nil, nil, "1.234 567"]), ("1.234,567.8", [nil, nil, "1.234,567.8"]),
      ("01.02.2026", [nil, nil, "01.02.2026"]), ("1,2,3", [nil, nil, "1,2,3"]), (".123", [nil, nil, nil]),
    ] as [(String, [String?])])
  func `with a decimal comma, thousands separators and points are rejected`(
    text: String, expected: [String?]
  ) throws {
    #expect(try stored(text, .comma) == expected)
  }

  @Test func `texts keep their spelling, and the number conversion accepts it`() throws {
    let bench = try ImportBench(Self.schema)
    let table = TableMapping("t", columns: ["d": .from("a", .number), "x": "b"])
    let report = try bench.run(
      "id;a;b\n01;1000,50;0003\n2; +7 ; 1,5 \n3;z;\n",
      mapping: ImportMapping(table, layout: .csv(CSVFormat(delimiter: ";", decimal: .comma))),
      policy: Self.collecting)
    #expect(try bench.rows("SELECT id, d, x FROM t") == ["1|1000.5|0003", "2|7| 1,5 "])
    #expect(report.issues.map(\.message) == ["expected a number, found \"z\""])
  }

  @Test func `numbers in JSON documents are still parsed strictly`() throws {
    let report = try ImportBench(Self.schema).run(
      #"[{"id": 1, "n": "03"}, {"id": 2, "r": " 5.5"}]"#, mapping: ImportMapping("t"), policy: Self.collecting
    )
    #expect(report.issueCount == 2)
  }

  @Test func `a message quotes the field as in the document`() throws {
    let format = CSVFormat(delimiter: ";", decimal: .comma)
    let report = try ImportBench(Self.schema).run(
      "id;n\n1;1000,5\n2;1.5\n", mapping: ImportMapping("t", layout: .csv(format)), policy: Self.collecting)
    #expect(
      report.issues.map(\.message) == [
        "expected a whole number of 64 bits, found \"1000,5\"",
        "expected a number with a decimal comma, found \"1.5\"",
      ])
  }

  // MARK: Records before the header

  @Test(arguments: [1, 4, 1000])
  func `records before the header are skipped, whatever they contain`(pieces: Int) throws {
    let bench = try ImportBench(Self.schema)
    let text = Array("Report;\"a\r\nb\"\r\n\r\n".utf8) + [0xE9, 0x0A] + Array("id;x\r\n1;a\r\n".utf8)
    let mapping = ImportMapping("t", layout: .csv(CSVFormat(delimiter: ";", skip: 2)))
    let report = try bench.run(
      documents: [text, text], mapping: mapping, policy: Self.collecting, pieces: pieces)
    #expect(report.rows == 2 && report.issueCount == 0)
    #expect(try bench.rows("SELECT id, x FROM t") == ["1|a"])
    let bad = try bench.run("p\nq\nid;n\n2;z\n", mapping: mapping, policy: Self.collecting, pieces: pieces)
    #expect(bad.issues.map(\.line) == [4] && bad.issues.map(\.row) == [1])
  }

  @Test func `a given header with one skipped record replaces the document's own`() throws {
    let bench = try ImportBench(Self.schema)
    let format = CSVFormat(header: ["id", "x"], skip: 1)
    try bench.run("Nummer,Name\n1,a\n", mapping: ImportMapping("t", layout: .csv(format)))
    #expect(try bench.rows("SELECT id, x FROM t") == ["1|a"])
  }

  @Test func `a document whose records are all skipped has no header`() throws {
    let failure = #expect(throws: ImportFailure.self) {
      try ImportBench(Self.schema).run(
        "a\nb\n", mapping: ImportMapping("t", layout: .csv(CSVFormat(skip: 2))))
    }
    #expect(failure?.message.contains("the CSV has no header") == true)
  }

  // MARK: Bytes

  @Test(arguments: [0x81, 0x8D, 0x8F, 0x90, 0x9D] as [UInt8])
  func `a byte that is undefined in windows-1252 rejects its record`(byte: UInt8) throws {
    let bench = try ImportBench(Self.schema)
    let mapping = ImportMapping("t", layout: .csv(CSVFormat(encoding: .windows1252)))
    let report = try bench.run(
      documents: [Array("id,x\n1,a".utf8) + [byte, 0x0A] + Array("2,b\n".utf8)], mapping: mapping,
      policy: Self.collecting)
    #expect(report.issues.map(\.message) == ["a field that is not valid windows-1252"])
    #expect(report.issues.map(\.offset) == [8])
    #expect(try bench.rows("SELECT id FROM t") == ["2"])
  }

  @Test(arguments: [1, 1000], [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
  func `a document in UTF-16 is rejected with a way to convert it to UTF-8`(pieces: Int, mark: [UInt8]) throws
  {
    let failure = try #require(throws: ImportFailure.self) {
      try ImportBench(Self.schema).run(
        documents: [mark + [0x69, 0, 0x64, 0, 0x0A, 0]], mapping: ImportMapping("t", layout: .csv()),
        pieces: pieces)
    }
    #expect(failure.message.contains("the document is in UTF-16: turn it into UTF-8"))
  }

  @Test func `a record of one field is reported in the singular`() throws {
    let report = try ImportBench(Self.schema).run(
      "id,x\n1\n", mapping: ImportMapping("t", layout: .csv()), policy: Self.collecting)
    #expect(report.issues.map(\.message) == ["a record of 1 field under 2 names"])
  }

  // MARK: Messages about the whole import

  @Test func `an issue about the whole import names no document and no record`() throws {
    let bench = try ImportBench(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY, p REFERENCES p(id))")
    let report = try bench.run(
      "id,p\n1,5\n", mapping: ImportMapping("t", layout: .csv()), policy: ImportPolicy(references: .keep))
    let issue = try #require(report.issues.first)
    #expect(issue.document == "" && issue.line == nil && issue.code == .reference)
    #expect(issue.description.hasPrefix("table \"t\""))
    let kept = try bench.run(
      "id,p\nx,5\n", mapping: ImportMapping(TableMapping("t", mode: .replace), layout: .csv()),
      policy: ImportPolicy(badRows: .collect, references: .keep))
    #expect(kept.issues.first { $0.code == .notDeleted }?.document == "")
  }
}
