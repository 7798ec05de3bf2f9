import SeedImport
import Support
import Testing

/// An import runs no triggers, and does not skip them silently.
@Suite struct ImportTriggerTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT);
    CREATE TABLE part(id INTEGER PRIMARY KEY, item INTEGER REFERENCES item ON DELETE CASCADE);
    CREATE TABLE log(id INTEGER);
    INSERT INTO item VALUES (1, 'a'), (2, 'b');
    INSERT INTO part VALUES (7, 2);
    """

  @Test func `a table with triggers is rejected with their names, or imported without them`() throws {
    let bench = try ImportBench(
      """
      \(Self.schema)
      CREATE TRIGGER "on insert" AFTER INSERT ON Item BEGIN INSERT INTO log VALUES (NEW.id); END;
      CREATE TRIGGER never BEFORE UPDATE ON item BEGIN SELECT RAISE(ABORT, 'no'); END;
      """)
    let (document, mapping) = (#"[{"id": 1, "n": "x"}, {"id": 3, "n": "c"}]"#, ImportMapping("item"))
    let failure = bench.failure(document, mapping: mapping)
    #expect(failure?.code == .database)
    for words in [#""item" has triggers ("never", "on insert")"#, "--ignore-triggers"] {
      #expect(failure?.message.contains(words) == true)
    }
    try bench.run(document, mapping: mapping, policy: ImportPolicy(ignoresTriggers: true))
    #expect(try bench.rows("SELECT * FROM item") == ["1|x", "2|b", "3|c"])
    #expect(try bench.rows("SELECT * FROM log") == [])
  }

  @Test(arguments: ["part", "Ämter"])
  func `triggers of a table that loses rows along with others are not skipped either`(_ table: String) throws
  {
    let schema = Self.schema.replacing("part", with: table)
    let bench = try ImportBench(
      "\(schema) CREATE TRIGGER t AFTER DELETE ON \(table) BEGIN INSERT INTO log VALUES (OLD.id); END;")
    try bench.run(#"[{"id": 1, "n": "x"}]"#, mapping: ImportMapping("item"))
    let mapping = ImportMapping(TableMapping("item", mode: .mergeAndDeleteMissing))
    let failure = bench.failure(#"[{"id": 1}]"#, mapping: mapping)
    #expect(failure?.message.hasPrefix(#"table "\#(table)" has triggers ("t")"#) == true)
    #expect(try bench.rows("SELECT id FROM \(table)") == ["7"])
  }

  @Test func `triggers of a table whose references may be cleared are not skipped either`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE cat(id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
      CREATE TABLE note(id INTEGER PRIMARY KEY, cat TEXT REFERENCES cat(id));
      INSERT INTO cat VALUES ('old'), ('new');
      INSERT INTO note VALUES (1, 'old'), (2, 'new');
      CREATE TRIGGER t AFTER UPDATE ON note BEGIN DELETE FROM note; END;
      """)
    let (document, mapping) = (
      #"[{"id": "new"}]"#, ImportMapping(TableMapping("cat", mode: .mergeAndDeleteMissing))
    )
    let failure = bench.failure(document, mapping: mapping, policy: ImportPolicy(references: .null))
    #expect(failure?.code == .database)
    #expect(failure?.message.hasPrefix(#"table "note" has triggers ("t")"#) == true)
    try bench.run(
      document, mapping: mapping, policy: ImportPolicy(references: .null, ignoresTriggers: true))
    #expect(try bench.rows("SELECT cat FROM note") == ["NULL", "new"])
  }

  @Test func `triggers of a table that only references unchanged columns do not stop an import`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE cat(id INTEGER PRIMARY KEY); INSERT INTO cat VALUES (1), (2);
      CREATE TABLE note(id INTEGER PRIMARY KEY, cat INTEGER UNIQUE REFERENCES cat ON DELETE SET NULL);
      CREATE TABLE detail(cat INTEGER PRIMARY KEY REFERENCES cat);
      CREATE TABLE page(id INTEGER PRIMARY KEY, note INTEGER REFERENCES note ON DELETE CASCADE);
      INSERT INTO note VALUES (1, 1), (2, 2); INSERT INTO page VALUES (1, 1), (2, 9);
      CREATE TRIGGER p AFTER UPDATE ON page BEGIN DELETE FROM page; END;
      CREATE TRIGGER d AFTER UPDATE ON detail BEGIN DELETE FROM detail; END;
      """)
    let (document, policy) = (#"[{"id": 1}]"#, ImportPolicy(references: .null))
    try bench.run(document, mapping: ImportMapping("cat"), policy: policy)
    try bench.execute("INSERT INTO note VALUES (3, 7)")
    try bench.run(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, mapping: ImportMapping("cat"), policy: policy)
    #expect(try bench.rows("SELECT * FROM note") == ["1|1", "2|2", "3|NULL"])
    #expect(try bench.rows("SELECT * FROM page") == ["1|1", "2|9"])
    try bench.execute(
      "CREATE TABLE link(id INTEGER PRIMARY KEY, cat INTEGER REFERENCES note(cat)); "
        + "CREATE TRIGGER l AFTER UPDATE ON link BEGIN DELETE FROM link; END")
    let failure = bench.failure(document, mapping: ImportMapping("cat"), policy: policy)
    #expect(failure?.message.hasPrefix(#"table "link" has triggers ("l")"#) == true)
    try bench.run(
      document, mapping: ImportMapping(TableMapping("cat", mode: .mergeAndDeleteMissing)),
      policy: ImportPolicy(references: .keep, acceptsShrink: true))
    #expect(try bench.rows("SELECT * FROM note") == ["1|1", "2|NULL", "3|NULL"])
  }

  @Test func `the triggers of an origin's log are not to be dropped`() throws {
    let bench = try ImportBench(
      "\(Self.schema) CREATE TRIGGER seedbank_log_1_i AFTER INSERT ON item BEGIN INSERT INTO log VALUES (1); END;"
    )
    let failure = bench.failure(#"[{"id": 1}]"#, mapping: ImportMapping("item"))
    #expect(
      failure?.message.hasSuffix("then run VACUUM, so that the publisher compares all rows in its next step")
        == true)
  }

  @Test func `triggers of views have no effect`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT id FROM item;
      CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO item VALUES (NEW.id); END;
      """)
    let report = try bench.run(#"[{"id": 1}]"#, mapping: ImportMapping("item"))
    #expect(report.tables["item"]?.inserted == 1)
  }
}
