import SeedFormat
import Support
import Testing

/// Files of rejected rows are complete.
@Suite struct ImportRejectsTests {
  private let folder: ImportFolder

  init() throws {
    folder = try ImportFolder(
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT UNIQUE);
      CREATE TABLE time(trip TEXT NOT NULL, place INTEGER NOT NULL, at INTEGER, PRIMARY KEY (trip, place));
      """)
  }

  private func run(_ name: String, _ options: [String]) throws -> ProgramOutcome {
    try folder.run([name] + options)
  }

  private func values(_ name: String) throws -> [JSONValue] {
    try folder.lines(name).map { try JSONValue(parsing: Array($0.utf8)) }
  }

  private func rows(_ sql: String = "SELECT id, name FROM stop") throws -> [String] { try folder.rows(sql) }

  struct Form: Sendable, CustomStringConvertible {
    let description: String
    let document: String
    let mapping: String

    init(_ name: String, _ document: String, _ mapping: String) {
      (description, self.document, self.mapping) = (name, document, mapping)
    }
  }

  /// Documents with a valid row 1, and rows 2 and 3 with the ids `x2` and `x3` instead of numbers.
  static let forms = [
    Form(
      "a.json", #"[{"id":1,"name":"a"},{"id":"x2","name":"b"},{"id":"x3","name":"é\n"}]"#,
      #"{"table":"stop"}"#),
    Form(
      "dictionary.json", #"{"data":{"1":{"name":"a"},"x2":{"name":"b"},"x3":{"name":"c"}}}"#,
      #"{"table":"stop","rows":"$.data","keyColumn":"id"}"#),
    Form(
      "lines.ndjson",
      #"{"id":1,"name":"a"}"# + "\n" + #"{"id":"x2","name":"b"}"# + "\n{\"id\":\"x3\",\"name\":\"c\"}",
      #"{"table":"stop"}"#),
    Form(
      "records.csv", "id;name;code\n1;a;\nx2;\"b;\"\"\";\"\"\nx3;c;z\n",
      #"{"table":"stop","csv":{"delimiter":";"}}"#),
    Form(
      "lists.json",
      #"{"times":[{"trip":"t","place":"x2","at":1}],"stops":[{"id":1,"name":"a"},{"id":"x3","name":"c"}]}"#,
      #"{"lists":[{"table":"stop","rows":"stops"},{"table":"time","rows":"times"}]}"#),
  ]

  @Test(arguments: forms)
  func `rejected rows are kept as in the document`(form: Form) throws {
    try folder.write(form.document.utf8, form.description)
    try folder.write(form.mapping.utf8, "map.json")
    let options = ["--mapping", "map.json", "--bad-rows", "skip", "--rejects", "bad.ndjson"]
    try run(form.description, options).expect(0)
    let ids = try values("bad.ndjson").map { row in
      // In a dictionary the id is the row's name; otherwise it is in the value.
      row["name"]?.string ?? row["value"]?["id"]?.string ?? row["value"]?["place"]?.string
    }
    #expect(ids == ["x2", "x3"])
  }

  @Test(arguments: ["a.json", "a.ndjson", "a.csv"])
  func `an invalid string rejects only its row, whose text is kept`(name: String) throws {
    let isCSV = name == "a.csv"
    let bad =
      isCSV ? Array("2,Caf".utf8) + [0xE9] : Array(#"{"id":2,"name":"Caf"#.utf8) + [0xE9] + Array("\"}".utf8)
    let rows =
      [isCSV ? Array("1,a".utf8) : Array(#"{"id":1,"name":"a"}"#.utf8), bad]
      + (isCSV ? [Array("3,c".utf8)] : [Array(#"{"id":3,"name":"c"}"#.utf8)])
    let (first, separator, last) =
      switch name {
      case "a.json": ("[", ",", "]")
      case "a.ndjson": ("", "\n", "")
      default: ("id,name\r\n", "\r\n", "\r\n")
      }
    try folder.write(
      Array(first.utf8) + Array(rows.joined(separator: Array(separator.utf8))) + Array(last.utf8), name)
    try run(name, ["--table", "stop", "--bad-rows", "skip", "--rejects", "bad.ndjson"]).expect(0)
    #expect(try self.rows() == ["1|a", "3|c"])
    let line = try #require(try values("bad.ndjson").first)
    #expect(line["value"]?.string == String(decoding: bad, as: UTF8.self))
    #expect(line["code"]?.string == "malformed")
    #expect(try run(name, ["--table", "stop"]).status == 65)
  }

  @Test(arguments: [#"\ud800"#, #"\x"#, "\t"])
  func `a bad escape or character in an array rejects its row, and a broken structure ends the import`(
    text: String
  ) throws {
    let rows = "[{\"id\":1,\"name\":\"a\(text)\"},{\"id\":2,\"name\":\"b\"}"
    try folder.write("\(rows)]".utf8, "a.json")
    let options = ["--table", "stop", "--bad-rows", "skip"]
    let outcome = try run("a.json", options)
    #expect((outcome.status == 0) == (text != "\t"), "\(outcome.errors)")
    try folder.write("\(rows)}".utf8, "a.json")
    #expect(try run("a.json", options).status == 65)
  }

  @Test func `a record with another number of fields is kept as its text`() throws {
    try folder.write("id,name\n1\n2,b,c\n4,,\"\"\n".utf8, "a.csv")
    #expect(
      try run("a.csv", ["--table", "stop", "--bad-rows", "skip", "--rejects", "bad.ndjson"]).status == 0)
    #expect(try values("bad.ndjson").map { $0["value"]?.string } == ["1", "2,b,c", "4,,\"\""])
  }

  @Test func `a row has one line, even if several parts are rejected or waited`() throws {
    let mapping = """
      {"table": "stop", "relations": [{"array": "times", "table": {"table": "time"}, "parentKey": "place"}]}
      """
    try folder.write(mapping.utf8, "map.json")
    let bad = (0..<1200).map { "{\"trip\":\"t\($0)\",\"at\":\"x\"}" }.joined(separator: ",")
    let document = """
      [{"id":1,"name":"a","code":"c"},
      {"id":2,"name":"b","code":"c","times":[{"trip":"t"}]},
      {"id":3,"name":"c","times":[\(bad)]}]
      """
    try folder.write(document.utf8, "a.json")
    #expect(
      try run("a.json", ["--mapping", "map.json", "--bad-rows", "skip", "--rejects", "bad.ndjson"]).status
        == 0)
    let found = try values("bad.ndjson")
    #expect(Set(found.map { $0["row"]?.integer }) == [2, 3])
    #expect(found.count == 2)
    let wide = found.first { $0["row"]?.integer == 3 }
    #expect(wide?["value"]?["times"]?.elements?.count == 1200)
  }
}
