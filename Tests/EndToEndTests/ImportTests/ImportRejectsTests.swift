import Foundation
import SeedFormat
import Support
import Testing

/// Files of rejected rows are complete, and documents that can be imported again.
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
      "dictionary.json",
      #"{"data":{"1":{"name":"a"},"x2":{"name":"b"},"x3":{"name":"c"}}}"#,
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
  func `rejected rows are a document: rejected again unedited, imported once edited`(form: Form) throws {
    try folder.write(form.document.utf8, form.description)
    try folder.write(form.mapping.utf8, "map.json")
    let options = ["--mapping", "map.json", "--bad-rows", "skip", "--rejects"]
    let first = try run(form.description, options + ["bad.ndjson"])
    #expect(first.status == 0, "\(first.errors)")
    let rejected = try folder.lines("bad.ndjson")
    #expect(rejected.count == 2)
    let again = try run("bad.ndjson", options + ["worse.ndjson"])
    #expect(again.status == 0, "\(again.errors)")
    #expect(try folder.lines("worse.ndjson") == rejected)
    let mended = rejected.map { line -> String in
      let (place, row) = (line.firstRange(of: ",\"value\""), line.firstRange(of: ",\"table\""))
      guard let place, let row else { return line }
      // In a dictionary the id is the row's name; otherwise it is in the value.
      let start = line[..<row.lowerBound].replacing("\"name\":\"x", with: "\"name\":\"")
      return start + String(line[row.lowerBound..<place.lowerBound])
        + String(line[place.lowerBound...]).replacing("\"x2\"", with: "\"2\"").replacing("\"x3\"", with: "3")
    }
    try folder.write(mended.joined(separator: "\n").utf8, "bad.ndjson")
    let done = try run("bad.ndjson", options + ["none.ndjson"])
    #expect(done.status == 0, "\(done.errors)")
    #expect(try folder.lines("none.ndjson") == [])
    let ids = form.description == "lists.json" ? ["1", "3"] : ["1", "2", "3"]
    #expect(try rows("SELECT id FROM stop") == ids)
    if form.description == "records.csv" {
      #expect(try rows("SELECT name, quote(code) FROM stop").dropFirst() == ["b;\"|''", "c|'z'"])
    }
    if form.description == "lists.json" { #expect(try rows("SELECT trip, place FROM time") == ["t|2"]) }
  }

  @Test(arguments: ["a.json", "a.ndjson", "a.csv"])
  func `an invalid string rejects only its row, whose bytes are kept`(name: String) throws {
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
    let options = ["--table", "stop", "--bad-rows", "skip", "--rejects"]
    let outcome = try run(name, options + ["bad.ndjson"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try self.rows() == ["1|a", "3|c"])
    let line = try #require(try values("bad.ndjson").first)
    #expect(Data(base64Encoded: line["bytes"]?.string ?? "") == Data(bad))
    #expect(line["code"]?.string == "malformed")
    _ = try run("bad.ndjson", options + ["worse.ndjson"])
    #expect(try folder.lines("worse.ndjson") == folder.lines("bad.ndjson"))
    try folder.write(
      try folder.lines("bad.ndjson")[0].replacing("Caf\u{FFFD}", with: "Café").utf8, "bad.ndjson")
    let mended = try run("bad.ndjson", options + ["none.ndjson"])
    #expect(mended.status == 0, "\(mended.errors)")
    #expect(try self.rows() == ["1|a", "2|Café", "3|c"])
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

  @Test func `importing rejected rows deletes no other rows`() throws {
    try folder.write(#"{"table":"stop","mode":"mergeAndDeleteMissing","key":"id"}"#.utf8, "map.json")
    try folder.write(#"[{"id":1,"name":"a"},{"id":2}]"#.utf8, "a.json")
    let options = ["--mapping", "map.json", "--bad-rows", "skip", "--rejects"]
    #expect(try run("a.json", options + ["bad.ndjson"]).status == 0)
    try folder.write(
      try folder.lines("bad.ndjson")[0].replacing(#"{"id":2}"#, with: #"{"id":2,"name":"b"}"#).utf8,
      "bad.ndjson")
    #expect(try run("bad.ndjson", options + ["none.ndjson"]).status == 0)
    #expect(try rows() == ["1|a", "2|b"])
  }

  @Test func `a record with another number of fields is edited as an array of its fields`() throws {
    try folder.write("id,name\n1\n2,b,c\n4,,\"\"\n".utf8, "a.csv")
    let options = ["--table", "stop", "--bad-rows", "skip", "--rejects"]
    #expect(try run("a.csv", options + ["bad.ndjson"]).status == 0)
    let rejected = try folder.lines("bad.ndjson")
    #expect(rejected.allSatisfy { $0.contains(#""header":["id","name"]"#) })
    #expect(rejected.last?.hasSuffix(#""value":["4",null,""]}"#) == true)
    _ = try run("bad.ndjson", options + ["worse.ndjson"])
    #expect(try folder.lines("worse.ndjson") == rejected)
    try folder.write(
      rejected.joined(separator: "\n").replacing(#"["1"]"#, with: #"["1","a"]"#)
        .replacing(#"["2","b","c"]"#, with: #"{"id":2,"name":"b"}"#)
        .replacing(#"["4",null,""]"#, with: #"["4",""]"#).utf8, "bad.ndjson")
    #expect(try run("bad.ndjson", options + ["none.ndjson"]).status == 0)
    #expect(try rows() == ["1|a", "2|b", "4|"])
  }

  @Test func `a row takes one line with all its issues, also those of parts that waited`()
    throws
  {
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
    #expect((wide?["also"]?.elements?.count, wide?["issueCount"]?.integer) == (999, 1200))
    #expect(wide?["value"]?["times"]?.elements?.count == 1200)
  }

  @Test func `a renamed file of rejected rows is recognised by its format, and needs the same mapping`()
    throws
  {
    try folder.write(#"[{"id":"x","name":"a"}]"#.utf8, "a.json")
    #expect(
      try run("a.json", ["--table", "stop", "--bad-rows", "skip", "--rejects", "bad.ndjson"]).status == 0)
    let line = try folder.lines("bad.ndjson")[0].replacing("\"x\"", with: "7")
    try folder.write(line.replacing(#""list":0"#, with: #""list":1"#).utf8, "a.csv")
    let other = try run("a.csv", ["--table", "stop"])
    #expect(other.status == 65)
    #expect(other.errors.contains("the row is of list 1, which the mapping does not have"), "\(other.errors)")
    try folder.write("\n\(line)".utf8, "a.csv")
    #expect(try run("a.csv", ["--table", "stop", "--format", "rejects"]).status == 0)
    #expect(try rows() == ["7|a"])
  }
}
