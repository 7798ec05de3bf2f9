import SeedDatabase
import SeedFormat
import SeedImport
import Support
import Testing

@Suite struct ImportConflictTests {

  @Test(arguments: ["IGNORE", "REPLACE", "ROLLBACK", "FAIL", "ABORT"])
  func `a table's ON CONFLICT clauses have no effect`(clause: String) throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY ON CONFLICT \(clause), n TEXT UNIQUE ON CONFLICT \(clause),
        must TEXT NOT NULL ON CONFLICT \(clause) DEFAULT 'd', even INTEGER CHECK (even % 2 = 0));
      INSERT INTO item(id, n) VALUES (1, 'a'), (2, 'b');
      """)
    let text = """
      [{"id": 3, "n": "a"}, {"id": 4, "n": "d", "must": null}, {"id": 2, "n": "b", "must": "x"},
       {"id": 5, "n": "e", "even": 1}, {"id": 2, "n": "a"}, {"id": 6, "n": "f"}]
      """
    let report = try bench.collect(text, mapping: ImportMapping("item"))
    #expect(try bench.rows("SELECT id, n, must FROM item") == ["1|a|d", "2|b|x", "6|f|d"])
    #expect(report.tables["item"]?.inserted == 1 && report.tables["item"]?.updated == 1)
    #expect(report.tables["item"]?.rejected == 4)
    #expect(Set(report.issues.map(\.code)) == [.unique, .notNull, .check])
  }

  @Test func `a violated constraint is reported with its column`() throws {
    let bench = try ImportBench(
      "CREATE TABLE shop(id INTEGER PRIMARY KEY, zip TEXT NOT NULL, cost REAL CHECK (cost > 0))")
    let table = TableMapping("shop", columns: ["zip": "address.post_code"])
    let report = try bench.collect(
      #"[{"id": 1, "address": {"post_code": null}}, {"id": 2, "address": {"post_code": "z"}, "cost": -1}]"#,
      mapping: ImportMapping(table))
    #expect(report.issues.map(\.column) == ["zip", "cost"])
    let message = #"table "shop", id = 1, column "zip": NOT NULL constraint failed: shop.zip"#
    #expect(report.issues.first?.description.hasSuffix(message) == true, "\(report.issues)")
  }

  @Test(arguments: [
    "j TEXT CHECK (json_extract(j, '$.a') > 0)", "j TEXT, a AS (json_extract(j, '$.a')) STORED",
    "j TEXT); CREATE INDEX by_a ON item(json_extract(j, '$.a')",
  ])
  func `a row with a value that an expression of the table cannot read is rejected`(columns: String) throws {
    let bench = try ImportBench("")
    try bench.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, \(columns))")
    let report = try bench.collect(
      #"[{"id": 1, "j": "{\"a\": 1}"}, {"id": 2, "j": "{"}]"#, mapping: ImportMapping("item"))
    #expect(try bench.rows("SELECT id FROM item") == ["1"])
    #expect(report.issues.map(\.row) == [2] && report.issues.map(\.message) == ["malformed JSON"])
    #expect(report.tables["item"]?.inserted == 1 && report.tables["item"]?.rejected == 1)
  }

  @Test func `a value that stays taken does not affect other values that move`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT UNIQUE);
      INSERT INTO item VALUES (1, 'a'), (2, 'b'), (9, 'z');
      """)
    let report = try bench.collect(
      #"[{"id": 1, "n": "b"}, {"id": 2, "n": "c"}, {"id": 3, "n": "z"}, {"id": 4, "n": "ok"}]"#,
      mapping: ImportMapping("item"))
    #expect(try bench.rows("SELECT * FROM item") == ["1|b", "2|c", "4|ok", "9|z"])
    #expect(report.issues.map(\.key) == ["id = 3"] && report.issues.map(\.column) == ["n"])
    #expect(report.tables["item"]?.updated == 2)
  }

  @Test
  func `a row waiting for a rejected one is rejected, and so is one of two rows that need the same value`()
    throws
  {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT UNIQUE);
      INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (9, 'z');
      """)
    let report = try bench.collect(
      """
      [{"id": 2, "n": "a"}, {"id": 1, "n": "z"}, {"id": 3, "n": "d"}, {"id": 5, "n": "d"}, {"id": 4, "n": "e"}]
      """,
      mapping: ImportMapping("item"))
    #expect(try bench.rows("SELECT * FROM item") == ["1|a", "2|b", "3|c", "4|e", "5|d", "9|z"])
    #expect(report.issues.map(\.key) == ["id = 2", "id = 1", "id = 3"])
    #expect(report.tables["item"]?.rejected == 3)
  }

  @Test func `a long chain of values moves on by one`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, n INTEGER UNIQUE);
      WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000)
      INSERT INTO item SELECT i, i FROM c;
      """)
    let rows = (1...1000).map { "{\"id\": \($0), \"n\": \($0 + 1)}" }.joined(separator: ",")
    let report = try bench.run("[\(rows)]", mapping: ImportMapping("item"))
    #expect(report.tables["item"]?.updated == 1000 && report.statements < 10 * 1000)
    #expect(try bench.rows("SELECT count(*) FROM item WHERE n = id + 1") == ["1000"])
  }

  @Test func `the newer of two waiting rows with one key wins`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, n INTEGER UNIQUE);
      INSERT INTO item VALUES ('a', 1), ('b', 2);
      """)
    try bench.run(
      #"[{"id": "A", "n": 2}, {"id": "a", "n": 3}, {"id": "b", "n": 4}]"#, mapping: ImportMapping("item"))
    #expect(try bench.rows("SELECT id, n FROM item") == ["a|3", "b|4"])
  }

  // MARK: Trees

  private static let tree = """
    CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE parent(id INTEGER PRIMARY KEY, n TEXT UNIQUE, owner INTEGER REFERENCES owner(id));
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent(id), v TEXT UNIQUE);
    CREATE TABLE tag(id TEXT PRIMARY KEY NOT NULL, label TEXT UNIQUE);
    CREATE TABLE tagged(parent INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (parent, tag));
    INSERT INTO parent VALUES (1, 'a', NULL), (2, 'b', NULL), (9, 'z', NULL);
    INSERT INTO child VALUES (8, 9, 'v');
    """
  private static let parents = ImportMapping(
    TableMapping(
      "parent",
      relations: [
        .object("owner", "owner", foreignKey: ["owner"]), .array("cs", "child", parentKey: ["parent"]),
        .join("tags", "tag", through: "tagged", parentKey: ["parent"], elementKey: ["tag"]),
      ]))

  @Test func `if a row is rejected after waiting, so are its nested rows`() throws {
    let bench = try ImportBench(Self.tree)
    let report = try bench.collect(
      """
      [{"id": 3, "n": "z", "owner": {"id": 7, "name": "x"}, "cs": [{"id": 1}, {"id": 2}],
        "tags": ["bare", {"id": "t", "label": "T"}]},
       {"id": 4, "n": "q", "cs": [{"id": 5}]}]
      """, mapping: Self.parents)
    #expect(try bench.rows("SELECT id FROM parent") == ["1", "2", "4", "9"])
    #expect(try bench.rows("SELECT id, parent FROM child") == ["5|4", "8|9"])
    #expect(try bench.rows("SELECT id FROM owner UNION ALL SELECT id FROM tag") == [])
    #expect(try bench.rows("SELECT * FROM tagged") == [])
    #expect(report.issues.map(\.table) == ["parent"])
    #expect(report.tables["child"]?.inserted == 1 && report.tables["owner"]?.inserted == 0)
  }

  @Test func `a row written after waiting brings its nested rows along`() throws {
    let bench = try ImportBench(Self.tree)
    let text = """
      [{"id": 1, "n": "b", "owner": {"id": 7, "name": "x"}, "cs": [{"id": 1, "v": "w"}],
        "tags": ["bare", {"id": "t", "label": "T"}]},
       {"id": 2, "n": "c", "owner": {"id": 7, "name": "x"}, "cs": [{"id": 2, "v": "u"}]}]
      """
    let report = try bench.collect(text, mapping: Self.parents)
    #expect(try bench.rows("SELECT * FROM parent WHERE id < 9") == ["1|b|7", "2|c|7"])
    #expect(try bench.rows("SELECT * FROM owner") == ["7|x"])
    #expect(try bench.rows("SELECT * FROM child") == ["1|1|w", "2|2|u", "8|9|v"])
    #expect(try bench.rows("SELECT * FROM tagged") == ["1|bare", "1|t"])
    #expect(report.issues.isEmpty)
    let before = try bench.rows("SELECT * FROM child")
    #expect(try bench.collect(text, mapping: Self.parents).tables["parent"]?.unchanged == 2)
    #expect(try bench.rows("SELECT * FROM child") == before)
  }

  @Test func `a row waits for the object that it references, and shares its outcome`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE owner(id INTEGER PRIMARY KEY, n TEXT UNIQUE);
      CREATE TABLE parent(id INTEGER PRIMARY KEY, owner INTEGER REFERENCES owner(id));
      INSERT INTO owner VALUES (1, 'a'), (2, 'b'), (9, 'z');
      """)
    let report = try bench.collect(
      """
      [{"id": 1, "owner": {"id": 1, "n": "b"}}, {"id": 2, "owner": {"id": 2, "n": "c"}},
       {"id": 3, "owner": {"id": 3, "n": "z"}}]
      """,
      mapping: ImportMapping(
        TableMapping("parent", relations: [.object("owner", "owner", foreignKey: ["owner"])])))
    #expect(try bench.rows("SELECT * FROM owner") == ["1|b", "2|c", "9|z"])
    #expect(try bench.rows("SELECT * FROM parent") == ["1|1", "2|2"])
    #expect(report.issues.map(\.table) == ["owner"])
    #expect(report.tables["parent"]?.rejected == 1)
  }

  @Test func `rows do not wait for an object that they share with a waiting row`() throws {
    let bench = try ImportBench(Self.tree)
    let rows = (10..<200).map { #"{"id": \#($0), "n": "\#($0)", "owner": {"id": 7, "name": "x"}}"# }
    var hooks = ImportHooks()
    var looks = 0
    // Called before each retry, and once at the end.
    hooks.isCancelled = {
      looks += 1
      return false
    }
    let report = try bench.collect(
      #"[{"id": 3, "n": "z", "owner": {"id": 7, "name": "x"}}, \#(rows.joined(separator: ","))]"#,
      mapping: Self.parents, hooks: hooks)
    #expect(report.issues.map(\.key) == ["id = 3"])
    #expect(report.tables["parent"]?.inserted == 190)
    #expect(try bench.rows("SELECT * FROM owner") == ["7|x"])
    #expect(looks < 5)
  }

  @Test func `rows that waited are unchanged`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id TEXT PRIMARY KEY, n INTEGER UNIQUE, r REAL, b BLOB, t TEXT, u);
      INSERT INTO item(id, n) VALUES ('a', 0), ('b', 1), ('c', 2), ('d', 3), ('z', 9);
      """)
    let rows = ["a", "b", "c", "d"].enumerated().map { number, id in
      #"{"id": "\#(id)", "n": \#(number + 1), "r": -1.5e300, "b": "AP8=", "t": "é\u0000", "u": null}"#
    }
    let mapping = try ImportMapping(
      json: Array(#"{"table": "item", "columns": {"b": {"from": "b", "as": "base64"}}}"#.utf8))
    var (hooks, rejected) = (ImportHooks(), [String]())
    hooks.rejected = { reject in
      rejected.append("\(reject.issue.row): \(String(decoding: reject.value, as: UTF8.self))")
    }
    let stays = #"{"id":"e","n":9}"#
    let report = try bench.collect(
      "[\((rows + [stays]).joined(separator: ","))]", mapping: mapping, hooks: hooks)
    #expect(report.tables["item"]?.updated == 4 && rejected == ["5: \(stays)"])
    #expect(
      try bench.rows("SELECT id, n, r, hex(b), hex(t), u FROM item WHERE id < 'e'")
        == zip(["a", "b", "c", "d"], [1, 2, 3, 4]).map { "\($0)|\($1)|-1.5e+300|00FF|C3A900|NULL" })
  }

  @Test func `a long chain that ends at a kept row is rejected in either direction`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, n INTEGER UNIQUE);
      WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000)
      INSERT INTO item SELECT i, i FROM c;
      """)
    let down = (1..<400).map { "{\"id\": \($0), \"n\": \($0 + 1)}" }
    let up = (500..<900).reversed().map { "{\"id\": \($0), \"n\": \($0 + 1)}" }
    let report = try bench.collect("[\((down + up).joined(separator: ","))]", mapping: ImportMapping("item"))
    #expect(report.tables["item"]?.rejected == 799)
    #expect(report.statements < 50 * 800)
    #expect(try bench.rows("SELECT id, n FROM item WHERE n <> id") == [])
  }

  @Test(.full, arguments: Array(1...6) as [UInt64])
  func `each row is written with its value and nested rows, or rejected with them as an issue`(seed: UInt64)
    throws
  {
    var random = SplitMix(seed: seed)
    for round in 0..<30 {
      let bench = try ImportBench(Self.tree)
      let old = (1...8).map { "(\($0), '\($0)', NULL)" }.joined(separator: ", ")
      try Connection(bench.path, .writer).execute(
        "DELETE FROM child; DELETE FROM parent; INSERT INTO parent VALUES \(old)")
      let rows = (1...12).shuffled(using: &random).prefix(8).map {
        (id: $0, n: Int.random(in: 1...11, using: &random), owner: Int.random(in: 1...3, using: &random))
      }
      let text = rows.map {
        #"{"id": \#($0.id), "n": "\#($0.n)", "owner": {"id": \#($0.owner)}, "cs": [{"id": \#($0.id)}]}"#
      }
      let report = try bench.collect("[\(text.joined(separator: ","))]", mapping: Self.parents)
      let refused = Set(report.issues.compactMap(\.key))
      let place = "seed \(seed), round \(round)"
      for row in rows {
        let isThere = try bench.rows(
          "SELECT 1 FROM parent WHERE id = \(row.id) AND n = '\(row.n)' AND owner = \(row.owner)")
        let children = try bench.rows("SELECT 1 FROM child WHERE parent = \(row.id)")
        let isRefused = refused.contains("id = \(row.id)")
        #expect(isThere.isEmpty == isRefused, "\(row), \(place)")
        #expect(children.isEmpty == isRefused, "\(row), \(place)")
      }
      let lost = try bench.rows("SELECT id FROM owner WHERE id NOT IN (SELECT owner FROM parent WHERE owner)")
      #expect(lost == [], "\(place)")
    }
  }
}
