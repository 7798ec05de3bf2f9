import SeedFormat
import SeedImport
import Support
import Testing

/// Nested rows in layouts other than arrays.
@Suite struct ImportNestingTests {
  private static let schema = """
    CREATE TABLE film(id TEXT PRIMARY KEY NOT NULL, title TEXT) WITHOUT ROWID;
    CREATE TABLE review(id TEXT PRIMARY KEY NOT NULL, film TEXT NOT NULL, stars INTEGER) WITHOUT ROWID;
    CREATE TABLE actor(id TEXT PRIMARY KEY NOT NULL, name TEXT) WITHOUT ROWID;
    CREATE TABLE role(film TEXT NOT NULL, actor TEXT NOT NULL, PRIMARY KEY (film, actor)) WITHOUT ROWID;
    """
  private static let mapping = ImportMapping(
    TableMapping(
      "film",
      relations: [
        .dictionary("reviews", "review", keyColumn: "id", parentKey: ["film"], mode: .replaceForParent),
        .join(
          "cast", "actor", through: "role", parentKey: ["film"], elementKey: ["actor"],
          layout: .dictionary(keyColumn: nil), mode: .replaceForParent),
      ]), layout: .dictionary(keyColumn: "id"))

  @Test(arguments: ImportWay.allCases)
  func `nested dictionaries become rows with their names`(way: ImportWay) throws {
    let bench = try ImportBench(way.schema(Self.schema, list: "film"))
    let policy = ImportPolicy(references: .keep)
    let first = """
      {"f1": {"title": "T", "reviews": {"r1": {"stars": 5}, "r2": {"stars": 4}, "r3": null},
        "cast": {"a1": true, "a2": {"name": "B"}, "a3": false}},
       "f2": {"reviews": {"r9": {"stars": 1}}, "cast": {"a2": true}}}
      """
    let mapping = way.mapping(Self.mapping)
    try bench.run(first, mapping: mapping, policy: policy)
    #expect(try bench.rows("SELECT * FROM review") == ["r1|f1|5", "r2|f1|4", "r9|f2|1"])
    #expect(try bench.rows("SELECT * FROM role") == ["f1|a1", "f1|a2", "f2|a2"])
    #expect(try bench.rows("SELECT * FROM actor") == ["a2|B"])
    let again = try bench.run(first, mapping: mapping, policy: policy)
    #expect(again.tables.values.allSatisfy { $0.inserted + $0.updated + $0.deleted == 0 })
    try bench.run(
      #"{"f1": {"reviews": {"r2": {}}, "cast": {"a1": true, "a2": false}}}"#,
      mapping: mapping)
    #expect(try bench.rows("SELECT * FROM review") == ["r2|f1|4", "r9|f2|1"])
    #expect(try bench.rows("SELECT * FROM role") == ["f1|a1", "f2|a2"])
  }

  @Test(arguments: [
    (#"{"f": {"reviews": [1]}}"#, "review", "expected an object"),
    (#"{"f": {"reviews": {"r": 5}}}"#, "review", "expected an object, found 5"),
    (#"{"f": {"cast": {"a": 7}}}"#, "actor", "expected an object, found 7"),
  ])
  func `a nested value of another layout is rejected with its place`(
    text: String, table: String, message: String
  ) throws {
    let report = try ImportBench(Self.schema).collect(text, mapping: Self.mapping)
    #expect(report.issues.first?.table == table)
    #expect(report.issues.first?.message == message)
  }

  @Test func `the columns of relations follow the order of the mapping's key, not of the primary key`() throws
  {
    let bench = try ImportBench(
      """
      CREATE TABLE trip(day TEXT, line INTEGER, PRIMARY KEY (day, line)) WITHOUT ROWID;
      CREATE TABLE ride(id INTEGER PRIMARY KEY, line INTEGER, day TEXT);
      CREATE TABLE pass(l1 INTEGER, d1 TEXT, l2 INTEGER, d2 TEXT, PRIMARY KEY (l1, d1, l2, d2));
      INSERT INTO ride VALUES (8, 5, 'mo'), (9, 6, 'mo');
      """)
    let (key, next) = (["line", "day"], TableMapping("trip", key: ["line", "day"]))
    let trip = TableMapping(
      "trip", key: key,
      relations: [
        .array("rides", "ride", parentKey: key, mode: .replaceForParent),
        .join("next", next, through: "pass", parentKey: ["l1", "d1"], elementKey: ["l2", "d2"]),
      ])
    let rides = TableMapping("ride", relations: [.object("trip", next, foreignKey: key)])
    let text = #""rides": [{"id": 1}], "next": [{"day": "tu", "line": 7}]"#
    try bench.run(#"[{"day": "mo", "line": 5, \#(text)}]"#, mapping: ImportMapping(trip))
    try bench.run(#"[{"id": 2, "trip": {"day": "we", "line": 3}}]"#, mapping: ImportMapping(rides))
    #expect(try bench.rows("SELECT * FROM ride") == ["1|5|mo", "2|3|we", "9|6|mo"])
    #expect(try bench.rows("SELECT * FROM pass") == ["5|mo|7|tu"])
  }
}
