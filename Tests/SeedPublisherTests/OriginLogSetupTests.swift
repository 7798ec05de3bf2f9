import SeedDatabase
import SeedFormat
import SeedPublisher
import Support
import Testing

@Suite struct OriginLogSetupTests {
  @Test func `a table without a possible log is reported with its reason and compared`() throws {
    let connection = try Connection("odd", .memory)
    try connection.execute(
      """
      CREATE VIRTUAL TABLE search USING fts5(text);
      CREATE TABLE plain(a, b);
      CREATE TABLE hidden(rowid, _rowid_, oid);
      CREATE TABLE computed(id INTEGER PRIMARY KEY, a);
      CREATE UNIQUE INDEX odd ON computed(abs(a));
      """)
    let draft = try SQLiteLogDraft(connection)
    #expect(draft.logged.map(\.table) == ["plain"] && draft.logged[0].keys == ["rowid"])
    #expect(Set(draft.left.map(\.table)) == ["search", "hidden", "computed"])
    for statement in draft.statements { try connection.execute(statement) }
    for statement in try SQLiteLogDraft.removal(connection) { try connection.execute(statement) }
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'seedbank%'") == 0)
  }

  @Test func `the operator's tables and triggers stay even if they are named like a log's`()
    throws
  {
    let connection = try Connection("own", .memory)
    let own = """
      CREATE TABLE seedbank_logins(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE seedbank_log_archive(id INTEGER PRIMARY KEY);
      CREATE TABLE seedbank_log_1(id INTEGER PRIMARY KEY);
      CREATE TABLE seedbank_log_2_old(seq INTEGER PRIMARY KEY, witness, k0);
      CREATE TRIGGER seedbank_log_3_insert_twice AFTER INSERT ON seedbank_logins BEGIN DELETE FROM seedbank_log_1; END;
      CREATE TRIGGER seedbank_log_keeper AFTER DELETE ON seedbank_logins BEGIN SELECT 1; END;
      """
    try connection.execute(own)
    func names() throws -> [String] {
      try connection.rows("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").map(
        \.[0].text)
    }
    let before = try names()
    #expect(try SQLiteLogDraft.removal(connection) == [])
    let draft = try SQLiteLogDraft(connection)
    #expect(
      Set(draft.logged.map(\.table))
        == ["seedbank_logins", "seedbank_log_archive", "seedbank_log_1", "seedbank_log_2_old"])
    for statement in draft.statements { try connection.execute(statement) }
    #expect(try Set(OriginOutline(connection).tables.keys) == Set(draft.logged.map(\.table)))
    // Without its table, a log's triggers reject every write.
    try connection.execute("DROP TABLE \(LogParts.log(4))")
    for statement in try SQLiteLogDraft.removal(connection) { try connection.execute(statement) }
    #expect(try names() == before)
    try connection.execute("INSERT INTO seedbank_log_archive VALUES (1)")
  }

  @Test func `the list of an interrupted import is no part of the origin`() throws {
    let connection = try Connection("imported", .memory)
    try connection.execute(
      "CREATE TABLE shop(id INTEGER PRIMARY KEY); CREATE TABLE seedbank_unchecked(name TEXT PRIMARY KEY)")
    #expect(try Array(OriginOutline(connection).tables.keys) == ["shop"])
    #expect(try SQLiteLogDraft(connection).logged.map(\.table) == ["shop"])
  }

  @Test func `a table with the name of the list of logs is reported and stays`() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let path = folder("other.sqlite")
    try Connection(path, .creator).execute(
      "CREATE TABLE Seedbank_Logged(id INTEGER PRIMARY KEY); INSERT INTO Seedbank_Logged VALUES (1)")
    let setup = try SQLiteLogSetup(path)
    #expect(try setup.removal() == [])
    let error = #expect(throws: OriginError.self) { try setup.draft([]) }
    #expect(error?.description.contains("rename that table") == true && error?.isConfiguration == true)
    #expect(try SQLiteOrigin(path).log() == nil)
  }

  @Test(arguments: [
    "UPDATE OR REPLACE person SET email = 'A@X' WHERE id = 5",
    "INSERT OR REPLACE INTO person(id, code) VALUES (5, NULL)",
    "UPDATE OR REPLACE person SET code = NULL WHERE id = 5",
    "INSERT OR REPLACE INTO person(id, name) VALUES (5, NULL)",
  ])
  func `a row that REPLACE removes because of a generated column or a default is logged`(write: String) throws
  {
    let connection = try Connection("people", .memory)
    try connection.execute(
      """
      CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT, folded TEXT AS (lower(email)) UNIQUE,
        code TEXT NOT NULL DEFAULT 'x' UNIQUE, name TEXT NOT NULL DEFAULT "it's" UNIQUE);
      INSERT INTO person VALUES (1, 'a@x', 'x', 'it''s'), (5, 'b@x', 'y', 'z');
      """)
    for statement in try SQLiteLogDraft(connection).statements { try connection.execute(statement) }
    let triggers = try TriggerSwitch(connection, areRunning: true)
    defer { withExtendedLifetime(triggers) {} }
    try connection.execute(write)
    #expect(try connection.integer("SELECT count(*) FROM person WHERE id = 1") == 0)
    #expect(try connection.integer("SELECT count(*) > 0 FROM \(LogParts.log(1)) WHERE k0 = 1") == 1)
  }

  /// A BEFORE trigger sees −1 as the key that SQLite has yet to choose.
  @Test(arguments: ["id INTEGER PRIMARY KEY, code TEXT UNIQUE", "code TEXT UNIQUE"])
  func `a row −1 that REPLACE removes for a row without a given number is logged`(columns: String) throws {
    let connection = try Connection("origin", .memory)
    try connection.execute(
      "CREATE TABLE shop(\(columns)); INSERT INTO shop(rowid, code) VALUES (-1, 'none'), (5, 'x')")
    for statement in try SQLiteLogDraft(connection).statements { try connection.execute(statement) }
    let triggers = try TriggerSwitch(connection, areRunning: true)
    defer { withExtendedLifetime(triggers) {} }
    try connection.execute("INSERT OR REPLACE INTO shop(code) VALUES ('none')")
    #expect(try connection.integer("SELECT count(*) FROM shop WHERE rowid = -1") == 0)
    let keys = try connection.rows("SELECT k0 FROM \(LogParts.log(1)) WHERE k0 IS NOT NULL ORDER BY 1")
    #expect(keys == [[.integer(-1)], [.integer(6)]])
  }

  @Test func `the log deletes entries beyond its limit`() throws {
    let connection = try Connection("origin", .memory)
    try connection.execute("CREATE TABLE word(word TEXT PRIMARY KEY, n INTEGER, UNIQUE(n, word))")
    for statement in try SQLiteLogDraft(connection).statements { try connection.execute(statement) }
    let triggers = try TriggerSwitch(connection, areRunning: true)
    defer { withExtendedLifetime(triggers) {} }
    try connection.execute("INSERT INTO word VALUES ('a', 1)")
    let log = LogParts.log(
      Int(try #require(try connection.integer("SELECT number FROM seedbank_logged WHERE source = 'word'"))))
    // Simulates a million writes.
    try connection.execute(
      "INSERT INTO \(log)(seq, witness, k0) VALUES (2000000 - 2000000 % 4096 - 1, 0, 'z')")
    try connection.execute("INSERT INTO word VALUES ('b', 1)")
    #expect(try connection.integer("SELECT count(*) FROM \(log)") == 2)
  }
}
