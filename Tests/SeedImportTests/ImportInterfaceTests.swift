import SeedFormat
import SeedImport
import Support
import Testing

/// An app developer's expectations that other suites do not cover.
@Suite struct ImportInterfaceTests {
  private static let schema = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, first_name TEXT, code TEXT UNIQUE, rank INTEGER);
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
  }

  @Test(arguments: [
    (#"{"id": 1, "n": null, "c": 1}"#, ImportIssue.Code.notNull), (#"{"id": 1, "n": 1, "c": 9}"#, .check),
    (#"{"n": 1, "c": 1}"#, .missingKey), (#"{"id": null, "n": 1}"#, .missingKey), ("5", .notAnObject),
    (#"{"id": 1e400, "n": 1}"#, .outOfRange), (#"{"id": 1, "n": []}"#, .typeMismatch),
  ])
  func `a violated constraint is an issue with its own code`(row: String, code: ImportIssue.Code) throws {
    let bench = try ImportBench(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, n INTEGER NOT NULL, c INTEGER CHECK (c < 5))")
    let report = try bench.collect(
      "[{\"id\": 0, \"n\": 0}, \(row), {\"id\": 2, \"n\": 0}]", mapping: ImportMapping("item"))
    #expect(report.issues.map(\.code) == [code])
    #expect(try bench.rows("SELECT id FROM item") == ["0", "2"])
  }

  @Test func `progress is reported at most ten times a second, and at the end`() throws {
    let bench = try bench()
    let rows = (0..<2000).map { "{\"id\": \($0)}" }.joined(separator: ",")
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
    #expect(shown == [3 * 256, 6 * 256, 2000])
  }
}
