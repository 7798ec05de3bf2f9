import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

/// An app developer's expectations that other suites do not cover.
@Suite struct ImportInterfaceTests {
  private static let schema = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, first_name TEXT, code TEXT UNIQUE, rank INTEGER, data BLOB);
    CREATE TABLE phone(person INTEGER NOT NULL REFERENCES person(id), number TEXT NOT NULL,
      PRIMARY KEY (person, number));
    CREATE TABLE place(country TEXT NOT NULL, zip TEXT NOT NULL, name TEXT, PRIMARY KEY (country, zip));
    """

  private func bench() throws -> ImportBench { try ImportBench(Self.schema) }

  @Test func `camel case members match snake case columns`() throws {
    let bench = try bench()
    try bench.run(
      #"[{"id": 1, "firstName": "Ada"}]"#,
      mapping: ImportMapping(TableMapping("person", names: .camelToSnake)))
    #expect(try bench.rows("SELECT first_name FROM person") == ["Ada"])
  }

  @Test func `explicit names fill only listed columns`() throws {
    let bench = try bench()
    let columns: [String: ColumnMapping] = ["id": "id", "first_name": "name"]
    try bench.run(
      #"[{"id": 1, "name": "Ada", "rank": 5}]"#,
      mapping: ImportMapping(TableMapping("person", names: .explicit, columns: columns)))
    #expect(try bench.rows("SELECT first_name, rank FROM person") == ["Ada|NULL"])
  }

  @Test func `columns convert numbers to text and texts to numbers, and the mapping base64 to bytes`() throws
  {
    let bench = try bench()
    let columns: [String: ColumnMapping] = ["data": .from("data", .base64)]
    try bench.run(
      #"[{"id": 1, "code": 7, "rank": "12", "data": "AAH/"}]"#,
      mapping: ImportMapping(TableMapping("person", columns: columns)))
    #expect(try bench.rows("SELECT code, typeof(code), rank, hex(data) FROM person") == ["7|text|12|0001FF"])
  }

  @Test func `a composite key distinguishes rows by all its columns`() throws {
    let bench = try bench()
    try bench.run(
      #"[{"country": "de", "zip": "1", "name": "a"}, {"country": "at", "zip": "1", "name": "b"}]"#,
      mapping: ImportMapping("place"))
    let report = try bench.run(
      #"[{"zip": "1", "country": "at", "name": "c"}]"#, mapping: ImportMapping("place"))
    #expect(try bench.rows("SELECT * FROM place ORDER BY 1") == ["at|1|c", "de|1|a"])
    #expect(report.tables["place"]?.updated == 1)
  }

  @Test func `a unique column can be the key, and the primary key is kept`() throws {
    let bench = try bench()
    let mapping = ImportMapping(TableMapping("person", key: ["code"]))
    try bench.run(#"[{"id": 7, "code": "x", "rank": 1}]"#, mapping: mapping)
    try bench.run(#"[{"code": "x", "rank": 2}, {"code": "y", "rank": 3}]"#, mapping: mapping)
    #expect(try bench.rows("SELECT id, code, rank FROM person ORDER BY code") == ["7|x|2", "8|y|3"])
    let failure = bench.failure("[]", mapping: ImportMapping(TableMapping("person", key: ["rank"])))
    #expect(failure?.code == .mapping)
  }

  @Test func `an issue names document, row, byte, table, key, column, code and reason`() throws {
    let bench = try bench()
    let report = try bench.run(
      #"[{"id": 1}, {"id": 2, "rank": "many"}]"#, mapping: ImportMapping("person"),
      policy: ImportPolicy(badRows: .collect))
    let issue = try #require(report.issues.first)
    #expect(issue.document == "document 0")
    #expect(issue.row == 2)
    #expect(issue.offset == 30)
    #expect(issue.table == "person")
    #expect(issue.column == "rank")
    #expect(issue.code == .typeMismatch)
    #expect(issue.message.contains("many"))
    let taken = try bench.run(
      #"[{"id": 1, "code": "x"}, {"id": 3, "code": "x"}]"#, mapping: ImportMapping("person"),
      policy: ImportPolicy(badRows: .collect))
    #expect(taken.issues.map(\.key) == ["id = 3"])
    #expect(taken.issues.map(\.offset) == [25])
  }

  @Test(arguments: [
    (#"{"id": 1, "n": null, "c": 1}"#, ImportIssue.Code.notNull), (#"{"id": 1, "n": 1, "c": 9}"#, .check),
    (#"{"n": 1, "c": 1}"#, .missingKey), (#"{"id": null, "n": 1}"#, .missingKey), ("5", .notAnObject),
    (#"{"id": 1e400, "n": 1}"#, .outOfRange), (#"{"id": 1, "n": []}"#, .typeMismatch),
  ])
  func `a violated constraint is an issue with its own code`(row: String, code: ImportIssue.Code) throws {
    let bench = try ImportBench(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, n INTEGER NOT NULL, c INTEGER CHECK (c < 5))")
    let report = try bench.run(
      "[{\"id\": 0, \"n\": 0}, \(row), {\"id\": 2, \"n\": 0}]", mapping: ImportMapping("item"),
      policy: ImportPolicy(badRows: .collect))
    #expect(report.issues.map(\.code) == [code])
    #expect(try bench.rows("SELECT id FROM item") == ["0", "2"])
  }

  @Test func `the report counts rows, bytes and statements`() throws {
    let bench = try bench()
    try bench.run(#"[{"id": 1, "rank": 1}, {"id": 2, "rank": 2}]"#, mapping: ImportMapping("person"))
    let text = #"[{"id": 1, "rank": 1}, {"id": 2, "rank": 9}, {"id": 3, "rank": 3}]"#
    let report = try bench.run(text, mapping: ImportMapping("person"))
    let person = try #require(report.tables["person"])
    #expect((person.inserted, person.updated, person.unchanged) == (1, 1, 1))
    #expect((report.rows, report.bytes) == (3, text.utf8.count))
    #expect(report.statements > 0)
    #expect(report.duration > .zero)
  }

  @Test func `progress is reported at most ten times a second, and at the end`() throws {
    let bench = try bench()
    let rows = (0..<10_000).map { "{\"id\": \($0)}" }.joined(separator: ",")
    var hooks = ImportHooks()
    var shown: [Int] = []
    var now = ContinuousClock.now
    hooks.progress = { shown.append($0.rows) }
    // Each reading of the clock is 40 milliseconds after the last. The import reads it every 256 rows.
    hooks.now = {
      now += .milliseconds(40)
      return now
    }
    try bench.run("[\(rows)]", mapping: ImportMapping("person"), hooks: hooks)
    let expected = Array(stride(from: 3 * 256, through: 10_000, by: 3 * 256)) + [10_000]
    #expect(shown == expected)
  }
}
