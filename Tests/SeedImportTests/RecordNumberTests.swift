import SeedFormat
import SeedImport
import Support
import Testing

/// Numbers in CSV spelling, and invalid bytes.
@Suite struct RecordNumberTests {
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, r REAL, d NUMERIC, x TEXT)"

  /// The stored values of the number columns; `nil` if the value is rejected.
  private func stored(_ text: String) throws -> [String?] {
    let format = CSVFormat(delimiter: ";")
    return try ["n", "r", "d"].map { column in
      let bench = try ImportBench(Self.schema)
      let report = try bench.collect(
        "id;\(column)\n1;\(text)\n", mapping: ImportMapping("t", layout: .csv(format)))
      return report.issueCount > 0 ? nil : try bench.rows("SELECT \(column) FROM t").first
    }
  }

  @Test(
    arguments: [
      ("0003", ["3", "3.0", "3"]), ("+5", ["5", "5.0", "5"]), (" 52.5", [nil, "52.5", "52.5"]),
      ("7 ", ["7", "7.0", "7"]), ("-007", ["-7", "-7.0", "-7"]), (".5", [nil, "0.5", "0.5"]),
      ("5.", ["5", "5.0", "5"]), ("-0.5", [nil, "-0.5", "-0.5"]), ("00", ["0", "0.0", "0"]),
      ("1,5", [nil, nil, "1,5"]), ("1 234", [nil, nil, "1 234"]), ("- 5", [nil, nil, "- 5"]),
      (".", [nil, nil, "."]), ("24.12.", [nil, nil, "24.12."]), ("x", [nil, nil, "x"]),
      ("1e2", [nil, "100.0", "100"]),
    ] as [(String, [String?])])
  func `number columns accept numbers with spaces, signs and zeros`(text: String, expected: [String?])
    throws
  {
    #expect(try stored(text) == expected)
  }

  @Test func `texts and messages keep a field's spelling, and numbers need not be in JSON's`() throws {
    let bench = try ImportBench(Self.schema)
    let table = TableMapping("t", columns: ["r": "a", "x": "b"])
    let report = try bench.collect(
      "id;a;b\n01;1000.50;0003\n2; +7 ; 1.5 \n3;z;\n",
      mapping: ImportMapping(table, layout: .csv(CSVFormat(delimiter: ";"))))
    #expect(try bench.rows("SELECT id, r, x FROM t") == ["1|1000.5|0003", "2|7.0| 1.5 "])
    #expect(report.issues.map(\.message) == ["expected a number, found \"z\""])
    let other = try bench.collect(
      "id;n\n1;1000,5\n2; 1.5\n", mapping: ImportMapping("t", layout: .csv(CSVFormat(delimiter: ";"))))
    #expect(
      other.issues.map(\.message) == [
        "expected a whole number of 64 bits, found \"1000,5\"",
        "expected a whole number of 64 bits, found \" 1.5\"",
      ])
  }

  @Test func `numbers in JSON documents are still parsed strictly`() throws {
    let report = try ImportBench(Self.schema).run(
      #"[{"id": 1, "n": "03"}, {"id": 2, "r": " 5.5"}]"#, mapping: ImportMapping("t"),
      policy: ImportPolicy(badRows: .collect)
    )
    #expect(report.issueCount == 2)
  }

  // MARK: Bytes

  @Test(arguments: [1, 1000], [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
  func `a document in UTF-16 is rejected`(pieces: Int, mark: [UInt8]) throws {
    let failure = try #require(throws: ImportFailure.self) {
      try ImportBench(Self.schema).run(
        documents: [mark + [0x69, 0, 0x64, 0, 0x0A, 0]], mapping: ImportMapping("t", layout: .csv()),
        pieces: pieces)
    }
    #expect(failure.message.contains("not valid UTF-8: convert the document, for example by iconv"))
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
