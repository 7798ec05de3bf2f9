import Foundation
import SeedFormat
import SeedImport
import Support
import Testing

/// The examples of the article "Mapping files", each with a document.
enum MappingArticle {
  /// The mappings in the article's order.
  static let examples: [String] = {
    let package = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
    let article = package.appending(path: "Sources/SeedImport/SeedImport.docc/Mappings.md")
    let parts = (try? String(contentsOf: article, encoding: .utf8))?.components(separatedBy: "```") ?? []
    return parts.filter { $0.hasPrefix("json\n") }.map { String($0.dropFirst("json\n".count)) }
  }()
}

@Suite struct MappingArticleTests {
  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let schema: String
    let documents: [(name: String, text: String)]
    /// The rows after the import, by query.
    let rows: [(query: String, rows: [String])]
    var passedOver = 0

    init(
      _ name: String, _ schema: String, _ documents: [(name: String, text: String)],
      _ rows: [(query: String, rows: [String])], passedOver: Int = 0
    ) {
      (description, self.schema, self.documents) = (name, schema, documents)
      (self.rows, self.passedOver) = (rows, passedOver)
    }
  }

  static let cases = [
    Case(
      "an object, an array and a join",
      """
      CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE person(id INTEGER PRIMARY KEY, fullName TEXT, born INTEGER, zip TEXT, source TEXT, rank INTEGER,
        userId INTEGER REFERENCES user(id));
      CREATE TABLE phone(id INTEGER PRIMARY KEY, person INTEGER REFERENCES person(id), number TEXT);
      CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE personTag(person INTEGER, tag TEXT, PRIMARY KEY (person, tag));
      """,
      [
        (
          "people.json",
          """
          {"data": {"items": [{"id": 1, "full_name": "Ada", "birth": "1970-01-02", "address": {"post_code": "0501"},
            "user": {"id": 7, "name": "u"}, "phones": [{"id": 3, "number": "1"}], "tags": ["x", {"name": "y"}]}]}}
          """
        )
      ],
      [
        ("SELECT * FROM person", ["1|Ada|86400|0501|web|0|7"]), ("SELECT * FROM phone", ["3|1|1"]),
        ("SELECT * FROM personTag", ["1|x", "1|y"]), ("SELECT * FROM tag", ["y"]),
      ]),
    Case(
      "several lists, two of them in one place",
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE stop_time(trip TEXT NOT NULL, place INTEGER NOT NULL, at INTEGER, PRIMARY KEY (trip, place));
      """,
      [
        (
          "all.json",
          """
          {"items": [{"type": "stop", "state": "new", "id": 1, "name": ""}, {"type": "shop", "id": 2, "name": ""},
            {"type": "stop", "state": "old", "id": 3}], "trips": {"stopTimes": [{"trip": "t", "place": 1, "at": 5}]}}
          """
        )
      ],
      [
        ("SELECT * FROM stop", ["1|"]), ("SELECT * FROM shop", ["2|"]),
        ("SELECT * FROM stop_time", ["t|1|5"]),
      ], passedOver: 1),
    Case(
      "a feed of two files",
      """
      CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT, lat REAL);
      CREATE TABLE stop_time(trip TEXT NOT NULL, stop TEXT NOT NULL, at TEXT, PRIMARY KEY (trip, stop));
      """,
      [("stops.txt", "stop_id;stop_name;lat\na;A;52.5\nb;;\n"), ("stop_times_1.txt", "t,a,5\n")],
      [("SELECT * FROM stop", ["a|A|52.5", "b|NULL|NULL"]), ("SELECT * FROM stop_time", ["t|a|5"])]),
    Case(
      "dictionaries within dictionaries",
      """
      CREATE TABLE person(id TEXT PRIMARY KEY NOT NULL, name TEXT);
      CREATE TABLE film(id TEXT PRIMARY KEY NOT NULL, latitude REAL, title TEXT, shown INTEGER,
        director TEXT);
      CREATE TABLE review(id TEXT PRIMARY KEY NOT NULL, film TEXT, stars INTEGER);
      CREATE TABLE part(film TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (film, person));
      """,
      [
        (
          "films.json",
          """
          {"films": {"f1": {"set": {"coordinates": [1.5, 2.5]}, "title.en": "T",
            "first_shown": "1970-01-02", "director": {"id": "p1", "full_name": "D"},
            "reviews": {"r1": {"stars": 5}}, "cast": {"p2": true}}, "f2": {"set": null}}}
          """
        )
      ],
      [
        ("SELECT * FROM film", ["f1|2.5|T|82800000|p1", "f2|NULL|NULL|NULL|NULL"]),
        ("SELECT * FROM review", ["r1|f1|5"]),
        ("SELECT * FROM part", ["f1|p2"]), ("SELECT * FROM person", ["p1|D"]),
      ]),
    Case(
      "identifiers of JSON:API",
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE article(id INTEGER PRIMARY KEY, title TEXT, author INTEGER REFERENCES person(id));
      CREATE TABLE tag(id TEXT PRIMARY KEY NOT NULL, label TEXT);
      CREATE TABLE articleTag(article INTEGER REFERENCES article(id), tag TEXT REFERENCES tag(id),
        PRIMARY KEY (article, tag));
      INSERT INTO tag VALUES ('y', 'Y'); INSERT INTO article(id) VALUES (1); INSERT INTO articleTag VALUES (1, 'y');
      """,
      [
        (
          "articles.json",
          """
          {"data": [
            {"type": "articles", "id": "1", "attributes": {"title": "A"}, "relationships": {
              "author": {"data": {"type": "people", "id": "9"}}, "tags": {"data": [{"type": "tags", "id": "x"}]}}},
            {"type": "articles", "id": "2", "relationships": {"author": {"data": null}}}],
           "included": [{"type": "people", "id": "9", "attributes": {"name": "Ada"}},
            {"type": "tags", "id": "x", "attributes": {"label": "X"}}]}
          """
        )
      ],
      [
        ("SELECT * FROM article", ["1|A|9", "2|NULL|NULL"]), ("SELECT * FROM articleTag", ["1|x"]),
        ("SELECT * FROM tag ORDER BY id", ["x|X", "y|Y"]), ("SELECT * FROM person", ["9|Ada"]),
      ]),
    Case(
      "an array in place of a dictionary",
      "CREATE TABLE room(code TEXT PRIMARY KEY NOT NULL, name TEXT, open INTEGER)",
      [
        (
          "rooms.json",
          """
          {"rooms": [null, {"door": "a", "name": "A", "open": true}, null, {"door": "b", "name": "B", "open": false}]}
          """
        )
      ], [("SELECT * FROM room", ["a|A|1", "b|B|0"])], passedOver: 2),
  ]

  @Test func `each example has a document here`() {
    #expect(Self.cases.count == MappingArticle.examples.count)
  }

  @Test(arguments: cases.indices)
  func `each example imports its document`(number: Int) throws {
    let example = Self.cases[number]
    let bench = try ImportBench(example.schema)
    let mapping = try ImportMapping(json: Array(MappingArticle.examples[number].utf8))
    let report = try bench.run(
      documents: example.documents.map { Array($0.text.utf8) }, named: example.documents.map(\.name),
      mapping: mapping)
    #expect(report.issueCount == 0 && report.unmatchedRows == example.passedOver, "\(example)")
    for (query, rows) in example.rows { #expect(try bench.rows(query) == rows, "\(example)") }
  }

  // MARK: The article's tables of kept rows

  /// Rows of the table after a document without them; `nil` if the import fails.
  private func stops(_ mode: TableMapping.MergeMode, _ document: String, optional: Bool = false) throws
    -> [String]?
  {
    let bench = try ImportBench(
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO stop VALUES (1, 'a')")
    let list = ImportMapping.List(TableMapping("stop", mode: mode), rows: "stops", isOptional: optional)
    do { try bench.run(document, mapping: ImportMapping(lists: [list])) } catch is ImportFailure {
      return nil
    }
    return try bench.rows("SELECT id FROM stop")
  }

  @Test(arguments: TableMapping.MergeMode.allCases)
  func `a list that is missing, null or empty has the effect in the article's table`(
    mode: TableMapping.MergeMode
  ) throws {
    #expect(try stops(mode, "{}") == nil)
    #expect(try stops(mode, "{}", optional: true) == ["1"])
    #expect(try stops(mode, #"{"stops": null}"#, optional: true) == nil)
    #expect(try stops(mode, #"{"stops": []}"#) == (mode == .merge ? ["1"] : nil))
  }

  @Test(arguments: RelationMapping.Mode.allCases)
  func `a relation that is missing, null or empty has the effect in the article's table`(
    mode: RelationMapping.Mode
  ) throws {
    let kept = mode == .merge ? ["1", "2"] : ["2"]
    for (member, rows) in [("", ["1", "2"]), (#", "stops": null"#, kept), (#", "stops": []"#, kept)] {
      let bench = try ImportBench(
        """
        CREATE TABLE line(id INTEGER PRIMARY KEY); CREATE TABLE stop(id INTEGER PRIMARY KEY, line INTEGER);
        INSERT INTO line VALUES (1), (2); INSERT INTO stop VALUES (1, 1), (2, 2);
        """)
      let stops = RelationMapping.array("stops", "stop", parentKey: ["line"], mode: mode)
      try bench.run(
        #"[{"id": 1\#(member)}]"#, mapping: ImportMapping(TableMapping("line", relations: [stops])))
      #expect(try bench.rows("SELECT id FROM stop") == rows)
    }
  }

  // MARK: The article's statements about keys and fields

  @Test func `the last row with a key wins, and a list's constants do not limit deletions`() throws {
    let bench = try ImportBench(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, kind TEXT, n TEXT); INSERT INTO t VALUES (8, 'other', 'x')")
    let table = TableMapping("t", constants: ["kind": .text("mine")], mode: .mergeAndDeleteMissing)
    let report = try bench.run("id,n\n1,a\n1,b\n1,b\n", mapping: ImportMapping(table, layout: .csv()))
    #expect(try bench.rows("SELECT * FROM t") == ["1|mine|b"])
    let counts = report.tables["t"]
    #expect([counts?.inserted, counts?.updated, counts?.unchanged, counts?.deleted] == [1, 1, 1, 1])
  }

  @Test func `an empty field counts as mentioned, and json makes a field a string`() throws {
    let bench = try ImportBench("CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT, j TEXT, at INTEGER)")
    let table = TableMapping(
      "t", columns: ["j": .from("j", .json), "at": .from("at", .date())], defaults: ["n": .text("none")])
    try bench.run("id,n,j,at\n1,,5,1970-01-02\n", mapping: ImportMapping(table, layout: .csv()))
    #expect(try bench.rows("SELECT * FROM t") == ["1|NULL|\"5\"|86400"])
  }

  @Test func `a bare key is not looked up by the nested table's key`() throws {
    let bench = try ImportBench(
      "CREATE TABLE stop(id INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL); CREATE TABLE call(id INTEGER PRIMARY KEY, stop);"
        + "INSERT INTO stop VALUES (7, 'a')")
    let stop = RelationMapping.object("stop", TableMapping("stop", key: ["code"]), foreignKey: ["stop"])
    try bench.run(
      "id,stop\n1,a\n", mapping: ImportMapping(TableMapping("call", relations: [stop]), layout: .csv()))
    #expect(try bench.rows("SELECT * FROM call") == ["1|a"])
  }

  @Test func `a path through null makes columns NULL and does not change relations`() throws {
    let schema = """
      CREATE TABLE line(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE stop(id INTEGER PRIMARY KEY, line INTEGER);
      INSERT INTO line VALUES (1, 'a'); INSERT INTO stop VALUES (1, 1);
      """
    let stops = RelationMapping.array("in.stops", "stop", parentKey: ["line"], mode: .replaceForParent)
    let mapping = ImportMapping(TableMapping("line", columns: ["name": "in.name"], relations: [stops]))
    for (member, name) in [("null", "NULL"), ("{}", "a")] {
      let bench = try ImportBench(schema)
      try bench.run(#"[{"id": 1, "in": \#(member)}]"#, mapping: mapping)
      #expect(try bench.rows("SELECT name FROM line") == [name])
      #expect(try bench.rows("SELECT id FROM stop") == ["1"])
    }
    let refused = try ImportBench(schema).collect(#"[{"id": 1, "in": 5}]"#, mapping: mapping)
    #expect(refused.issues.map(\.message) == ["expected an object, found 5"])
  }
}
