import SeedDatabase
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

  private func missing(
    _ text: String, _ table: TableMapping = "item", rows: MemberPath = "$"
  ) throws -> [String] {
    try ImportBench(Self.schema).run(text, mapping: ImportMapping(table, rows: rows)).missing.map {
      "\($0.member) \($0.column ?? "-") \($0.similar)"
    }
  }

  @Test func `a listed member that no row has is reported with similar names`() throws {
    let table = TableMapping("item", columns: ["zip": "address.zip", "rank": "order", "name": "title"])
    let text = #"[{"id": 1, "address": {"ZIP": 5}}, {"id": 2, "address": {"ZIP": 5}, "titel": "x"}]"#
    #expect(
      try missing(text, table) == [
        #"$.title name ["titel"]"#, "$.order rank []", #"$.address.zip zip ["ZIP"]"#,
      ])
  }

  @Test func `one row with the member is enough, even as null or within null`() throws {
    let table = TableMapping("item", columns: ["zip": "address.zip", "rank": "order"])
    let rows = (1...40).map { "{\"id\": \($0)}" }
    let last = #"{"id": 90, "address": null, "order": null}"#
    #expect(try missing("[\((rows + [last]).joined(separator: ","))]", table) == [])
    #expect(try missing("[\(([last] + rows).joined(separator: ","))]", table) == [])
  }

  @Test func `an unlisted column is reported only if a member has a similar name`() throws {
    #expect(try missing(#"[{"id": 1, "name": "a", "other": 1}]"#) == [])
    #expect(try missing(#"[{"id": 1, "name": "a", " Zip": 1}]"#) == [#"$.zip zip [" Zip"]"#])
    #expect(try missing(#"[{"id": 1, "name": "a", "z_i_p": 1}, {"id": 2, "zip": "x"}]"#) == [])
  }

  @Test func `an unlisted column is reported if a member differs by one letter`() throws {
    let bench = try ImportBench("CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT, price REAL, lat, lon)")
    let report = try bench.run(
      #"[{"id": 1, "name": "a", "prize": 5, "cone": 2}]"#, mapping: ImportMapping("shop"))
    #expect(
      report.missing.map(\.description) == [
        #"table "shop": no row has a member $.price for the column "price"; they have "prize", which no column uses"#
      ])
  }

  @Test func `all columns are reported if no member but the key's matches one`() throws {
    #expect(
      try missing(#"[{"id": 1, "nm": "b"}, {"id": 2, "Order": 1}]"#) == [
        #"$.name name ["Order", "nm"]"#, #"$.zip zip ["Order", "nm"]"#, #"$.rank rank ["Order", "nm"]"#,
      ])
    #expect(try missing(#"[{"id": 1}]"#) == [])
    #expect(try missing("[]") == [])
  }

  @Test func `a default of a key column does not hide that no row has its member`() throws {
    let table = TableMapping("part", columns: ["n": "number"], defaults: ["n": .integer(5)])
    #expect(try missing(#"[{"item": 1}]"#, table) == ["$.number n []"])
    #expect(try missing(#"[{"item": 1}, {"item": 1, "number": 2}]"#, table) == [])
  }

  @Test func `a relation that no row has is reported`() throws {
    let table = TableMapping(
      "item", relations: [.array("parts", TableMapping("part"), parentKey: ["item"])])
    #expect(
      try missing(#"[{"id": 1, "name": "a", "Parts": [{"n": 1}]}]"#, table) == [#"$.parts - ["Parts"]"#])
    #expect(try missing(#"[{"id": 1, "name": "a", "parts": []}]"#, table) == [])
  }

  @Test func `members of objects skipped on the way to the rows do not count`() throws {
    let others = (1...8).map { #"{"id": \#($0), "name": "x", "zip": "y", "rank": 1}"# }.joined(separator: ",")
    let rows = (1...8).map { #"{"id": \#($0), "name": "x", "rank": 1}"# }.joined(separator: ",")
    let table = TableMapping("item", columns: ["zip": "zip"])
    #expect(
      try missing(#"{"a": [\#(others)], "b": [\#(rows)]}"#, table, rows: "b") == ["$.zip zip []"])
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
