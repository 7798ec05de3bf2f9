import SeedFormat
import SeedImport
import Support
import Testing

/// Rows that an import deletes, with their unique values and the rows that reference them.
@Suite struct ImportLossTests {
  private static let schema = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, code TEXT UNIQUE);
    CREATE TABLE ab(a INTEGER REFERENCES a(id) ON DELETE CASCADE, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE n(id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id) ON DELETE SET NULL);
    CREATE TABLE part(id INTEGER PRIMARY KEY, a INTEGER, code TEXT UNIQUE);
    INSERT INTO a VALUES (1, 'x'), (9, 'z');
    INSERT INTO ab VALUES (1, 1), (9, 1), (9, 2);
    INSERT INTO n VALUES (1, 1), (2, 9);
    INSERT INTO part VALUES (1, 1, 'p'), (2, 1, 'q'), (3, 9, 'r');
    """

  private func lists(_ names: [String], mode: TableMapping.MergeMode = .mergeAndDeleteMissing)
    -> ImportMapping
  {
    ImportMapping(
      lists: names.map {
        .init(TableMapping($0, mode: mode), rows: MemberPath(names: [$0]), isOptional: true)
      })
  }

  private let bench: ImportBench
  init() throws { bench = try ImportBench(Self.schema) }

  // MARK: Unique values

  @Test(arguments: [TableMapping.MergeMode.mergeAndDeleteMissing, .replace])
  func `a row can get the unique value of a deleted one`(mode: TableMapping.MergeMode) throws {
    try bench.run(
      #"{"a": [{"id": 4, "code": "z"}, {"id": 1, "code": "y"}, {"id": 5, "code": "x"}]}"#,
      mapping: lists(["a"], mode: mode))
    #expect(try bench.rows("SELECT * FROM a") == ["1|y", "4|z", "5|x"])
  }

  private static let parts = ImportMapping(
    TableMapping("a", relations: [.array("parts", "part", parentKey: ["a"], mode: .replaceForParent)]))

  @Test func `a row can get the unique value of one that its parent no longer names`() throws {
    let report = try bench.run(
      #"[{"id": 1, "parts": [{"id": 7, "code": "p"}, {"id": 2, "code": "s"}, {"id": 3, "code": "q"}]}]"#,
      mapping: Self.parts)
    #expect(try bench.rows("SELECT * FROM part") == ["2|1|s", "3|1|q", "7|1|p"])
    #expect(report.tables["part"]?.deleted == 1)
  }

  @Test func `a waiting parent loses no rows before it is written`() throws {
    // Its own value stays taken, so it is rejected and keeps its rows.
    let policy = ImportPolicy(badRows: .collect)
    let report = try bench.run(
      #"[{"id": 1, "code": "z", "parts": [{"id": 7, "code": "p"}]}, {"id": 9, "parts": [{"id": 8, "code": "q"}]}]"#,
      mapping: Self.parts, policy: policy)
    #expect(report.issues.map(\.table).contains("a"))
    #expect(try bench.rows("SELECT * FROM part WHERE a = 1") == ["1|1|p", "2|1|q"])
    // A parent that is written loses the rows that it does not name.
    let next = try ImportBench(Self.schema)
    try next.run(
      #"[{"id": 1, "code": "z", "parts": [{"id": 7, "code": "s"}]}, {"id": 9, "code": "w", "parts": []}]"#,
      mapping: Self.parts)
    #expect(try next.rows("SELECT * FROM part") == ["7|1|s"])
    #expect(try next.rows("SELECT * FROM a") == ["1|z", "9|w"])
  }

  // MARK: References

  @Test(arguments: ["ab", "n"])
  func `a mentioned row is not deleted along with one that it references`(child: String) throws {
    let document =
      #"{"a": [{"id": 1}], "ab": [{"a": 1, "b": 1}, {"a": 9, "b": 1}], "n": [{"id": 2, "a": 9}]}"#
    // However often the import runs, and on whatever database.
    for _ in 0..<2 {
      let failure = bench.failure(document, mapping: lists(["a", child]))
      #expect(failure?.code == .references)
      #expect(try bench.rows("SELECT count(*) FROM ab") == ["3"])
    }
  }

  @Test func `unmentioned rows are deleted or changed with the rows that they reference`() throws {
    let report = try bench.run(#"{"a": [{"id": 1}]}"#, mapping: lists(["a"]))
    #expect(try bench.rows("SELECT * FROM ab") == ["1|1"])
    #expect(try bench.rows("SELECT * FROM n") == ["1|1", "2|NULL"])
    #expect(report.tables["ab"]?.deleted == 2 && report.tables["n"]?.updated == 1)
  }

  @Test(arguments: ["CASCADE", "SET NULL"])
  func `a reference follows a deleted row by the collation of the referenced column`(action: String) throws {
    let bench = try ImportBench(
      """
      CREATE TABLE p(id TEXT PRIMARY KEY);
      CREATE TABLE c(id INTEGER PRIMARY KEY, p TEXT COLLATE NOCASE REFERENCES p(id) ON DELETE \(action));
      INSERT INTO p VALUES ('a'), ('A');
      INSERT INTO c VALUES (1, 'a'), (2, 'A');
      """)
    try bench.run(#"{"p": [{"id": "a"}]}"#, mapping: lists(["p"]))
    #expect(try bench.rows("SELECT id FROM c WHERE p IS NOT NULL") == ["1"])
  }

  @Test func `a table whose name differs in the case of a letter beyond ASCII is another table`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE É(id INTEGER PRIMARY KEY, p INTEGER REFERENCES P(id) ON DELETE CASCADE);
      CREATE TABLE é(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id) ON DELETE CASCADE);
      INSERT INTO p VALUES (1), (2);
      INSERT INTO É VALUES (1, 1), (2, 2);
      INSERT INTO é VALUES (1, 2), (2, 1);
      """)
    try bench.run(#"{"p": [{"id": 1}]}"#, mapping: lists(["p"]))
    #expect(try bench.rows("SELECT É.id, é.id FROM É, é") == ["1|2"])
  }

  @Test func `a reference that cannot become NULL fails the import, whatever its table does on conflicts`()
    throws
  {
    let bench = try ImportBench(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(id INTEGER PRIMARY KEY,
        p INTEGER NOT NULL ON CONFLICT IGNORE REFERENCES p(id) ON DELETE SET NULL);
      INSERT INTO p VALUES (1), (2);
      INSERT INTO c VALUES (1, 2);
      """)
    let failure = bench.failure(#"{"p": [{"id": 1}]}"#, mapping: lists(["p"]))
    #expect(failure?.code == .references)
    #expect(
      failure?.message.hasPrefix("table \"c\", column \"p\": the import deletes rows of table \"p\"") == true)
    #expect(try bench.rows("SELECT * FROM p, c") == ["1|1|2", "2|1|2"])
  }

  @Test func `references set to null are counted as updates`() throws {
    let report = try bench.run(
      #"{"n": [{"id": 1, "a": 77}, {"id": 2, "a": 9}]}"#, mapping: lists(["n"], mode: .merge),
      policy: ImportPolicy(references: .null))
    #expect(try bench.rows("SELECT * FROM n") == ["1|NULL", "2|9"])
    #expect(report.tables["n"]?.updated == 2 && report.tables["n"]?.unchanged == 1)
  }

  // MARK: The shrink guard, and missing lists

  @Test func `the shrink guard covers rows deleted with those that they reference`() throws {
    try bench.execute(
      """
      WITH RECURSIVE i(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM i WHERE i < 300)
      INSERT INTO ab SELECT 9, i FROM i
      """)
    for tables in [["a"], ["a", "ab"]] {
      let failure = #expect(throws: ImportFailure.self) {
        try bench.run(#"{"a": [{"id": 1}], "ab": [{"a": 1, "b": 1}]}"#, mapping: lists(tables))
      }
      #expect(failure?.code == .shrunk)
      #expect(failure?.message.contains("\"ab\"") == true)
    }
    let policy = ImportPolicy(acceptsShrink: true)
    try bench.run(
      #"{"a": [{"id": 1}], "ab": [{"a": 1, "b": 1}]}"#, mapping: lists(["a", "ab"]), policy: policy)
    #expect(try bench.rows("SELECT * FROM ab") == ["1|1"])
  }

  @Test func `a change of all keys is not a loss`() throws {
    try bench.execute(
      """
      WITH RECURSIVE i(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM i WHERE i < 1300)
      INSERT INTO part SELECT i, NULL, 'code ' || i FROM i
      """)
    let rows = (1000...1300).map { #"{"id": \#($0 + 1000), "code": "code \#($0)"}"# }
    let report = try bench.run(#"{"part": [\#(rows.joined(separator: ","))]}"#, mapping: lists(["part"]))
    #expect(report.tables["part"]?.inserted == 301 && report.tables["part"]?.deleted == 304)
  }

  @Test func `a missing optional list deletes nothing, even if another list fills its table`() throws {
    let part = TableMapping("part", mode: .mergeAndDeleteMissing)
    let mapping = ImportMapping(lists: [
      .init(part, rows: "buses"), .init(part, rows: "trains", isOptional: true),
    ])
    let buses = #""buses": [{"id": 1}]"#
    let report = try bench.run("{\(buses)}", mapping: mapping)
    #expect(try bench.rows("SELECT id FROM part") == ["1", "2", "3"])
    #expect(report.issues.map(\.code) == [.notDeleted])
    #expect(report.issues.first?.message.contains("the documents lack a list of the table") == true)
    try bench.run(#"{\#(buses), "trains": [{"id": 3}]}"#, mapping: mapping)
    #expect(try bench.rows("SELECT id FROM part") == ["1", "3"])
  }

  // MARK: Large tables

  /// An indexed lookup of each row takes no time; a scan for each row would take minutes.
  @Test func `unmentioned rows of a large table are found quickly`() throws {
    try bench.execute(
      """
      WITH RECURSIVE i(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM i WHERE i < 200000)
      INSERT INTO part SELECT i, NULL, i FROM i
      """)
    let rows = (1000..<21_000).map { #"{"id":\#($0),"code":"\#($0)"}"# }
    let policy = ImportPolicy(acceptsShrink: true)
    let report = try bench.run(
      #"{"part": [\#(rows.joined(separator: ","))]}"#, mapping: lists(["part"]), policy: policy)
    #expect(report.tables["part"]?.unchanged == 20_000 && report.tables["part"]?.deleted == 179_004)
  }

  // MARK: Referenced objects and rejected rows

  private static let people = """
    CREATE TABLE country(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE city(id INTEGER PRIMARY KEY, country INTEGER REFERENCES country(id));
    CREATE TABLE person(id INTEGER PRIMARY KEY, age INTEGER CHECK (age > 0), city INTEGER REFERENCES city(id));
    """
  private static let person = TableMapping(
    "person",
    relations: [
      .object(
        "city", TableMapping("city", relations: [.object("country", "country", foreignKey: ["country"])]),
        foreignKey: ["city"])
    ])

  @Test func `a known object does not hide a change of the object that it references`() throws {
    let bench = try ImportBench(Self.people)
    try bench.run(
      """
      [{"id": 1, "city": {"id": 1, "country": {"id": 1, "name": "old"}}},
       {"id": 2, "city": {"id": 1, "country": {"id": 1, "name": "new"}}}]
      """, mapping: ImportMapping(Self.person))
    #expect(try bench.rows("SELECT name FROM country") == ["new"])
  }

  @Test func `objects of a rejected row are written with the next row that has them`() throws {
    let bench = try ImportBench(Self.people)
    let report = try bench.collect(
      """
      [{"id": 1, "age": -1, "city": {"id": 1, "country": {"id": 1, "name": "X"}}},
       {"id": 2, "age": 5, "city": {"id": 1, "country": {"id": 1, "name": "X"}}}]
      """, mapping: ImportMapping(Self.person))
    #expect(try bench.rows("SELECT person.id, name FROM person, country") == ["2|X"])
    #expect(report.tables["country"]?.inserted == 1 && report.tables["person"]?.rejected == 1)
  }

  @Test func `a rejected row is counted also if it references its own table`() throws {
    let bench = try ImportBench(
      "CREATE TABLE employee(id INTEGER PRIMARY KEY, age INTEGER CHECK (age > 0), boss INTEGER)")
    let mapping = TableMapping("employee", relations: [.object("boss", "employee", foreignKey: ["boss"])])
    let report = try bench.collect(
      #"[{"id": 1, "age": -1, "boss": {"id": 2, "age": 3}}]"#, mapping: ImportMapping(mapping))
    #expect(report.tables["employee"]?.rejected == 1)
  }

  @Test func `rows that a rejected row names are kept`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE category(id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent INTEGER);
      INSERT INTO category VALUES (1, 'A', NULL), (2, 'B', 1), (3, 'C', 1), (4, 'D', NULL);
      """)
    let mapping = TableMapping(
      "category",
      relations: [.array("children", "category", parentKey: ["parent"])], mode: .mergeAndDeleteMissing)
    try bench.collect(
      """
      [{"id": 1, "name": null, "children": [{"id": 2, "name": "B"}, {"id": 3, "name": "C"}]}, {"id": 4, "name": "D"}]
      """, mapping: ImportMapping(mapping))
    #expect(try bench.rows("SELECT id FROM category") == ["1", "2", "3", "4"])
  }

  @Test func `an unreadable line keeps the rows of every list that may have it`() throws {
    let lists = ["a", "part"].map { table in
      ImportMapping.List(
        TableMapping(table, mode: .mergeAndDeleteMissing), layout: .lines,
        where: [RowCondition("kind", in: [.text(table)])])
    }
    let report = try bench.collect(
      #"""
      {"kind": "a", "id": 1}
      {"kind": "part", "id": 1}
      {"kind": "part", "id":
      """#, mapping: ImportMapping(lists: lists))
    #expect(try bench.rows("SELECT id FROM part") == ["1", "2", "3"])
    #expect(report.issues.filter { $0.code == .notDeleted }.map(\.table) == ["a", "part"])
  }

  @Test func `a row whose key cannot be read is not deleted along with one that it referenced`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY);
      CREATE TABLE piece(id INTEGER PRIMARY KEY, item INTEGER REFERENCES item(id) ON DELETE CASCADE);
      INSERT INTO item VALUES (1), (2);
      INSERT INTO piece VALUES (1, 1), (2, 2);
      """)
    let mapping = ImportMapping(lists: [
      .init(TableMapping("item", mode: .mergeAndDeleteMissing), rows: "items"),
      .init(TableMapping("piece", mode: .mergeAndDeleteMissing), rows: "pieces"),
    ])
    try bench.collect(
      #"{"items": [{"id": 1}], "pieces": [{"id": 1, "item": 1}, {"id": "2x", "item": 1}]}"#, mapping: mapping)
    #expect(try bench.rows("SELECT id FROM item") == ["1", "2"])
    #expect(try bench.rows("SELECT id FROM piece") == ["1", "2"])
  }

  @Test func `objects of a rejected row are kept: all if it cannot be read, otherwise those that it names`()
    throws
  {
    let bench = try ImportBench(Self.people + "INSERT INTO city(id) VALUES (1), (2);")
    let mapping = ImportMapping(lists: [
      .init(Self.person, rows: "people"),
      .init(TableMapping("city", mode: .mergeAndDeleteMissing), rows: "cities"),
    ])
    for (age, cities) in [("\"x\"", ["1", "2", "3"]), ("-1", ["2", "3"])] {
      try bench.collect(
        #"{"people": [{"id": 1, "age": \#(age), "city": {"id": 2}}], "cities": [{"id": 3}]}"#,
        mapping: mapping)
      #expect(try bench.rows("SELECT id FROM city") == cities)
    }
  }

  @Test func `a search table follows references that the import cleared`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE cat(id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
      CREATE TABLE note(id INTEGER PRIMARY KEY, cat TEXT REFERENCES cat(id));
      INSERT INTO cat VALUES ('old'), ('new');
      INSERT INTO note VALUES (1, 'old'), (2, 'new');
      CREATE VIRTUAL TABLE search USING fts5(cat, content='note', content_rowid='id');
      INSERT INTO search(search) VALUES ('rebuild');
      """)
    var policy = ImportPolicy()
    policy.references = .null
    try bench.run(
      #"[{"id": "new"}]"#, mapping: ImportMapping(TableMapping("cat", mode: .mergeAndDeleteMissing)),
      policy: policy)
    #expect(try bench.rows("SELECT cat FROM note") == ["NULL", "new"])
    #expect(try bench.rows("SELECT rowid FROM search WHERE search MATCH 'old'") == [])
  }
}
