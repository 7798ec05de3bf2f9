import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportShapeTests {
  private static let schema =
    "CREATE TABLE item(id TEXT PRIMARY KEY NOT NULL, fullName TEXT, born INTEGER, data BLOB);"

  private func bench() throws -> ImportBench { try ImportBench(Self.schema) }

  @Test func `rows are found at a path, and other members are skipped`() throws {
    for pieces in [1, 3, .max] {
      let bench = try bench()
      let text = """
        {"meta": {"data": [1, {"items": []}]}, "data": {"x": "[", "items": [{"id": "a"}], "y": {}}, "z": 1}
        """
      let report = try bench.run(text, mapping: ImportMapping("item", rows: "$.data.items"), pieces: pieces)
      #expect(report.tables["item"]?.inserted == 1)
    }
  }

  @Test(arguments: [1, 5, .max])
  func `rows and lines are counted from 1`(pieces: Int) throws {
    let collect = ImportPolicy(badRows: .collect)
    let lines = try bench().run(
      "\n{\"id\":\"a\"}\n\n{}\n", mapping: ImportMapping("item", layout: .lines), policy: collect,
      pieces: pieces)
    let reason = #"table "item", column "id": the key column "id" is missing"#
    #expect(lines.issues.map(\.description) == ["document 0, row 2, line 4, byte 13: \(reason)"])
    let records = try bench().run(
      "id,born\na,1\n\nb,x\n", mapping: ImportMapping("item", layout: .csv()), policy: collect, pieces: pieces
    )
    #expect(records.issues.first?.description.hasPrefix("document 0, row 2, line 4, byte 15: ") == true)
    let array = try bench().run("[{}]", mapping: ImportMapping("item"), policy: collect, pieces: pieces)
    #expect(array.issues.map(\.description) == ["document 0, row 1, byte 1: \(reason)"])
  }

  @Test func `a line that is not JSON is one bad row, and the next line is read`() throws {
    let bench = try bench()
    let report = try bench.run(
      "{\"id\":\"a\"}\r\n{\"id\":\n{\"id\":\"b\"}\nnonsense\n{\"id\":\"c\"}",
      mapping: ImportMapping("item", layout: .lines), policy: ImportPolicy(badRows: .collect))
    #expect(try bench.rows("SELECT id FROM item") == ["a", "b", "c"])
    #expect(report.issues.map(\.code) == [.malformed, .malformed])
    #expect(report.issues.map(\.row) == [2, 4] && report.issues.map(\.line) == [2, 4])
    #expect(report.issues.map(\.key) == [nil, nil])
  }

  @Test func `snake case members match camel case columns, and listed members fill their columns`() throws {
    let bench = try bench()
    try bench.run(
      #"[{"uid": "a", "full_name": "Ada", "vita": {"birth": "1815-12-10"}, "data": "AAH/"}]"#,
      mapping: ImportMapping(
        TableMapping(
          "item", names: .snakeToCamel,
          columns: [
            "id": "uid", "born": .from("vita.birth", .date()), "data": .from("data", .base64),
          ])))
    #expect(try bench.rows("SELECT id, fullName, born, hex(data) FROM item") == ["a|Ada|-4861728000|0001FF"])
  }

  @Test(arguments: [
    ("2001-01-01T00:00:00Z", "0"), ("2001-01-01", "0"), ("2001-01-01T01:30:00+01:30", "0"),
    ("2001-01-01T00:00:00.5Z", "0"), ("2000-02-29T23:59:59Z", "-26438401"),
  ])
  func `dates become seconds since Core Data's epoch`(text: String, seconds: String) throws {
    let bench = try bench()
    try bench.run(
      "[{\"id\": \"a\", \"born\": \"\(text)\"}]",
      mapping: ImportMapping(TableMapping("item", columns: ["born": .from("born", .date(as: .coredata))])))
    #expect(try bench.rows("SELECT born FROM item") == [seconds])
  }

  @Test func `constants fill every row, defaults only new rows`() throws {
    let bench = try bench()
    let mapping = ImportMapping(
      TableMapping("item", constants: ["data": .blob([0x78])], defaults: ["fullName": .text("nobody")]))
    try bench.run(#"[{"id": "a"}, {"id": "b", "fullName": "Bob"}]"#, mapping: mapping)
    try bench.run(#"[{"id": "b"}]"#, mapping: mapping)
    #expect(try bench.rows("SELECT id, fullName, CAST(data AS TEXT) FROM item") == ["a|nobody|x", "b|Bob|x"])
  }

  @Test func `a closure converts a value, and its error is the row's issue`() throws {
    struct Odd: Error {}
    let bench = try bench()
    let mapping = ImportMapping(
      TableMapping(
        "item",
        columns: [
          "fullName": .from(
            "name",
            .custom { value in
              guard case .text(let text) = value else { throw Odd() }
              return .text(text.uppercased())
            })
        ]))
    let report = try bench.run(
      #"[{"id": "a", "name": "ada"}, {"id": "b", "name": 5}]"#, mapping: mapping,
      policy: ImportPolicy(badRows: .collect))
    #expect(try bench.rows("SELECT id, fullName FROM item") == ["a|ADA"])
    #expect(report.issues.map(\.code) == [.conversion])
  }

  @Test func `a path without rows is an error`() throws {
    let bench = try bench()
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(#"{"data": {}}"#, mapping: ImportMapping("item", rows: "$.data.items"))
    }
    #expect(failure?.code == .document)
    #expect(
      failure?.message
        == "document 0: the document has nothing at $.data.items: correct the path of the list, or make the list optional"
    )
  }

  @Test(
    arguments: [
      (#"{"data": {"itmes": [], "meta": 1}}"#, #" (did you mean "itmes"?): "#),
      (#"{"data": {"rows": [], "meta": 1}, "x": 2}"#, #" (it has "rows", "meta", "x"): "#),
      (#"{"results": [], "error": null}"#, #" (it has "results", "error"): "#),
    ])
  func `a value in place of the path is named`(text: String, words: String) throws {
    let failure = #expect(throws: ImportFailure.self) {
      try bench().run(text, mapping: ImportMapping("item", rows: "$.data.items"))
    }
    #expect(failure?.message.contains("nothing at $.data.items\(words)") == true, "\(failure?.message ?? "")")
  }

  @Test func `an unknown table or column is reported with the nearest name`() throws {
    let bench = try bench()
    let table = #expect(throws: ImportFailure.self) { try bench.run("[]", mapping: ImportMapping("itme")) }
    #expect(table?.message.contains("\"item\"") == true)
    let column = #expect(throws: ImportFailure.self) {
      try bench.run("[]", mapping: ImportMapping(TableMapping("item", columns: ["fullname2": "x"])))
    }
    #expect(column?.message.contains("\"fullName\"") == true)
    #expect(column?.code == .mapping)
  }
}
