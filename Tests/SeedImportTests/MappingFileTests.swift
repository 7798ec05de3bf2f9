import Foundation
import SeedFormat
import SeedImport
import Support
import Testing

/// All keys of a mapping file.
@Suite struct MappingFileTests {
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

  // MARK: Valid files

  @Test(
    arguments: [
      (#""layout": "array""#, .array), (#""layout": "single""#, .single), (#""layout": "lines""#, .lines),
      (#""layout": "csv""#, .csv()), (#""csv": {}"#, .csv()),
      (#""keyColumn": "id""#, .dictionary(keyColumn: "id")),
      (#""keyColumn": "id", "layout": "dictionary""#, .dictionary(keyColumn: "id")),
      (
        #""csv": {"delimiter": "tab", "header": ["a", " b"], "empty": "auto"}"#,
        .csv(CSVFormat(delimiter: "\t", header: ["a", " b"], empty: .auto))
      ),
      (#""file": "stops.csv""#, .csv()), (#""file": "stops*.TXT""#, .csv()), (#""file": "stops*""#, .array),
      (#""file": "stops.tsv""#, .csv(CSVFormat(delimiter: "\t"))), (#""file": "stops.csv.gz""#, .csv()),
      (#""file": "stops.ndjson""#, .lines), (#""file": "stops.json""#, .array),
      (#""file": "stops.csv", "layout": "array""#, .array),
    ] as [(String, ImportMapping.Layout)])
  func `the layout is that of layout, csv or keyColumn, or else of the file's extension`(
    members: String, layout: ImportMapping.Layout
  ) throws {
    #expect(try list(members).layout == layout)
  }

  @Test(arguments: [
    (#""csv": {"delimitr": ";"}"#, "$.csv.delimitr: unknown key, did you mean \"delimiter\"?"),
    (#""csv": {"delimiter": "\""}"#, "$.csv.delimiter: expected one ASCII character, or tab"),
    (#""csv": {"delimiter": "é"}"#, "$.csv.delimiter: expected one ASCII character, or tab"),
    (#""csv": {"encoding": "latin1"}"#, "$.csv.encoding: unknown key"),
    (#""csv": {"empty": "none"}"#, "$.csv.empty: expected one of quotes, null, text, auto"),
    (#""csv": {"decimal": ","}"#, "$.csv.decimal: unknown key"),
    (#""csv": {"skip": 1}"#, "$.csv.skip: unknown key"),
    (#""csv": {}, "layout": "lines""#, "csv (optionally with 'csv')"),
  ])
  func `invalid values in csv are rejected with their place`(members: String, words: String) {
    let message = failure("{\(Self.base), \(members)}")
    #expect(message.contains(words), "\(message)")
  }

  @Test func `names, mode and key describe a table`() throws {
    for style in TableMapping.NameStyle.allCases {
      #expect(try list("\"names\": \"\(style.rawValue)\"").table.names == style)
    }
    for mode in TableMapping.MergeMode.allCases {
      #expect(try list("\"mode\": \"\(mode.rawValue)\"").table.mode == mode)
    }
    #expect(try list(#""key": "code""#).table.key == ["code"])
    #expect(try list(#""key": ["a", "b"]"#).table.key == ["a", "b"])
  }

  @Test func `columns take a member's path, or a member and a conversion`() throws {
    let columns = try list(#""columns": {"a": "x.y", "b": {"from": "z"}, "c": {"as": "json"}}"#).table.columns
    #expect(["a", "b", "c"].map { columns[$0]?.member } == ["x.y", "z", "c"])
  }

  @Test(arguments: ["date", "base64", "json"])
  func `as names every conversion except the app's own`(name: String) throws {
    let column = try list("\"columns\": {\"a\": {\"as\": \"\(name)\"}}").table.columns["a"]
    switch (name, column?.conversion) {
    case ("date", .date(.iso8601, .seconds, 0)), ("base64", .base64), ("json", .json): break
    default: Issue.record("\(name) is another conversion")
    }
  }

  @Test(arguments: ImportConversion.DateFormat.allCases)
  func `format, to and zone describe a date and its stored form`(format: ImportConversion.DateFormat) throws {
    for form in ImportConversion.DateForm.allCases {
      let text = """
        "columns": {"a": {"as": "date", "format": "\(format.rawValue)", "to": "\(form.rawValue)", "zone": "+01:30"}}
        """
      guard case .date(let read, let kept, 5400)? = try list(text).table.columns["a"]?.conversion else {
        Issue.record("\(format) is another conversion")
        continue
      }
      #expect((read, kept) == (format, form))
    }
  }

  @Test func `where has the conditions of a list's rows`() throws {
    #expect(
      try list(#""where": {"a.b": "x", "c": [1, null]}"#).conditions == [
        RowCondition("a.b", in: [.text("x")]), RowCondition("c", in: [.integer(1), .null]),
      ])
  }

  @Test(arguments: ["constants", "defaults"])
  func `constants and defaults are plain values`(key: String) throws {
    let table = try list(#""\#(key)": {"a": null, "b": true, "c": 5, "d": 1.5, "e": "x"}"#).table
    let expected: [String: SeedValue] = [
      "a": .null, "b": .integer(1), "c": .integer(5), "d": .real(1.5), "e": .text("x"),
    ]
    #expect((key == "constants" ? table.constants : table.defaults) == expected)
  }

  @Test(
    arguments: [
      (#""object": "m", "foreignKey": "f""#, .reference(foreignKey: ["f"]), .array),
      (#""array": "m", "parentKey": ["p"]"#, .children(parentKey: ["p"]), .array),
      (
        #""dictionary": "m", "keyColumn": "k", "parentKey": "p""#, .children(parentKey: ["p"]),
        .dictionary(keyColumn: "k")
      ),
      (
        #""join": "m", "through": "t", "parentKey": "p", "elementKey": "e""#,
        .pairs(through: "t", parentKey: ["p"], elementKey: ["e"]), .array
      ),
      (
        #""join": "m", "layout": "dictionary", "through": "t", "parentKey": "p", "elementKey": "e""#,
        .pairs(through: "t", parentKey: ["p"], elementKey: ["e"]), .dictionary(keyColumn: nil)
      ),
    ] as [(String, RelationMapping.Kind, RelationMapping.Layout)])
  func `a relation's keys describe the nested rows and the link to their parent`(
    members: String, kind: RelationMapping.Kind, layout: RelationMapping.Layout
  ) throws {
    let relation = try relation(#"\#(members), "table": {"table": "n"}"#)
    #expect(relation.member == "m" && relation.table.table == "n" && relation.mode == .merge)
    #expect(relation.kind == kind && relation.layout == layout)
  }

  @Test(arguments: RelationMapping.Mode.allCases)
  func `mode decides how rows that a parent no longer names are handled`(mode: RelationMapping.Mode) throws {
    let members = #""array": "m", "parentKey": "p", "table": {"table": "n"}, "mode": "\#(mode.rawValue)""#
    #expect(try relation(members).mode == mode)
    #expect(
      failure(#"{\#(Self.base), "relations": [{"object": "m", "table": {"table": "n"}, "mode": "merge"}]}"#)
        .contains("$.relations[0].mode: unknown key"))
  }

  @Test func `lists hold several mappings, with the files of their documents`() throws {
    let text = """
      {"lists": [{"table": "stop", "rows": "$.stops", "file": "stops*.txt", "layout": "array", "optional": true},
        {"table": "time", "layout": "single"}]}
      """
    let lists = try ImportMapping(json: Array(text.utf8)).lists
    #expect(lists.map(\.table.table) == ["stop", "time"] && lists.map(\.rows) == ["$.stops", "$"])
    #expect(lists.map(\.layout) == [.array, .single])
    #expect(lists.map(\.file) == ["stops*.txt", nil] && lists.map(\.isOptional) == [true, false])
  }

  @Test(arguments: [
    (#"{"otherwise": 1}"#, "otherwise: unknown key, expected one of from, as"),
    (#"{"as": "json", "format": "seconds"}"#, "format: unknown key"),
    (#"{"values": {}, "as": "json"}"#, "values: unknown key"),
    (#"{"as": "date", "qqq": 1}"#, "expected one of from, as, format, to, zone"),
  ])
  func `a key without the key that it depends on is reported`(column: String, words: String) {
    let message = failure("{\(Self.base), \"columns\": {\"c\": \(column)}}")
    #expect(message.contains(words), "\(message)")
  }

  /// The error about an unknown key lists all keys that are allowed there.
  @Test(arguments: [
    #"{"table": "t", "#, #"{"table": "t", "csv": {"#, #"{"table": "t", "columns": {"c": {"as": "date", "#,
    #"{"table": "t", "columns": {"c": {"#,
    #"{"table": "t", "relations": [{"object": "m", "table": "n", "#,
    #"{"table": "t", "relations": [{"array": "m", "table": "n", "#,
    #"{"table": "t", "relations": [{"dictionary": "m", "keyColumn": "k", "table": "n", "#,
    #"{"table": "t", "relations": [{"join": "m", "through": "p", "table": "n", "#,
  ])
  func `each known key occurs in an example of the article`(opening: String) throws {
    let closing = String(opening.reversed().compactMap { $0 == "{" ? "}" : $0 == "[" ? "]" : nil })
    let balanced = closing.dropLast(opening.filter { $0 == "}" }.count)
    let message = failure(opening + #""qqqqqqqqqqqqqqqq": 1"# + balanced)
    let known = try #require(message.components(separatedBy: "expected one of ").last)
    let keys = known.components(separatedBy: ", ")
    #expect(keys.count > 1 && message.contains("unknown key"), "\(message)")
    let text = MappingArticle.examples.joined()
    for key in keys { #expect(text.contains("\"\(key)\":"), "\(key)") }
  }

  // MARK: Rejected files

  @Test(arguments: [
    ("table", "5"), ("rows", "5"), ("layout", "[]"), ("layout", "\"list\""), ("layout", "\"dictionary\""),
    ("keyColumn", "{}"), ("names", "\"kebab\""), ("names", "1"), ("key", "5"), ("key", "[]"), ("key", "[1]"),
    ("mode", "\"upsert\""), ("mode", "null"), ("where", "[]"), ("columns", "[]"), ("constants", "5"),
    ("defaults", "[]"),
    ("relations", "{}"),
  ])
  func `a value of another type is rejected with its place`(key: String, value: String) {
    let text = key == "table" ? "{\"table\": \(value)}" : "{\(Self.base), \"\(key)\": \(value)}"
    #expect(failure(text).contains("$.\(key): expected "), "\(failure(text))")
  }

  @Test(arguments: [
    (#""columns": {"a": 5}"#, "$.columns.a"), (#""columns": {"a": {"from": 5}}"#, "$.columns.a.from"),
    (#""columns": {"a": {"as": "number"}}"#, "$.columns.a.as"), (#""constants": {"a": []}"#, "$.constants.a"),
    (#""columns": {"a": "b..c"}"#, "$.columns.a"), (#""columns": {"a": {"from": "b."}}"#, "$.columns.a.from"),
    (#""columns": {"a": {"as": "date", "to": "days"}}"#, "$.columns.a.to"),
    (#""columns": {"a": {"as": "date", "format": "dd.MM.yyyy"}}"#, "$.columns.a.format"),
    (#""columns": {"a": {"as": "date", "zone": "CET"}}"#, "$.columns.a.zone"),
    (#""where": {"a": {}}"#, "$.where.a"), (#""where": {"a.": 1}"#, "$.where.a."),
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
    (#""relations": [{"child": "m", "table": {"table": "u"}}]"#, "$.relations[0].object"),
    (
      #""relations": [{"dictionary": "u", "table": {"table": "u"}, "keyColumn": 5}]"#,
      "$.relations[0].keyColumn"
    ),
    (
      #""relations": [{"array": "u", "table": {"table": "u"}, "parentKey": "p", "mode": "replace"}]"#,
      "$.relations[0].mode"
    ),
    (
      #""relations": [{"join": "u", "table": {"table": "u"}, "through": "t", "layout": "list"}]"#,
      "$.relations[0].layout"
    ),
    (
      #""relations": [{"join": "u", "table": {"table": "u"}, "through": "t", "elementKey": 5}]"#,
      "$.relations[0].elementKey"
    ),
  ])
  func `a nested value of another type is rejected with its path`(members: String, path: String) {
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
  func `an unknown key is rejected with its path and the nearest name`(
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
  func `an invalid mapping is rejected with the place of the error`(text: String, place: String) {
    #expect(failure(text).contains(place), "\(failure(text))")
  }
}
