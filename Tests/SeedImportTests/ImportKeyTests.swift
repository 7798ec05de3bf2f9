import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportKeyTests {

  @Test(arguments: ImportWay.allCases)
  func `null among bare keys is an issue, not a row`(way: ImportWay) throws {
    let schema = """
      CREATE TABLE person(id INTEGER PRIMARY KEY);
      CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE personTag(person INTEGER, tag TEXT, PRIMARY KEY (person, tag));
      """
    let bench = try ImportBench(way.schema(schema, list: "person"))
    let mapping = ImportMapping(
      TableMapping(
        "person",
        relations: [.join("tags", "tag", through: "personTag", parentKey: ["person"], elementKey: ["tag"])]))
    for _ in 0..<2 {
      let report = try bench.run(
        #"[{"id": 1, "tags": ["a", null]}]"#, mapping: way.mapping(mapping),
        policy: ImportPolicy(badRows: .collect))
      #expect(report.issues.map(\.code) == [.missingKey] && report.issues.map(\.offset) == [25])
    }
    #expect(try bench.rows("SELECT * FROM personTag") == ["1|a"])
  }

  @Test(arguments: [
    ("id TEXT COLLATE NOCASE PRIMARY KEY NOT NULL", #""B""#, #""b""#),
    ("id TEXT COLLATE RTRIM PRIMARY KEY NOT NULL", #""B""#, #""B  ""#),
    ("id PRIMARY KEY NOT NULL", "1", "1.0"),
    ("id TEXT PRIMARY KEY NOT NULL", "true", #""1""#), ("id REAL PRIMARY KEY NOT NULL", "0", "-0.0"),
  ])
  func `the last object with a key wins, however the key is spelled`(
    column: String, first: String, second: String
  ) throws {
    let bench = try ImportBench(
      """
      CREATE TABLE user(\(column), name TEXT);
      CREATE TABLE message(id INTEGER PRIMARY KEY, user);
      """)
    let mapping = ImportMapping(
      TableMapping("message", relations: [.object("user", "user", foreignKey: ["user"])]))
    let rows = [(first, "x"), (second, "y"), (first, "x")].enumerated().map {
      #"{"id": \#($0.offset), "user": {"id": \#($0.element.0), "name": "\#($0.element.1)"}}"#
    }
    try bench.run("[\(rows.joined(separator: ","))]", mapping: mapping)
    #expect(try bench.rows("SELECT name FROM user") == ["x"])
    // Row by row, as after a rejection.
    try bench.collect("[\(rows.joined(separator: ",")),{}]", mapping: mapping, pieces: 40)
    #expect(try bench.rows("SELECT name FROM user") == ["x"])
  }

  @Test func `an issue in a nested object names that object's row, not its parent`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE message(id INTEGER PRIMARY KEY, user INTEGER);
      """)
    let report = try bench.collect(
      """
      [{"id": 1, "user": {"id": 700, "name": ["x"]}}, {"id": 2, "user": {"name": ["x"], "id": 701}},
       {"id": 3, "user": "seven"}]
      """,
      mapping: ImportMapping(
        TableMapping("message", relations: [.object("user", "user", foreignKey: ["user"])])))
    #expect(report.issues.map(\.table) == ["user", "user", "message"])
    #expect(report.issues.map(\.key) == ["id = 700", nil, "id = 3"])
    #expect(report.issues.map(\.column) == ["name", "name", "user"])
  }

  @Test func `a dictionary's name is an integer key only in its canonical spelling`() throws {
    let bench = try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT)")
    let mapping = ImportMapping("item", layout: .dictionary(keyColumn: "id"))
    let report = try bench.collect(
      """
      {"007": {"n": "a"}, "7": {"n": "b"}, "+7": {"n": "c"}, "-0": {"n": "d"}, "9223372036854775808": {},
       "1.0": {}, "-7": {"n": "e"}}
      """, mapping: mapping)
    #expect(try bench.rows("SELECT * FROM item") == ["-7|e", "7|b"])
    #expect(report.issues.map(\.code) == Array(repeating: .typeMismatch, count: 5))
    #expect(report.issues.map(\.column) == Array(repeating: "id", count: 5))
    #expect(report.issues.first?.message.contains("007") == true)
  }
}
