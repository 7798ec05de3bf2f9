import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

/// CSV as other programs write it, and the command's messages.
@Suite struct ImportCSVTests {
  private let folder: ImportFolder

  init() throws {
    folder = try ImportFolder(
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zip TEXT NOT NULL DEFAULT 'none', lat REAL)")
  }

  private func run(_ bytes: [UInt8], _ options: String...) throws -> ProgramOutcome {
    try folder.write(bytes, "stops.csv")
    return try folder.run(["stops.csv", "--table", "stop"] + options)
  }

  private func run(_ text: String, _ options: String...) throws -> ProgramOutcome {
    try folder.write(text, "stops.csv")
    return try folder.run(["stops.csv", "--table", "stop"] + options)
  }

  private func rows() throws -> [String] { try folder.rows("SELECT * FROM stop") }

  @Test func `CSV written by sqlite3 is imported unchanged`() throws {
    let other = folder("other.sqlite")
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b REAL, c, d NUMERIC)"
    try Tool.sqlite(
      other,
      """
      \(schema);
      INSERT INTO t VALUES (1, '', NULL, '', 'x'), (2, NULL, 0.1, NULL, NULL),
        (3, 'a "b",' || char(10) || 'c', -1e300, ' ', ''), (4, '0012', 7, 'é', 5);
      """)
    let csv = try Tool.run(["sqlite3", "-header", "-csv", other, "SELECT * FROM t"])
    try folder.write(csv, "t.csv")
    try Connection(folder("copy.sqlite"), .creator).execute(schema)
    try SeedbankBinary.succeed(
      ["import", "t.csv", "--database", "copy.sqlite", "--table", "t"], in: folder.path)
    let query = "SELECT id, quote(a), quote(b), quote(c), quote(d) FROM t ORDER BY id"
    #expect(try Tool.sqlite(folder("copy.sqlite"), query) == Tool.sqlite(other, query))
  }

  @Test(arguments: [
    ("quotes", ["1|NULL|", "2||"]), ("null", ["2||z"]), ("text", ["1||", "2||"]),
    ("auto", ["1|NULL|", "2|NULL|"]),
  ])
  func `empty fields are NULL or the empty text by rule`(rule: String, expected: [String]) throws {
    let last = rule == "null" ? "2,x,z,\n" : "2,\"\",\"\",\"\"\n"
    let outcome = try run("id,name,zip,lat\n1,,,\n\(last)", "--empty", rule, "--bad-rows", "skip").expect(0)
    if rule == "null" {
      #expect(outcome.errors.contains("NOT NULL"))
    } else {
      #expect(try rows() == expected.map { "\($0)|NULL" })
    }
  }

  @Test func `delimiter and header are set by options or by the mapping`() throws {
    try run("1;a b;Café\n2;;\"€\"\n", "--delimiter", ";", "--header", "id,name,zip").expect(0)
    #expect(try rows() == ["1|a b|Café|NULL", "2|NULL|€|NULL"])
    let mapping = #"{"table": "stop", "csv": {"delimiter": "tab", "header": ["id", "label", "zip"]}, "#
    try folder.write(mapping + #""columns": {"name": "label"}}"#, "map.json")
    try folder.write("3\tc\t7\n", "stops.txt")
    try folder.run(["stops.txt", "--mapping", "map.json"]).expect(0)
    #expect(try rows().last == "3|c|7|NULL")
  }

  @Test(arguments: [
    (["--delimiter", "ab"], "'--delimiter' takes one ASCII character, or tab."),
    (["--format", "ndjson", "--delimiter", ";"], "'--delimiter' is for CSV: add '--format csv'."),
  ])
  func `invalid options are rejected`(options: [String], words: String) throws {
    try folder.write("", "stops.csv")
    try folder.run([folder("stops.csv"), "--table", "stop"] + options).expect(64, words)
  }

  @Test func `a message names row, line, byte and column`() throws {
    let start = "id;NAME;zip\r\n1;\"a\r\nb\";7\r\n\r\n"
    let outcome = try run(
      Array(start.utf8) + Array("2;".utf8) + [0xE9, 0x0D, 0x0A], "--delimiter", ";", "--bad-rows", "skip")
    let place = "row 2, line 5, byte \(start.utf8.count + 2)"
    #expect(outcome.errors.contains(place), "\(outcome.errors)")
    #expect(outcome.errors.contains(#"column "NAME": a field that is not valid UTF-8"#), "\(outcome.errors)")
    let wrong = try run("id,name,zip,lat\n1,a,7,x\n", "--bad-rows", "skip", "--json")
    let issue = try JSONValue(parsing: Array(wrong.output.utf8))["issues"]?.elements?.first
    #expect(issue?["column"]?.string == "lat")
    #expect((issue?["line"]?.integer, issue?["offset"]?.integer) == (2, 22))
  }

  @Test(arguments: [
    ("id,name\n1,\"a", "line 2, byte 10: a quotation mark that is never closed"),
    ("id,name\n1,\"a\"b\n", "line 2, byte 13: text after a closing quotation mark"),
    ("id,name,id\n1,a,2\n", "line 1, byte 0: the header has the name \"id\" twice: rename one of them"),
    ("", "line 1, byte 0: the CSV has no header"),
  ])
  func `broken CSV ends the import with its line and byte`(text: String, words: String) throws {
    let outcome = try run(text, "--bad-rows", "skip").expect(65)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(outcome.errors.contains("stops.csv"))
  }

  @Test func `fields match referenced rows, and waiting records get their values`() throws {
    try folder.execute(
      "CREATE TABLE call(id INTEGER PRIMARY KEY, stop INTEGER REFERENCES stop(id), at TEXT UNIQUE)")
    _ = try run("id,zip\n1,a\n2,b\n")
    let mapping = #"{"table": "call", "relations": [{"object": "halt", "table": {"table": "stop"}, "#
    try folder.write(mapping + #""foreignKey": "stop"}]}"#, "map.json")
    for text in ["id,at,halt\n1,x,1\n2,y,\n", "id,at,halt\n1,y,2\n2,z,\"1\"\n"] {
      try folder.write(text, "calls.csv")
      try folder.run(["calls.csv", "--mapping", "map.json"]).expect(0)
    }
    #expect(try folder.rows("SELECT id, at, stop FROM call") == ["1|y|2", "2|z|1"])
  }
}
