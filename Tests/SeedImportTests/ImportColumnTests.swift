import SeedFormat
import SeedImport
import Support
import Testing

/// Members and the columns that they fill, and lists of values.
@Suite struct ImportColumnTests {
  private func bench() throws -> ImportBench {
    try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, code TEXT, name TEXT, n INTEGER)")
  }

  private func rows(_ text: String, _ table: TableMapping, _ layout: ImportMapping.Layout = .array) throws
    -> [String]
  {
    let bench = try bench()
    try bench.run(text, mapping: ImportMapping(table, layout: layout))
    return try bench.rows("SELECT * FROM t")
  }

  // MARK: Members that fill several columns

  @Test func `a member listed for a column still fills the column with its own name`() throws {
    let json = #"[{"id": 1, "name": "a", "n": 2}]"#
    #expect(try rows(json, TableMapping("t", columns: ["code": "name"])) == ["1|a|a|2"])
    #expect(
      try rows("id,name\n1,a\n", TableMapping("t", columns: ["code": "name"]), .csv()) == ["1|a|a|NULL"])
    #expect(try rows(json, TableMapping("t", columns: ["code": "id"])) == ["1|1|a|2"])
  }

  @Test func `a listed column or a constant is not filled by the member with its name`() throws {
    let json = #"[{"id": 1, "name": "a", "title": "b"}]"#
    let swapped = TableMapping("t", columns: ["code": "name", "name": "title"])
    #expect(try rows(json, swapped) == ["1|a|b|NULL"])
    let fixed = TableMapping("t", columns: ["code": "name"], constants: ["name": .text("c")])
    #expect(try rows(json, fixed) == ["1|a|c|NULL"])
    #expect(
      try rows(json, TableMapping("t", names: .explicit, columns: ["id": "id", "code": "name"])) == [
        "1|a|NULL|NULL"
      ])
  }

  @Test(arguments: [#""title": "b", "name": "a""#, #""name": "a", "title": "b""#])
  func `a column listed in another case is not filled by the member with its name`(members: String) throws {
    let table = TableMapping("t", columns: ["NAME": "title"])
    #expect(try rows("[{\"id\": 1, \(members)}]", table) == ["1|NULL|b|NULL"])
    let fixed = TableMapping("t", constants: ["Name": .text("c")])
    #expect(try rows("[{\"id\": 1, \(members)}]", fixed) == ["1|NULL|c|NULL"])
  }

  @Test func `two names of one column are rejected`() {
    let mappings = [
      TableMapping("t", columns: ["code": "a", "CODE": "b"]),
      TableMapping("t", constants: ["code": .text("a"), "Code": .text("b")]),
    ]
    for (mapping, what) in zip(mappings, ["columns", "constants"]) {
      let failure = #expect(throws: ImportFailure.self) { try rows("[]", mapping) }
      #expect(failure?.message.contains("two names in '\(what)' are the column \"code\"") == true)
    }
  }

  @Test
  func `a member with nested members, of a relation, or read whole does not fill the column with its name`()
    throws
  {
    let json = #"[{"id": 1, "name": {"de": "a"}}]"#
    #expect(try rows(json, TableMapping("t", columns: ["code": "name.de"])) == ["1|a|NULL|NULL"])
    #expect(
      try rows(json, TableMapping("t", columns: ["code": .from("name", .json)])) == [
        #"1|{"de":"a"}|NULL|NULL"#
      ])
    let bench = try ImportBench(
      "CREATE TABLE user(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY, user TEXT, owner INTEGER)"
    )
    let user = RelationMapping.object("user", "user", foreignKey: ["owner"])
    try bench.run(
      #"[{"id": 1, "user": {"id": 7}}]"#, mapping: ImportMapping(TableMapping("t", relations: [user])))
    #expect(try bench.rows("SELECT * FROM t") == ["1|NULL|7"])
  }

  @Test func `a column with both a member and a constant is rejected`() throws {
    let table = TableMapping("t", columns: ["code": "name"], constants: ["Code": .text("c")])
    let failure = #expect(throws: ImportFailure.self) { try rows("[]", table) }
    #expect(failure?.code == .mapping)
    #expect(failure?.message.contains("\"Code\" is in both 'columns' and 'constants'") == true)
  }

  @Test func `two columns that differ only in Unicode form are rejected`() {
    let constants = "\"constants\": {\"e\u{301}\": 1, \"\u{E9}\": 2}"
    let failure = #expect(throws: ImportFailure.self) {
      try ImportMapping(json: Array("{\"table\": \"t\", \(constants)}".utf8))
    }
    #expect(failure?.message.contains("occurs twice, spelled differently") == true)
  }
}
