import Foundation
import SeedFormat
import Support
import Testing

@Suite struct ImportCommandTests {
  private let folder: ImportFolder

  init() throws {
    folder = try ImportFolder(
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL, zip TEXT, lat REAL)")
  }

  private func run(_ text: String, as name: String, _ options: String...) throws -> ProgramOutcome {
    try folder.write(text, name)
    return try folder.run([folder(name)] + options)
  }

  private func rows() throws -> [String] { try folder.rows("SELECT * FROM stop") }

  @Test func `CSV by RFC 4180: quotes, line ends of both kinds, empty fields, leading zeros`() throws {
    let csv = "\u{FEFF}id,name,zip,lat\r\n1,\"A \"\"x\"\",\r\ny\",00501,1.5\r\n\r\n2,,,\n3,é,\"\",7"
    let outcome = try run(csv, as: "stops.csv", "--table", "stop").expect(0)
    #expect(try rows() == ["1|A \"x\",\r\ny|00501|1.5", "2||NULL|NULL", "3|é||7.0"])
    #expect(outcome.output == "stop: 3 inserted, 0 updated, 0 unchanged, 0 deleted, 0 rejected\n")
  }

  @Test func `a rejected record has its place in the CSV document, even if another row has its value`() throws
  {
    try folder.execute("CREATE UNIQUE INDEX by_name ON stop(name)")
    let csv = "\u{FEFF}id,name\r\n1,a\r\n\r\n\"x\",\"b\nb\"\r\n2\r\n3,a"
    let outcome = try run(csv, as: "stops.csv", "--table", "stop", "--bad-rows", "skip", "--json").expect(0)
    let issues = try JSONValue(parsing: Array(outcome.output.utf8))["issues"]?.elements ?? []
    let places = issues.map { issue in ["row", "line", "offset"].map { issue[$0]?.integer } }
    #expect(places == [[2, 4, 19], [3, 6, 30], [4, 7, 33]])
    #expect(issues.last?["key"]?.string == "id = 3" && issues.last?["column"]?.string == "name")
  }

  @Test func `a header of which no field but the key matches a column is reported, even in JSON`() throws {
    try folder.execute("CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT)")
    let outcome = try run("id,title\n1,a\n", as: "places.csv", "--table", "place", "--json").expect(
      0, #"no row has a member $.name for the column "name""#)
    let report = try JSONValue(parsing: Array(outcome.output.utf8))
    #expect(report["missing"]?.elements?.contains { $0["column"]?.string == "name" } == true)
    #expect(report["tables"]?["place"]?["inserted"]?.integer == 1)
  }

  @Test func `byte order marks are skipped at the start of documents and mappings`() throws {
    try folder.write("\u{FEFF}{\"table\": \"stop\"}", "map.json")
    let texts = [#"[{"id":1,"name":"a"}]"#, #"{"id":2,"name":"b"}"#, "id,name\n3,c"]
    for (text, name) in zip(texts, ["a.json", "a.ndjson", "a.csv"]) {
      let outcome = try run("\u{FEFF}\(text)", as: name, "--mapping", folder("map.json"))
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
    }
    #expect(try rows().count == 3)
  }

  @Test(
    arguments: [("none.sqlite", 74, "cannot be opened"), ("text.sqlite", 74, "not a SQLite database")]
      as [(String, Int32, String)])
  func `SQLite's errors name the database, not a statement`(
    name: String, status: Int32, words: String
  ) throws {
    try folder.write(String(repeating: "text", count: 300), "text.sqlite")
    try folder.write("[]", "a.json")
    let outcome = try SeedbankBinary.run(
      ["import", folder("a.json"), "--database", folder(name), "--table", "stop"])
    #expect(outcome.status == status)
    #expect(outcome.errors.contains("\(folder(name)): "))
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func `broken references fail, become null or stay, as the option says`() throws {
    try folder.execute("CREATE TABLE call(id INTEGER PRIMARY KEY, stop INTEGER REFERENCES stop(id))")
    let failed = try run(#"[{"id": 1, "stop": 7}]"#, as: "calls.json", "--table", "call").expect(65)
    let words = "1 row references a missing row of table \"stop\" (id = 1 has stop = 7)"
    #expect(failed.errors.contains(words), "\(failed.errors)")
    for (rule, stop, value) in [("keep", 7, "7"), ("null", 8, "NULL")] {
      try run(#"[{"id": 1, "stop": \#(stop)}]"#, as: "calls.json", "--table", "call", "--references", rule)
        .expect(0, "id = 1")
      #expect(try folder.rows("SELECT stop FROM call") == [value])
    }
    try folder.execute("CREATE TABLE odd(id INTEGER PRIMARY KEY, n REFERENCES stop(name))")
    #expect(try run(#"[{"id": 1, "n": "x"}]"#, as: "odd.json", "--table", "odd").status == 78)
  }

  @Test func `an option that the mapping has is rejected`() throws {
    try folder.write(#"{"table": "stop", "rows": "$.d"}"#, "map.json")
    let options = ["a.json", "--mapping", folder("map.json")]
    try folder.write(#"{"d": [{"id": 1, "name": "a"}]}"#, "a.json")
    let other = try folder.run(options + ["--table", "shop"])
    let message = "'--table' is for an import without a mapping: omit it."
    #expect(other.status == 64 && other.errors.contains(message), "\(other.errors)")
    for rows in ["$.e", "$.d[x]"] { #expect(try folder.run(options + ["--rows", rows]).status == 64) }
  }

  @Test(
    arguments: [
      ([#"{"table": "stop", "colums": {}}"#, "[]"], 78), ([#"{"table": "stop"}"#, "[{]"], 65),
      ([#"{"table": "stop"}"#, #"[{"name": "no key"}]"#], 65), ([#"{"table": "stpo"}"#, "[]"], 78),
      ([#"{"table": "stop", "columns": {"nmae": "x"}}"#, "[]"], 78),
    ] as [([String], Int32)])
  func `exit codes distinguish bad mappings from bad data`(texts: [String], status: Int32) throws {
    try folder.write(texts[0], "map.json")
    let outcome = try run(texts[1], as: "stops.json", "--mapping", folder("map.json"))
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(try rows() == [])
  }

  @Test func `an object in place of an array suggests a path and NDJSON`() throws {
    let lines = "{\"id\": 1, \"name\": \"a\"}\n{\"id\": 2, \"name\": \"b\"}\n"
    let outcome = try run(lines, as: "stops.json", "--table", "stop")
    let message = """
      expected an array of rows at $, found an object: give the path of the rows, or the layout lines (--format ndjson) \
      if each line is an object.
      """
    #expect(outcome.status == 65 && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(try run(lines, as: "stops.json", "--table", "stop", "--format", "ndjson").status == 0)
  }

  @Test func `a table with triggers is rejected unless they are ignored`() throws {
    try folder.execute(
      """
      CREATE TABLE log(id INTEGER);
      CREATE TRIGGER noted AFTER INSERT ON stop BEGIN INSERT INTO log VALUES (NEW.id); END
      """)
    func status(_ id: Int, _ options: String...) throws -> (Int32, errors: String) {
      let text = #"{"id": \#(id), "name": "n"}"#
      try folder.write(text, "a.ndjson")
      let outcome = try folder.run([folder("a.ndjson"), "--table", "stop"] + options)
      return (outcome.status, outcome.errors)
    }
    let refused = try status(1)
    #expect(refused.0 == 65 && refused.errors.contains(#"has triggers ("noted")"#))
    #expect(try status(3, "--ignore-triggers").0 == 0)
    #expect(try Tool.sqlite(folder.database, "SELECT id FROM stop; SELECT 'log', id FROM log;") == "3\n")
  }

  @Test func `messages get no second punctuation mark at their end`() throws {
    try folder.write(#"{"table": "stop", "colums": {}}"#, "map.json")
    let mapping = try run("[]", as: "stops.json", "--mapping", folder("map.json"))
    #expect(mapping.status == 78 && mapping.errors.hasSuffix("did you mean \"columns\"?\n"))
  }

  @Test func `a dry run reports changes and makes none, and fails as an import would`() throws {
    let row = #"[{"id": 1, "name": "a"}]"#
    let outcome = try run(row, as: "stops.json", "--table", "stop", "--dry-run", "--batch", "1")
    #expect(outcome.output.hasPrefix("stop: 1 inserted"))
    #expect(try rows() == [])
    try folder.write(#"{"table": "stop", "mode": "replace"}"#, "map.json")
    let deleting = try run(
      row, as: "stops.json", "--mapping", folder("map.json"), "--dry-run", "--batch", "1")
    #expect(deleting.status == 78 && deleting.errors.contains("import without batches"))
  }
}
