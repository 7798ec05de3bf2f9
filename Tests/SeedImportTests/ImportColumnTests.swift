import SeedFormat
import SeedImport
import Support
import Testing

/// Members and the columns that they fill, and lists of values.
@Suite struct ImportColumnTests {
  private static let json = #"[{"id": 1, "name": "a", "n": 2}]"#
  private static let titled = #"[{"id": 1, "name": "a", "title": "b"}]"#
  private static let turned = #"[{"id": 1, "title": "b", "name": "a"}]"#
  private static let inner = #"[{"id": 1, "name": {"de": "a"}}]"#

  @Test(
    arguments: [
      // A member listed for a column still fills the column with its own name.
      (TableMapping("t", columns: ["code": "name"]), .array, json, "1|a|a|2"),
      (TableMapping("t", columns: ["code": "name"]), .csv(), "id,name\n1,a\n", "1|a|a|NULL"),
      (TableMapping("t", columns: ["code": "id"]), .array, json, "1|1|a|2"),
      // A listed column or a constant is not filled by the member with its name, in whatever case.
      (TableMapping("t", columns: ["code": "name", "name": "title"]), .array, titled, "1|a|b|NULL"),
      (
        TableMapping("t", columns: ["code": "name"], constants: ["name": .text("c")]), .array, titled,
        "1|a|c|NULL"
      ),
      (
        TableMapping("t", names: .explicit, columns: ["id": "id", "code": "name"]), .array, titled,
        "1|a|NULL|NULL"
      ),
      (TableMapping("t", columns: ["NAME": "title"]), .array, titled, "1|NULL|b|NULL"),
      (TableMapping("t", columns: ["NAME": "title"]), .array, turned, "1|NULL|b|NULL"),
      (TableMapping("t", constants: ["Name": .text("c")]), .array, titled, "1|NULL|c|NULL"),
      (TableMapping("t", constants: ["Name": .text("c")]), .array, turned, "1|NULL|c|NULL"),
      // Neither is one that is read whole or has nested members.
      (TableMapping("t", columns: ["code": "name.de"]), .array, inner, "1|a|NULL|NULL"),
      (
        TableMapping("t", columns: ["code": .from("name", .json)]), .array, inner,
        #"1|{"de":"a"}|NULL|NULL"#
      ),
    ] as [(TableMapping, ImportMapping.Layout, String, String)])
  func `a member fills the columns that list it, and the one with its name unless that is listed`(
    table: TableMapping, layout: ImportMapping.Layout, text: String, row: String
  ) throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, code TEXT, name TEXT, n INTEGER)")
    try bench.run(text, mapping: ImportMapping(table, layout: layout))
    #expect(try bench.rows("SELECT * FROM t") == [row])
  }

  @Test func `a member of a relation does not fill the column with its name`() throws {
    let bench = try ImportBench(
      "CREATE TABLE user(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY, user TEXT, owner INTEGER)"
    )
    let user = RelationMapping.object("user", "user", foreignKey: ["owner"])
    try bench.run(
      #"[{"id": 1, "user": {"id": 7}}]"#, mapping: ImportMapping(TableMapping("t", relations: [user])))
    #expect(try bench.rows("SELECT * FROM t") == ["1|NULL|7"])
  }
}
