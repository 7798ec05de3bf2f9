import SeedFormat
import SeedImport
import Support
import Testing

/// Members that a mapping reads and no row has.
@Suite struct ImportMissingTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, zip TEXT, rank INTEGER);
    CREATE TABLE part(item INTEGER, n INTEGER, PRIMARY KEY (item, n));
    """

  private static let listed = TableMapping(
    "item", columns: ["zip": "address.zip", "rank": "order", "name": "title"])
  private static let nested = TableMapping("item", columns: ["zip": "address.zip", "rank": "order"])
  private static let part = TableMapping("part", columns: ["n": "number"], defaults: ["n": .integer(5)])
  private static let parts = TableMapping(
    "item", relations: [.array("parts", TableMapping("part"), parentKey: ["item"])])
  private static let many = (1...40).map { "{\"id\": \($0)}" }.joined(separator: ",")
  private static let null = #"{"id": 90, "address": null, "order": null}"#

  @Test(
    arguments: [
      // Listed members that no row has.
      (
        listed, #"[{"id": 1, "address": {"ZIP": 5}}, {"id": 2, "address": {"ZIP": 5}, "titel": "x"}]"#,
        ["$.title name", "$.order rank", "$.address.zip zip"]
      ),
      // One row with the member is enough, even as null or within null.
      (nested, "[\(many), \(null)]", []), (nested, "[\(null), \(many)]", []),
      // Unlisted columns often have no member.
      ("item", #"[{"id": 1, "name": "a", "other": 1}]"#, []),
      // No member but the key's matches a column.
      (
        "item", #"[{"id": 1, "nm": "b"}, {"id": 2, "Order": 1}]"#,
        ["$.name name", "$.zip zip", "$.rank rank"]
      ),
      ("item", #"[{"id": 1}]"#, []), ("item", "[]", []),
      // A listed member also fills the column of its name.
      (
        TableMapping("item", columns: ["id": "rank"]), #"[{"rank": 1, "nm": "b"}]"#,
        ["$.name name", "$.zip zip"]
      ),
      // A default of a key column does not hide that no row has its member.
      (part, #"[{"item": 1}]"#, ["$.number n"]),
      (part, #"[{"item": 1}, {"item": 1, "number": 2}]"#, []),
      // A relation.
      (parts, #"[{"id": 1, "name": "a", "Parts": [{"n": 1}]}]"#, ["$.parts -"]),
      (parts, #"[{"id": 1, "name": "a", "parts": []}]"#, []),
    ] as [(TableMapping, String, [String])])
  func `members that no row has are reported`(
    table: TableMapping, text: String, expected: [String]
  ) throws {
    #expect(try missing(text, ImportMapping(table)) == expected)
  }

  private func missing(_ text: String, _ mapping: ImportMapping) throws -> [String] {
    try ImportBench(Self.schema).run(text, mapping: mapping).missing.map {
      "\($0.member) \($0.column ?? "-")"
    }
  }

  @Test func `members of objects skipped on the way to the rows do not count`() throws {
    let others = (1...8).map { #"{"id": \#($0), "name": "x", "zip": "y", "rank": 1}"# }.joined(separator: ",")
    let rows = (1...8).map { #"{"id": \#($0), "name": "x", "rank": 1}"# }.joined(separator: ",")
    let mapping = ImportMapping(TableMapping("item", columns: ["zip": "zip"]), rows: "b")
    #expect(try missing(#"{"a": [\#(others)], "b": [\#(rows)]}"#, mapping) == ["$.zip zip"])
  }

  @Test func `bare keys are rows without members, so no member is missing`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE tag(id TEXT PRIMARY KEY NOT NULL, label TEXT);
      CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, user INTEGER);
      CREATE TABLE tagged(item INTEGER, tag TEXT, PRIMARY KEY (item, tag));
      INSERT INTO user VALUES (7, 'u'); INSERT INTO tag VALUES ('x', 'X');
      """)
    let tag = TableMapping("tag", columns: ["label": "title"])
    let mapping = ImportMapping(lists: [
      .init(
        TableMapping(
          "item",
          relations: [
            .object("user", TableMapping("user", columns: ["name": "full"]), foreignKey: ["user"]),
            .join("tags", tag, through: "tagged", parentKey: ["item"], elementKey: ["tag"]),
          ]), rows: "items"),
      .init(TableMapping("tag"), rows: "tags"), .init(TableMapping("user"), rows: "users"),
    ])
    let others = #""tags": [{"id": "x", "label": "X"}], "users": [{"id": 7, "name": "v"}]"#
    let bare = #"{"items": [{"id": 1, "name": "a", "user": 7, "tags": ["x"]}], \#(others)}"#
    #expect(try bench.run(bare, mapping: mapping).missing == [])
    let whole =
      #"{"items": [{"id": 1, "name": "a", "user": {"id": 7}, "tags": [{"id": "x"}]}], \#(others)}"#
    let missing = try bench.run(whole, mapping: mapping).missing
    #expect(Set(missing.map(\.member.description)) == ["$.full", "$.title"])
  }
}
