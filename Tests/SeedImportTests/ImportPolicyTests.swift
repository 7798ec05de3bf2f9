import SeedDatabase
import SeedFormat
import SeedImport
import SeedSystem
import Support
import Testing

@Suite struct ImportPolicyTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'd', b TEXT, slot INTEGER UNIQUE);
    INSERT INTO item VALUES (1, 'x', 'y', 10), (2, 'x', 'y', 20), (3, 'x', 'y', NULL);
    """
  private static let mapping: ImportMapping = ImportMapping("item")

  private func bench() throws -> ImportBench { try ImportBench(Self.schema) }

  @Test func `keep leaves existing rows unchanged, and fail rejects another row with the key`() throws {
    let bench = try bench()
    let kept = try bench.run(
      #"[{"id": 1, "a": "new"}, {"id": 4, "a": "new"}]"#, mapping: Self.mapping,
      policy: ImportPolicy(onConflict: .keep))
    #expect(try bench.rows("SELECT id, a FROM item WHERE id IN (1, 4)") == ["1|x", "4|new"])
    #expect(kept.tables["item"]?.inserted == 1 && kept.tables["item"]?.unchanged == 1)
    let failed = try bench.run(
      #"[{"id": 1, "a": "new"}, {"id": 2, "a": "x"}, {"id": 5}]"#, mapping: Self.mapping,
      policy: ImportPolicy(onConflict: .fail, badRows: .collect))
    #expect(failed.issues.map(\.code) == [.conflict] && failed.issues.map(\.key) == ["id = 1"])
    #expect(try bench.rows("SELECT id, a FROM item") == ["1|x", "2|x", "3|x", "4|new", "5|d"])
  }

  @Test func `abort ends at the first bad row and leaves the file unchanged`() throws {
    let bench = try bench()
    let before = try bench.bytes()
    let failure = bench.failure(#"[{"id": 9}, {"id": 8, "a": null}, {"a": "z"}]"#, mapping: Self.mapping)
    let issue = try #require(failure?.issue)
    #expect(issue.code == .notNull && issue.column == "a" && issue.key == "id = 8")
    #expect(issue.row == 2 && issue.offset == 12)
    #expect(try bench.bytes() == before)
  }

  @Test func `the list of issues is limited, and their count is exact`() throws {
    let rows = (0..<50).map { _ in "{}" }.joined(separator: ",")
    let report = try bench().run(
      "[\(rows)]", mapping: Self.mapping, policy: ImportPolicy(badRows: .collect, issueLimit: 3))
    #expect(report.issues.count == 3 && report.issueCount == 50 && report.tables["item"]?.rejected == 50)
  }

  @Test func `delete missing deletes unmentioned rows, but not rejected ones, nor any if a key is not known`()
    throws
  {
    let bench = try bench()
    let mapping = ImportMapping(TableMapping("item", mode: .mergeAndDeleteMissing))
    let unknown = try bench.collect(#"[{"id": 1}, {"a": "q"}]"#, mapping: mapping)
    #expect(unknown.issues.map(\.code) == [.missingKey, .notDeleted])
    #expect(try bench.rows("SELECT count(*) FROM item") == ["3"])
    let report = try bench.collect(#"[{"id": 1, "b": "z"}, {"id": 3, "a": null}]"#, mapping: mapping)
    #expect(try bench.rows("SELECT * FROM item") == ["1|x|z|10", "3|x|y|NULL"])
    #expect(report.tables["item"]?.deleted == 1)
  }

  @Test func `replace gives omitted columns the schema's default`() throws {
    let bench = try bench()
    let mapping = ImportMapping(TableMapping("item", mode: .replace))
    let text = #"[{"id": 1}]"#
    try bench.run(text, mapping: mapping)
    #expect(try bench.rows("SELECT * FROM item") == ["1|d|NULL|NULL"])
    let before = try bench.bytes()
    #expect(try bench.run(text, mapping: mapping).tables["item"]?.unchanged == 1)
    #expect(try bench.bytes() == before)
  }

  @Test(arguments: [
    ("hello", "hello"), ("\"id\"", "id"), ("[it's]", "it's"), ("'id'", "id"), ("TRUE", "1"), ("-1.5", "-1.5"),
    ("(1 + 2)", "3"),
  ])
  func `a default is read as SQLite reads it, and a name in it is a string`(sql: String, value: String) throws
  {
    let bench = try ImportBench("CREATE TABLE item(id INTEGER PRIMARY KEY, a DEFAULT \(sql))")
    try bench.run(#"[{"id": 1}]"#, mapping: ImportMapping(TableMapping("item", mode: .replace)))
    #expect(try bench.rows("SELECT a FROM item") == [value])
  }

  @Test func `committed batches stay, and the same import completes them`() throws {
    let bench = try bench()
    let policy = ImportPolicy(atomicity: .batched(rows: 2))
    let good = (10..<15).map { "{\"id\": \($0)}" }.joined(separator: ",")
    let failure = bench.failure("[\(good), {}]", mapping: Self.mapping, policy: policy)
    #expect(
      failure?.message.hasSuffix(
        "; 4 rows of the documents are committed and stay: repeat the import to complete it") == true)
    #expect(try bench.rows("SELECT count(*) FROM item WHERE id >= 10") == ["4"])
    let report = try bench.run("[\(good), {\"id\": 15}]", mapping: Self.mapping, policy: policy)
    #expect(report.tables["item"]?.inserted == 2 && report.tables["item"]?.unchanged == 4)
  }

  @Test(arguments: [.one, .batched(rows: 2)] as [ImportPolicy.Atomicity])
  func `a completing import checks and finds the rows of an interrupted import's batches`(
    _ atomicity: ImportPolicy.Atomicity
  ) throws {
    let bench = try ImportBench(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);
      CREATE TABLE t(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id), n TEXT); CREATE TABLE u(id INTEGER PRIMARY KEY);
      CREATE VIRTUAL TABLE search USING fts5(n, content='t', content_rowid='id');
      """)
    let rows = (1...4).map { #"{"id": \#($0), "p": \#($0), "n": "word"}"# }.joined(separator: ",")
    func failure(_ policy: ImportPolicy) -> ImportFailure? {
      bench.failure("[\(rows)]", mapping: ImportMapping("t"), policy: policy)
    }
    #expect(failure(ImportPolicy(atomicity: .batched(rows: 2)))?.code == .references)
    #expect(try bench.rows("SELECT name FROM seedbank_unchecked") == ["t"])
    try bench.run(#"[{"id": 1}]"#, mapping: ImportMapping("u"))
    #expect(failure(ImportPolicy(atomicity: atomicity))?.code == .references)
    try bench.execute("INSERT INTO p VALUES (2), (3), (4)")
    try bench.run("[\(rows)]", mapping: ImportMapping("t"), policy: ImportPolicy(atomicity: atomicity))
    #expect(try bench.rows("SELECT count(*) FROM search WHERE search MATCH 'word'") == ["4"])
    #expect(try bench.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'seedbank%'") == [])
  }

  @Test func `an object that another writer deletes between two batches is written again`() throws {
    let bench = try ImportBench(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY, p REFERENCES p(id));")
    let connection = try Connection(bench.path, .own)
    var hooks = ImportHooks()
    var commits = 0
    hooks.willCommit = {
      commits += 1
      // In the other writer's place, because no test can run between a commit and the next batch.
      if commits == 1 { try connection.execute("DELETE FROM p") }
    }
    let session = try ImportSession(
      connection,
      mapping: ImportMapping(TableMapping("t", relations: [.object("p", "p", foreignKey: ["p"])])),
      policy: ImportPolicy(atomicity: .batched(rows: 1)), hooks: hooks)
    try session.begin("document")
    try Array(#"[{"id": 1, "p": {"id": 7}}, {"id": 2, "p": {"id": 7}}]"#.utf8).withUnsafeBytes(session.feed)
    try session.end()
    _ = try session.finish()
    #expect(try bench.rows("SELECT * FROM p") == ["7"])
  }

  @Test func `the mode of a reference has no effect`() throws {
    let bench = try ImportBench(
      "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY, p REFERENCES p(id));")
    let parent = RelationMapping(
      "p", "p", .reference(foreignKey: ["p"]), layout: .array, mode: .replaceForParent)
    try bench.run(
      #"[{"id": 1, "p": {"id": 7}}]"#, mapping: ImportMapping(TableMapping("t", relations: [parent])),
      policy: ImportPolicy(atomicity: .batched(rows: 1)))
    #expect(try bench.rows("SELECT * FROM t") == ["1|7"])
  }

  @Test func `an import is cancelled between batches and rolled back`() throws {
    let bench = try bench()
    let before = try bench.bytes()
    var hooks = ImportHooks()
    var looks = 0
    hooks.isCancelled = {
      looks += 1
      return looks == 3
    }
    let rows = (10..<1000).map { "{\"id\": \($0)}" }.joined(separator: ",")
    #expect(throws: CancellationError.self) {
      try bench.run("[\(rows)]", mapping: Self.mapping, hooks: hooks)
    }
    #expect(looks == 3)
    #expect(try bench.bytes() == before)
  }

  @Test func `a document truncated at any byte is rejected, and the database is unchanged`() throws {
    let bench = try bench()
    let before = try bench.bytes()
    let text = Array(#" {"d": [{"id": 7, "b": "é\n", "slot": -1.5e1}, {"id": 8, "a": "t"}], "e": {}}"#.utf8)
    let mapping = ImportMapping("item", rows: "d")
    for length in 0..<text.count - 1 {
      let failure = #expect(throws: ImportFailure.self) {
        try bench.run(documents: [Array(text[..<length])], mapping: mapping, pieces: 5)
      }
      #expect(failure?.code == .document)
    }
    #expect(try bench.bytes() == before)
    #expect(try bench.run(documents: [text], mapping: mapping).tables["item"]?.inserted == 2)
  }

  @Test(arguments: [
    [0xEF, 0xBB, 0x5B, 0x5D], [0x5B, 0xEF, 0xBB, 0xBF, 0x5D],
    Array("[{\"id\": 1, \"b\": \"\u{7F}".utf8) + [0xFF, 0x22, 0x7D, 0x5D],
    Array(repeating: 0x5B, count: 100), Array("{}".utf8), Array("[1]".utf8), Array("[] x".utf8), [],
  ])
  func `a document that is not an array of objects is rejected with the place`(document: [UInt8]) throws {
    let bench = try bench()
    let before = try bench.bytes()
    let failure = #expect(throws: ImportFailure.self) {
      try bench.run(documents: [document], mapping: Self.mapping)
    }
    #expect(failure?.message.contains("document 0") == true)
    #expect(try bench.bytes() == before)
  }
}
