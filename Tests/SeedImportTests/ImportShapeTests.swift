import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportShapeTests {
  private static let schema =
    "CREATE TABLE item(id TEXT PRIMARY KEY NOT NULL, fullName TEXT, born INTEGER, data BLOB);"

  private func bench() throws -> ImportBench { try ImportBench(Self.schema) }

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

  @Test func `an issue is one line without control characters, whatever the document holds`() throws {
    let report = try bench().collect(
      #"[{"id": "a\u001B\nb", "born": "x\r"}]"#, mapping: ImportMapping("item"))
    let reason = #"expected a whole number of 64 bits, found "x\u{D}""#
    #expect(
      report.issues.first?.description.hasSuffix(#"id = a\u{1B}\u{A}b, column "born": \#(reason)"#) == true,
      "\(report.issues)")
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
    let report = try bench.collect(#"[{"id": "a", "name": "ada"}, {"id": "b", "name": 5}]"#, mapping: mapping)
    #expect(try bench.rows("SELECT id, fullName FROM item") == ["a|ADA"])
    #expect(report.issues.map(\.code) == [.conversion])
  }

  @Test(
    arguments: [
      (#"{"data": {"itmes": [], "meta": 1}}"#, #" (did you mean "itmes"?): "#),
      (#"{"data": {"rows": [], "meta": 1}, "x": 2}"#, #" (it has "rows", "meta", "x"): "#),
      (#"{"results": [], "error": null}"#, #" (it has "results", "error"): "#),
      (#"{"data": {}}"#, ": correct the path of the list, or make the list optional"),
    ])
  func `a path without rows is an error that names the members in their place`(text: String, words: String)
    throws
  {
    let failure = #expect(throws: ImportFailure.self) {
      try bench().run(text, mapping: ImportMapping("item", rows: "$.data.items"))
    }
    let start = "document 0: the document has nothing at $.data.items\(words)"
    #expect(
      failure?.code == .document && failure?.message.hasPrefix(start) == true, "\(failure?.message ?? "")")
  }
}
