import SeedFormat
import SeedImport
import Support
import Testing

/// To-many relations match the newest record, for its own parent only.
@Suite struct ImportSyncTests {
  private static let schema = """
    CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT, seller INTEGER);
    CREATE TABLE seat(id TEXT PRIMARY KEY NOT NULL, event INTEGER NOT NULL REFERENCES event(id), price INTEGER
      CHECK (price > 0)) WITHOUT ROWID;
    CREATE TABLE ticket(id INTEGER PRIMARY KEY, seat TEXT REFERENCES seat(id) ON DELETE CASCADE);
    CREATE TABLE note(id INTEGER PRIMARY KEY, ticket INTEGER REFERENCES ticket(id) ON DELETE SET NULL);
    CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
    CREATE TABLE eventTag(event INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (event, tag)) WITHOUT ROWID;
    INSERT INTO event(id) VALUES (1), (2);
    INSERT INTO seat VALUES ('a', 1, 5), ('b', 1, 6), ('c', 2, 7);
    INSERT INTO ticket VALUES (1, 'a'), (2, 'b'), (3, 'c');
    INSERT INTO note VALUES (1, 2), (2, 3);
    INSERT INTO tag VALUES ('x'), ('y');
    INSERT INTO eventTag VALUES (1, 'x'), (1, 'y'), (2, 'x');
    """

  private static let mapping = ImportMapping(
    TableMapping(
      "event",
      relations: [
        .array("seats", "seat", parentKey: ["event"], mode: .replaceForParent),
        .join(
          "tags", TableMapping("tag", columns: ["name": "$"]), through: "eventTag", parentKey: ["event"],
          elementKey: ["tag"], mode: .replaceForParent),
      ]))

  @Test func `a cleared reference is an update of its row, which search tables index`() throws {
    let bench = try ImportBench(
      Self.schema + """
        CREATE VIRTUAL TABLE search USING fts5(ticket, content='note', content_rowid='id');
        INSERT INTO search(search) VALUES ('rebuild');
        """)
    let report = try bench.run(#"[{"id": 1, "seats": [{"id": "a"}]}]"#, mapping: Self.mapping)
    #expect(try bench.rows("SELECT id, ticket FROM note") == ["1|NULL", "2|3"])
    #expect(report.tables["ticket"]?.deleted == 1 && report.tables["note"]?.updated == 1)
    #expect(report.tables["note"]?.deleted == 0)
    #expect(try bench.rows("SELECT rowid FROM search WHERE search MATCH '2 OR 3'") == ["2"])
  }

  @Test func `a row of the mapping whose reference is cleared is updated`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE team(id INTEGER PRIMARY KEY, up INTEGER REFERENCES team(id) ON DELETE SET NULL);
      INSERT INTO team VALUES (1, NULL), (2, 1), (3, 2), (4, 3);
      """)
    let report = try bench.run(
      #"[{"id": 1}, {"id": 4}]"#, mapping: ImportMapping(TableMapping("team", mode: .mergeAndDeleteMissing)))
    #expect(try bench.rows("SELECT * FROM team") == ["1|NULL", "4|NULL"])
    #expect(report.tables["team"]?.updated == 1 && report.tables["team"]?.deleted == 2)
  }

  @Test func `a row that moves to another parent keeps columns that the document does not mention`() throws {
    let bench = try ImportBench(Self.schema)
    try bench.run(
      #"[{"id": 1, "seats": [{"id": "b"}]}, {"id": 2, "seats": [{"id": "a"}, {"id": "c"}]}]"#,
      mapping: Self.mapping)
    #expect(try bench.rows("SELECT * FROM seat ORDER BY id") == ["a|2|5", "b|1|6", "c|2|7"])
    #expect(try bench.rows("SELECT id FROM ticket") == ["1", "2", "3"])
  }

  @Test func `a reference without ON DELETE to a deleted row is broken`() throws {
    let bench = try ImportBench(
      Self.schema + "CREATE TABLE bill(id INTEGER PRIMARY KEY, seat TEXT REFERENCES seat(id));"
        + "INSERT INTO bill VALUES (1, 'a');")
    let failure = bench.failure(#"[{"id": 1, "seats": []}]"#, mapping: Self.mapping)
    #expect(failure?.code == .references)
    #expect(failure?.message.contains("table \"bill\"") == true)
    #expect(try bench.rows("SELECT count(*) FROM seat") == ["3"])
  }

  @Test func `a join's pairs that their parent no longer names are deleted; rows on the other side are kept`()
    throws
  {
    let bench = try ImportBench(Self.schema)
    let report = try bench.run(
      #"[{"id": 1, "tags": ["y", "new"]}, {"id": 2, "tags": null}]"#, mapping: Self.mapping)
    #expect(try bench.rows("SELECT * FROM eventTag ORDER BY tag") == ["1|new", "1|y"])
    #expect(try bench.rows("SELECT * FROM tag") == ["new", "x", "y"])
    #expect(report.tables["eventTag"]?.deleted == 2)
  }

  @Test func `a rejected row is kept if its key is known; otherwise its parent keeps all rows`() throws {
    let bench = try ImportBench(Self.schema)
    func reject(_ seat: String) throws -> ImportReport {
      try bench.collect(#"[{"id": 1, "seats": [\#(seat)]}, {"id": 2, "seats": []}]"#, mapping: Self.mapping)
    }
    let report = try reject(#"{"price": 1}"#)
    #expect(try bench.rows("SELECT id, event FROM seat ORDER BY id") == ["a|1", "b|1"])
    #expect(report.issues.map(\.code) == [.missingKey, .notDeleted])
    #expect(report.issues.last?.key == "id = 1")
    _ = try reject(#"{"id": "b", "price": -1}"#)
    #expect(try bench.rows("SELECT id, event FROM seat") == ["b|1"])
  }

  @Test func `a row that another list of the document names is kept`() throws {
    let bench = try ImportBench(Self.schema)
    let mapping = ImportMapping(lists: [
      .init(Self.mapping.lists[0].table, rows: "$.events"), .init("seat", rows: "$.seats"),
    ])
    for text in [
      #"{"seats": [{"id": "a", "price": 9}], "events": [{"id": 1, "seats": []}]}"#,
      #"{"events": [{"id": 1, "seats": []}], "seats": [{"id": "a", "price": 8}]}"#,
      #"{"seats": [{"id": "a", "price": 8}], "events": [{"id": 1, "seats": [{"id": "a"}]}, {"id": 1, "seats": []}]}"#,
    ] { try bench.run(text, mapping: mapping) }
    #expect(try bench.rows("SELECT id, price FROM seat") == ["a|8", "c|7"])
  }

  @Test func `two members may fill one table, each with its own constant`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY);
      CREATE TABLE phone(number TEXT PRIMARY KEY, person INTEGER, kind TEXT);
      INSERT INTO phone VALUES ('1', 1, 'home'), ('2', 1, 'work'), ('3', 1, NULL);
      """)
    func relation(_ kind: String) -> RelationMapping {
      .array(
        MemberPath(kind),
        TableMapping("phone", columns: ["number": "$"], constants: ["kind": .text(kind)]),
        parentKey: ["person"], mode: .replaceForParent)
    }
    let mapping = ImportMapping(TableMapping("person", relations: [relation("home"), relation("work")]))
    try bench.run(#"[{"id": 1, "home": ["9"]}]"#, mapping: mapping)
    #expect(try bench.rows("SELECT number FROM phone") == ["2", "3", "9"])
  }

  @Test func `a parent loses the rows that it does not name, even if it does not get a row that it names`()
    throws
  {
    let bench = try ImportBench(Self.schema + "CREATE INDEX seats ON seat(event);")
    try bench.run(
      #"[{"id": 1, "seats": [{"id": "a"}, {"id": "c"}]}]"#, mapping: Self.mapping,
      policy: ImportPolicy(onConflict: .keep))
    #expect(try bench.rows("SELECT id, event FROM seat") == ["a|1", "c|2"])
  }

  @Test func `a recurring object is kept by a parent that does not name it, even in separate batches`()
    throws
  {
    let bench = try ImportBench(
      """
      CREATE TABLE team(id INTEGER PRIMARY KEY);
      CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER);
      CREATE TABLE goal(id INTEGER PRIMARY KEY, player INTEGER);
      """)
    let mapping = ImportMapping(lists: [
      .init(
        TableMapping("goal", relations: [.object("by", "player", foreignKey: ["player"])]), layout: .lines,
        where: [RowCondition("kind", in: [.text("goal")])]),
      .init(
        TableMapping(
          "team", relations: [.array("players", "player", parentKey: ["team"], mode: .replaceForParent)]),
        layout: .lines),
    ])
    let goal = #"{"kind": "goal", "id": 1, "by": {"id": 7, "team": 5}}"#
    try bench.run(
      "\(goal)\n\(goal)\n\(goal)\n{\"id\": 5, \"players\": [{\"id\": 8}]}\n", mapping: mapping)
    #expect(try bench.rows("SELECT id FROM player") == ["7", "8"])
  }

  @Test func `batches do not delete, because a later one may mention the row`() throws {
    let bench = try ImportBench(Self.schema)
    let policy = ImportPolicy(atomicity: .batched(rows: 1))
    let failure = bench.failure(#"[{"id": 1, "seats": []}]"#, mapping: Self.mapping, policy: policy)
    #expect(failure?.code == .mapping)
    #expect(failure?.message.contains("import without batches") == true)
    #expect(try bench.rows("SELECT count(*) FROM seat") == ["3"])
  }

  @Test func `a table that would lose most of its rows fails the import`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO item SELECT i FROM n;
      """)
    let mapping = ImportMapping(TableMapping("item", mode: .mergeAndDeleteMissing))
    let one = #"[{"id": 1}]"#
    let failure = bench.failure(one, mapping: mapping)
    #expect(failure?.code == .shrunk)
    #expect(failure?.message.contains("table \"item\" would go from 200 to 1 rows") == true)
    #expect(try bench.rows("SELECT count(*) FROM item") == ["200"])
    let half = (1...100).map { "{\"id\": \($0)}" }.joined(separator: ",")
    #expect(try bench.run("[\(half)]", mapping: mapping).tables["item"]?.deleted == 100)
    try bench.run(one, mapping: mapping, policy: ImportPolicy(acceptsShrink: true))
    #expect(try bench.rows("SELECT count(*) FROM item") == ["1"])
  }

  @Test func `a pair that another row names from its other side is kept, even beside a rejected row`() throws
  {
    let bench = try ImportBench(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT CHECK (name <> 'bad'));
      CREATE TABLE friendship(a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
      INSERT INTO person(id) VALUES (1), (2);
      INSERT INTO friendship VALUES (1, 2);
      """)
    func friends(_ member: MemberPath, _ own: String, _ other: String) -> RelationMapping {
      .join(
        member, TableMapping("person"), through: "friendship", parentKey: [own], elementKey: [other],
        mode: .replaceForParent)
    }
    let mapping = TableMapping(
      "person", relations: [friends("friends", "a", "b"), friends("friendOf", "b", "a")])
    for rows in [
      #"{"id": 2, "friendOf": [1]}, {"id": 3, "name": "bad"}"#,
      #"{"id": 2, "friendOf": [{"id": 1, "name": "bad"}]}"#,
    ] {
      try bench.collect(#"[{"id": 1, "friends": []}, \#(rows)]"#, mapping: ImportMapping(mapping))
      #expect(try bench.rows("SELECT * FROM friendship") == ["1|2"])
    }
  }
}
