import Foundation
import SeedFormat
import SeedImport
import Support
import Testing

/// Every key that a mapping's file can hold.
@Suite(.bounded) struct MappingFileTests {
  private static let base = #""table": "person""#

  private func list(_ members: String) throws -> ImportMapping.List {
    let mapping = try ImportMapping(json: Array("{\(Self.base), \(members)}".utf8))
    return try #require(mapping.lists.first)
  }

  private func relation(_ members: String) throws -> RelationMapping {
    try #require(try list(#""relations": [{\#(members)}]"#).table.relations.first)
  }

  private func failure(_ text: String) -> String {
    do {
      _ = try ImportMapping(json: Array(text.utf8))
      return "accepted"
    } catch { return error.message }
  }

  // MARK: Accepted

  @Test func `table names the table`() throws {
    #expect(try ImportMapping(json: Array(#"{"table": "person"}"#.utf8)).lists[0].table.table == "person")
  }

  @Test func `rows says where the rows are`() throws {
    #expect(try list(#""rows": "$.data.items""#).rows == "$.data.items")
  }

  @Test(arguments: [("array", ImportMapping.Layout.array), ("single", .single), ("lines", .lines)])
  func `layout says how the rows lie`(name: String, layout: ImportMapping.Layout) throws {
    #expect(try list("\"layout\": \"\(name)\"").layout == layout)
  }

  @Test func `csv says how a document of records is written`() throws {
    #expect(try list(#""layout": "csv""#).layout == .csv())
    #expect(try list(#""csv": {}"#).layout == .csv())
    let format = CSVFormat(delimiter: "\t", encoding: .latin1, header: ["a", " b"], empty: .auto)
    let members = #""delimiter": "tab", "encoding": "ISO-8859-1", "header": ["a", " b"], "empty": "auto""#
    #expect(try list("\"csv\": {\(members)}").layout == .csv(format))
  }

  @Test(arguments: [
    (#""csv": {"delimitr": ";"}"#, "$.csv.delimitr: unknown key, did you mean \"delimiter\"?"),
    (#""csv": {"delimiter": "\""}"#, "$.csv.delimiter: expected one ASCII character, or tab"),
    (#""csv": {"delimiter": "é"}"#, "$.csv.delimiter: expected one ASCII character, or tab"),
    (#""csv": {"encoding": "utf-7"}"#, "$.csv.encoding: expected one of utf-8, latin1"),
    (#""csv": {"empty": "none"}"#, "$.csv.empty: expected one of quotes, null, text, auto"),
    (#""csv": {"header": ["a", "a"]}"#, "$.csv.header: \"a\" stands there twice"),
    (#""csv": {"header": []}"#, "$.csv.header: expected the fields' names, found none"),
    (#""csv": {}, "layout": "lines""#, "csv (alone with csv)"),
  ])
  func `what csv cannot mean is refused with its place`(members: String, words: String) {
    let message = failure("{\(Self.base), \(members)}")
    #expect(message.contains(words), "\(message)")
  }

  @Test func `keyColumn takes a dictionary's names`() throws {
    #expect(try list(#""keyColumn": "id""#).layout == .dictionary(keyColumn: "id"))
    #expect(try list(#""keyColumn": "id", "layout": "dictionary""#).layout == .dictionary(keyColumn: "id"))
  }

  @Test func `names say how members find columns`() throws {
    for style in TableMapping.NameStyle.allCases {
      #expect(try list("\"names\": \"\(style.rawValue)\"").table.names == style)
    }
  }

  @Test func `key is one column or several`() throws {
    #expect(try list(#""key": "code""#).table.key == ["code"])
    #expect(try list(#""key": ["a", "b"]"#).table.key == ["a", "b"])
  }

  @Test func `mode says what becomes of rows that are not mentioned`() throws {
    for mode in TableMapping.MergeMode.allCases {
      #expect(try list("\"mode\": \"\(mode.rawValue)\"").table.mode == mode)
    }
  }

  @Test func `columns take a member's path, or a member and a conversion`() throws {
    let columns = try list(#""columns": {"a": "x.y", "b": {"from": "z"}, "c": {"as": "text"}}"#).table.columns
    #expect(columns["a"]?.member == "x.y")
    #expect(columns["b"]?.member == "z")
    #expect(columns["c"]?.member == "c")
  }

  @Test(arguments: ["iso8601", "iso8601-coredata", "text", "number", "base64", "json"])
  func `as names every conversion but the app's own`(name: String) throws {
    let column = try list("\"columns\": {\"a\": {\"as\": \"\(name)\"}}").table.columns["a"]
    switch (name, column?.conversion) {
    case ("iso8601", .iso8601(.unix)), ("iso8601-coredata", .iso8601(.coreData)), ("text", .text),
      ("number", .number), ("base64", .base64), ("json", .json):
      break
    default: Issue.record("\(name) is another conversion")
    }
  }

  @Test(arguments: ["constants", "defaults"])
  func `constants and defaults are plain values`(key: String) throws {
    let table = try list(#""\#(key)": {"a": null, "b": true, "c": 5, "d": 1.5, "e": "x"}"#).table
    let expected: [String: SeedValue] = [
      "a": .null, "b": .integer(1), "c": .integer(5), "d": .real(1.5), "e": .text("x"),
    ]
    #expect((key == "constants" ? table.constants : table.defaults) == expected)
  }

  @Test func `object, foreignKey and table make a nested object a row`() throws {
    let relation = try relation(#""object": "user", "table": {"table": "u"}, "foreignKey": "userId""#)
    guard case .object(let path, let table, let key) = relation else {
      Issue.record("another relation")
      return
    }
    #expect((path, table.table, key) == ("user", "u", ["userId"]))
  }

  @Test func `array, parentKey and table make a nested array rows`() throws {
    let relation = try relation(#""array": "phones", "table": {"table": "p"}, "parentKey": ["person"]"#)
    guard case .array(let path, let table, let key) = relation else {
      Issue.record("another relation")
      return
    }
    #expect((path, table.table, key) == ("phones", "p", ["person"]))
  }

  @Test func `join, through, parentKey and elementKey make rows of pairs`() throws {
    let relation = try relation(
      #""join": "tags", "table": {"table": "t"}, "through": "pt", "parentKey": "p", "elementKey": "e""#)
    guard case .join(let path, let table, let through, let parent, let element) = relation else {
      Issue.record("another relation")
      return
    }
    #expect((path, table.table, through) == ("tags", "t", "pt"))
    #expect((parent, element) == (["p"], ["e"]))
  }

  @Test func `lists hold several mappings of one document`() throws {
    let text = #"{"lists": [{"table": "stop", "rows": "$.stops"}, {"table": "time", "layout": "single"}]}"#
    let lists = try ImportMapping(json: Array(text.utf8)).lists
    #expect(lists.map(\.table.table) == ["stop", "time"])
    #expect(lists.map(\.rows) == ["$.stops", "$"])
    #expect(lists.map(\.layout) == [.array, .single])
  }

  @Test func `the article's examples are mappings`() throws {
    let package = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
    let article = package.appending(path: "Sources/SeedFormat/SeedFormat.docc/Mappings.md")
    let parts = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
    let examples = parts.filter { $0.hasPrefix("json\n") }.map { $0.dropFirst("json\n".count) }
    let lists = try examples.map { try ImportMapping(json: Array($0.utf8)).lists }
    #expect(lists.map(\.count) == [1, 2])
    #expect(lists.first?.first?.table.relations.count == 3)
  }

  // MARK: Refused

  @Test(arguments: [
    ("table", "5"), ("rows", "5"), ("layout", "[]"), ("layout", "\"list\""), ("layout", "\"dictionary\""),
    ("keyColumn", "{}"), ("names", "\"kebab\""), ("names", "1"), ("key", "5"), ("key", "[]"), ("key", "[1]"),
    ("mode", "\"upsert\""), ("mode", "null"), ("columns", "[]"), ("constants", "5"), ("defaults", "[]"),
    ("relations", "{}"),
  ])
  func `a value of another kind is refused with its place`(key: String, value: String) {
    let text = key == "table" ? "{\"table\": \(value)}" : "{\(Self.base), \"\(key)\": \(value)}"
    #expect(failure(text).contains("$.\(key): expected "), "\(failure(text))")
  }

  @Test(arguments: [
    (#""columns": {"a": 5}"#, "$.columns.a"), (#""columns": {"a": {"from": 5}}"#, "$.columns.a.from"),
    (#""columns": {"a": {"as": "date"}}"#, "$.columns.a.as"), (#""constants": {"a": []}"#, "$.constants.a"),
    (#""defaults": {"a": {}}"#, "$.defaults.a"), (#""relations": [5]"#, "$.relations[0]"),
    (#""relations": [{"table": {"table": "u"}}]"#, "$.relations[0].object"),
    (#""relations": [{"object": "u", "table": 5}]"#, "$.relations[0].table"),
    (#""relations": [{"object": 5, "table": {"table": "u"}}]"#, "$.relations[0].object"),
    (
      #""relations": [{"object": "u", "table": {"table": "u"}, "foreignKey": 5}]"#,
      "$.relations[0].foreignKey"
    ),
    (#""relations": [{"array": 5, "table": {"table": "u"}}]"#, "$.relations[0].array"),
    (#""relations": [{"array": "u", "table": {"table": "u"}, "parentKey": {}}]"#, "$.relations[0].parentKey"),
    (#""relations": [{"join": 5, "table": {"table": "u"}}]"#, "$.relations[0].join"),
    (#""relations": [{"join": "u", "table": {"table": "u"}, "through": 5}]"#, "$.relations[0].through"),
    (
      #""relations": [{"join": "u", "table": {"table": "u"}, "through": "t", "elementKey": 5}]"#,
      "$.relations[0].elementKey"
    ),
  ])
  func `a value of another kind deeper within is refused with its path`(members: String, path: String) {
    let message = failure("{\(Self.base), \(members)}")
    #expect(message.hasPrefix("the mapping's \(path)") && message.contains(": expected "), "\(message)")
  }

  @Test(arguments: [
    ("{\"tabel\": \"x\", \"table\": \"x\"}", "$.tabel", "table"),
    ("{\"table\": \"x\", \"colums\": {}}", "$.colums", "columns"),
    ("{\"table\": \"x\", \"columns\": {\"a\": {\"form\": \"b\"}}}", "$.columns.a.form", "from"),
    (
      "{\"table\": \"x\", \"relations\": [{\"array\": \"a\", \"table\": {\"table\": \"y\"}, \"parentkey\": \"p\"}]}",
      "$.relations[0].parentkey", "parentKey"
    ),
    ("{\"lists\": [{\"table\": \"x\", \"row\": \"$\"}]}", "$.lists[0].row", "rows"),
  ])
  func `an unknown key is refused with its path and the nearest that there is`(
    text: String, path: String, nearest: String
  ) {
    #expect(failure(text).contains("\(path): unknown key, did you mean \"\(nearest)\"?"), "\(failure(text))")
  }

  @Test(arguments: [
    (#"{"lists": 5}"#, "$.lists"), (#"{"lists": []}"#, "$.lists"),
    (#"{"lists": [{"rows": "$"}]}"#, "$.lists[0].table"), (#"{"lists": [5]}"#, "$.lists[0]: "),
    (#"{"lists": [{"table": "x"}], "table": "x"}"#, "$.table"), ("[]", "$: "), ("{}", "$.table"),
    ("{", "byte 1"),
  ])
  func `what is no mapping says where it is none`(text: String, place: String) {
    #expect(failure(text).contains(place), "\(failure(text))")
  }
}
