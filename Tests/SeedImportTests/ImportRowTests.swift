import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportRowTests {
  private static let schema = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, zip TEXT, score REAL DEFAULT 1.5, big INTEGER);
    """

  private func bench() throws -> ImportBench { try ImportBench(Self.schema) }

  @Test func `an array of objects becomes rows, in pieces of any size`() throws {
    let text =
      #" [ {"id": 1, "name": "Ada", "zip": "01067"}, {"name": "Bob \u00e9", "id": 2, "more": [1, {}]} ] "#
    for pieces in [1, 2, 7, 1000] {
      let bench = try bench()
      let report = try bench.run(text, mapping: ImportMapping("person"), pieces: pieces)
      #expect(report.tables["person"]?.inserted == 2 && report.rows == 2 && report.bytes == text.utf8.count)
      #expect(report.statements > 0 && report.duration > .zero)
      #expect(try bench.rows("SELECT * FROM person") == ["1|Ada|01067|1.5|NULL", "2|Bob é|NULL|1.5|NULL"])
    }
  }

  @Test func `a repeated import reports all rows unchanged and does not change the file's bytes`() throws {
    let bench = try bench()
    let text = #"[{"id": 1, "name": "Ada", "score": 2}, {"id": 2, "zip": "00001", "big": "7"}]"#
    try bench.run(text, mapping: ImportMapping("person"))
    let before = try bench.bytes()
    let report = try bench.run(text, mapping: ImportMapping("person"))
    let person = try #require(report.tables["person"])
    #expect((person.inserted, person.updated, person.unchanged) == (0, 0, 2))
    #expect(try bench.bytes() == before)
  }

  @Test func `a missing member leaves its column unchanged, and null is written`() throws {
    let bench = try bench()
    try bench.run(#"[{"id": 1, "name": "Ada", "zip": "1", "score": 9}]"#, mapping: ImportMapping("person"))
    let report = try bench.run(
      #"[{"id": 1, "zip": null}, {"id": 1, "big": 5}]"#, mapping: ImportMapping("person"))
    #expect(report.tables["person"]?.updated == 2)
    #expect(try bench.rows("SELECT * FROM person") == ["1|Ada|NULL|9.0|5"])
  }

  @Test func `a text becomes an integer if that is exact, else an issue`() throws {
    let bench = try bench()
    let report = try bench.collect(
      #"[{"id": "9007199254740993", "big": "-9223372036854775808"}, {"id": "7x"}, {"id": 3, "big": "1.5"}]"#,
      mapping: ImportMapping("person"))
    #expect(try bench.rows("SELECT id, big FROM person") == ["9007199254740993|-9223372036854775808"])
    #expect(report.issues.map(\.code) == [.typeMismatch, .typeMismatch])
    #expect(report.issues.map(\.column) == ["id", "big"] && report.issues.map(\.row) == [2, 3])
    #expect(report.issues.map(\.offset) == [67, 91])
  }

  @Test func `true is 1, false is 0, and a NUL byte in a text does not truncate it`() throws {
    let bench = try bench()
    try bench.run(
      #"[{"id": 1, "name": "a\u0000b", "big": true, "score": false}, {"id": 2, "name": ""}]"#,
      mapping: ImportMapping("person"))
    #expect(
      try bench.rows("SELECT length(CAST(name AS BLOB)), typeof(name), big, score FROM person") == [
        "3|text|1|0.0", "0|text|NULL|1.5",
      ])
  }

  @Test func `an object in a plain column is an issue, or JSON if the mapping says so`() throws {
    let bench = try bench()
    let text = #"[{"id": 1, "name": {"a": [1, 2.5, null, "x\n"]}}]"#
    let refused = try bench.collect(text, mapping: ImportMapping("person"))
    #expect(refused.issues.map(\.code) == [.typeMismatch])
    #expect(refused.tables["person"]?.rejected == 1)
    try bench.run(
      text, mapping: ImportMapping(TableMapping("person", columns: ["name": .from("name", .json)])))
    #expect(try bench.rows("SELECT name FROM person") == [#"{"a":[1,2.5,null,"x\n"]}"#])
  }

  @Test func `a connection in a transaction, or with foreign keys on, is rejected`() throws {
    let bench = try bench()
    let connection = try Connection(bench.path, .own)
    try connection.execute("BEGIN")
    let inTransaction = #expect(throws: ImportFailure.self) {
      try ImportSession(connection, mapping: ImportMapping("person"))
    }
    #expect(inTransaction?.code == .database)
    try connection.execute("COMMIT")
    try connection.execute("PRAGMA foreign_keys = ON")
    let enforcing = #expect(throws: ImportFailure.self) {
      try ImportSession(connection, mapping: ImportMapping("person"))
    }
    #expect(enforcing?.message.contains("foreign keys") == true)
  }
}
