import SeedImport
import Support
import Testing

/// Tables with triggers, which are imported only with an explicit policy.
@Suite struct ImportTriggerTests {
  private static let log = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT UNIQUE, stock INTEGER DEFAULT 0);
    CREATE TABLE log(what TEXT, id INTEGER);
    CREATE TRIGGER before_insert BEFORE INSERT ON Item BEGIN INSERT INTO log VALUES ('before', NEW.id); END;
    CREATE TRIGGER after_insert AFTER INSERT ON item BEGIN INSERT INTO log VALUES ('insert', NEW.id); END;
    CREATE TRIGGER after_update AFTER UPDATE ON item BEGIN INSERT INTO log VALUES ('update', NEW.id); END;
    CREATE TRIGGER after_delete AFTER DELETE ON item BEGIN INSERT INTO log VALUES ('delete', OLD.id); END;
    INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 2);
    DELETE FROM log;
    """
  private static let running = ImportPolicy(badRows: .collect, triggers: .run)

  private func run(_ bench: ImportBench, _ text: String, _ policy: ImportPolicy = running) throws
    -> ImportReport
  {
    try bench.run(text, mapping: ImportMapping("item"), policy: policy)
  }

  @Test func `triggers are named and their table rejected without a policy, or ignored`() throws {
    let bench = try ImportBench(Self.log)
    let failure = #expect(throws: ImportFailure.self) { try run(bench, #"[{"id": 1}]"#, ImportPolicy()) }
    #expect(failure?.code == .database)
    for name in ["after_delete", "before_insert", "--run-triggers", "--ignore-triggers"] {
      #expect(failure?.message.contains(name) == true)
    }
    let report = try run(
      bench, #"[{"id": 1, "n": "x"}, {"id": 3, "n": "c"}]"#, ImportPolicy(triggers: .ignore))
    #expect(try bench.rows("SELECT * FROM log") == [] && report.tables["item"]?.inserted == 1)
  }

  @Test func `triggers run only for new or changed rows, and their writes are not counted`() throws {
    let bench = try ImportBench(Self.log)
    let rows = (3...400).map { #", {"id": \#($0), "n": "n\#($0)"}"# }.joined()
    let report = try run(bench, #"[{"id": 1, "n": "a"}, {"id": 2, "n": "x"}\#(rows)]"#)
    #expect(
      try bench.rows("SELECT what, count(*) FROM log GROUP BY 1") == ["before|398", "insert|398", "update|1"])
    let table = try #require(report.tables["item"])
    #expect((table.inserted, table.updated, table.unchanged, table.rejected) == (398, 1, 1, 0))
    #expect(report.tables.count == 1)
    let again = try run(bench, #"[{"id": 1, "n": "a"}, {"id": 2, "n": "x"}\#(rows)]"#)
    #expect(again.tables["item"]?.unchanged == 400)
    #expect(try bench.rows("SELECT count(*) FROM log") == ["797"])
  }

  @Test(
    arguments: ["RAISE(ABORT, 'not so')", "RAISE(FAIL, 'not so')", "RAISE(IGNORE)"], ["BEFORE", "AFTER"])
  func `a row for which a trigger raises an error is a bad row and leaves no changes`(
    raise: String, time: String
  )
    throws
  {
    // After the insertion, IGNORE skips only the rest of the trigger.
    if raise == "RAISE(IGNORE)", time == "AFTER" { return }
    let bench = try ImportBench(
      """
      \(Self.log)
      CREATE TRIGGER guard_insert \(time) INSERT ON item WHEN NEW.stock < 0 BEGIN
        INSERT INTO log VALUES ('guard', NEW.id); SELECT \(raise); END;
      CREATE TRIGGER guard_update \(time) UPDATE ON item WHEN NEW.stock < 0 BEGIN
        INSERT INTO log VALUES ('guard', NEW.id); SELECT \(raise); END;
      """)
    let report = try run(
      bench,
      #"[{"id": 3, "stock": -1}, {"id": 1, "stock": -1}, {"id": 4, "stock": 1}, {"id": 2, "stock": 3}]"#)
    #expect(report.issues.map(\.code) == [.trigger, .trigger])
    #expect(report.issues.map(\.key) == ["id = 3", "id = 1"])
    let words = raise == "RAISE(IGNORE)" ? "it leaves the row out" : "not so"
    #expect(report.issues.allSatisfy { $0.message == "refused by a trigger: \(words)" })
    #expect(try bench.rows("SELECT id, stock FROM item") == ["1|1", "2|3", "4|1"])
    #expect(try bench.rows("SELECT * FROM log") == ["before|4", "insert|4", "update|2"])
    let table = try #require(report.tables["item"])
    #expect((table.inserted, table.updated, table.rejected) == (1, 1, 2))
  }

  @Test func `a trigger that rolls back ends the import`() throws {
    let bench = try ImportBench(
      "\(Self.log) CREATE TRIGGER r BEFORE INSERT ON item WHEN NEW.id = 4 BEGIN SELECT RAISE(ROLLBACK, 'no'); END;"
    )
    let failure = #expect(throws: ImportFailure.self) { try run(bench, #"[{"id": 3}, {"id": 4}]"#) }
    #expect(failure?.message == #"a trigger of table "item" rolled the transaction back: no"#)
    #expect(try bench.rows("SELECT count(*) FROM item") == ["2"])
  }

  @Test func `rows pass values on one by one, without a deletion that a trigger could see`() throws {
    let bench = try ImportBench(Self.log)
    let moved = try run(bench, #"[{"id": 1, "n": "b"}, {"id": 2, "n": "c"}]"#)
    #expect(try bench.rows("SELECT id, n FROM item ORDER BY id") == ["1|b", "2|c"] && moved.issueCount == 0)
    let report = try run(bench, #"[{"id": 1, "n": "c"}, {"id": 2, "n": "b"}, {"id": 1, "n": "d"}]"#)
    #expect(
      report.issues.map(\.message) == [
        #"the value "c" of "n" must be unique, and the row id = 2 has it"#,
        #"the value "b" of "n" must be unique, and the row id = 1 has it"#,
      ])
    #expect(try bench.rows("SELECT id, n FROM item ORDER BY id") == ["1|d", "2|c"])
    #expect(try bench.rows("SELECT DISTINCT what FROM log") == ["update"])
  }

  @Test func `unmentioned rows run delete triggers, and are kept with an error if one raises`() throws {
    let bench = try ImportBench(Self.log)
    let mapping = ImportMapping(TableMapping("item", mode: .mergeAndDeleteMissing))
    _ = try bench.run(#"[{"id": 2}]"#, mapping: mapping, policy: Self.running)
    #expect(try bench.rows("SELECT * FROM log") == ["delete|1"])
    try bench.execute("CREATE TRIGGER stay BEFORE DELETE ON item BEGIN SELECT RAISE(ABORT, 'stays'); END")
    let failure = bench.failure(#"[{"id": 3}]"#, mapping: mapping, policy: Self.running)
    #expect(
      failure?.message.hasSuffix("refused to delete a row that the import does not mention: stays") == true)
  }

  /// A trigger of a trigger writes the note.
  private static let chain = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, n TEXT);
    CREATE TABLE step(id INTEGER PRIMARY KEY);
    CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, item INTEGER REFERENCES item);
    CREATE VIRTUAL TABLE search USING fts5(body, content='note', content_rowid='id');
    CREATE TRIGGER one AFTER INSERT ON item BEGIN INSERT INTO step VALUES (NEW.id); END;
    CREATE TRIGGER two AFTER INSERT ON step BEGIN
      INSERT INTO note VALUES (NEW.id, 'about ' || NEW.id, NEW.id + 1); END;
    """

  @Test func `tables that triggers wrote have their references checked and their search tables rebuilt`()
    throws
  {
    let bench = try ImportBench(Self.chain)
    let failure = #expect(throws: ImportFailure.self) {
      try run(bench, #"[{"id": 1}, {"id": 2}]"#, ImportPolicy(triggers: .run))
    }
    #expect(
      failure?.code == .references && failure?.message.contains(#"table "note", column "item""#) == true)
    _ = try run(bench, #"[{"id": 1}, {"id": 2}]"#, ImportPolicy(references: .keep, triggers: .run))
    #expect(try bench.rows("SELECT rowid FROM search WHERE search MATCH 'about'") == ["1", "2"])
  }

  @Test func `triggers of views have no effect`() throws {
    let bench = try ImportBench(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT id FROM item;
      CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO item VALUES (NEW.id); END;
      """)
    #expect(try run(bench, #"[{"id": 1}]"#, ImportPolicy()).tables["item"]?.inserted == 1)
  }
}
