import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

/// A snapshot brings texts of indexes along. Whoever signed them, they make indexes and do nothing else.
@Suite struct HostileIndexTests {
  private let folder: TemporaryFolder
  private let file: Connection

  init() throws {
    folder = try TemporaryFolder()
    try Connection(folder("notes.sqlite"), .creator).execute(
      "CREATE TABLE note(text TEXT); INSERT INTO note VALUES ('mine')")
    file = try Connection(folder("seed.sqlite"), .creator)
    try file.execute(
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone TEXT);
      CREATE TABLE zone(code TEXT PRIMARY KEY);
      INSERT INTO stop VALUES (1, 'Old', 'a'), (2, 'New', 'b');
      CREATE INDEX names ON stop(name);
      ANALYZE
      """)
    try LeftOutIndexes.leaveOut(of: file)
  }

  private var bytes: [String: Data] {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: folder($0)))) })
    }
  }

  static let texts = [
    "ATTACH DATABASE 'NOTES' AS v", "DETACH DATABASE main", "VACUUM", "VACUUM INTO 'NOTES-2'",
    "DELETE FROM stop",
    "UPDATE stop SET name = 'x'", "INSERT INTO stop VALUES (3, 'x', 'x')",
    "REPLACE INTO stop VALUES (1, 'x', 'x')",
    "DROP TABLE stop", "DROP TABLE seedbank_index", "CREATE TABLE names(a)",
    "CREATE TABLE names AS SELECT * FROM stop",
    "CREATE VIEW names AS SELECT * FROM stop", "CREATE TEMP TABLE names(a)",
    "CREATE TRIGGER names AFTER INSERT ON stop BEGIN DELETE FROM stop; END",
    "CREATE VIRTUAL TABLE names USING fts5(name)", "ALTER TABLE stop RENAME TO names",
    "ALTER TABLE stop ADD COLUMN x",
    "ANALYZE", "REINDEX", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT names", "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 7", "SELECT load_extension('NOTES')", "SELECT 1",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "EXPLAIN CREATE INDEX names ON stop(name)", "", ";", "-- nothing", "CREATE INDEX",
    "CREATE INDEX other ON stop(name)", "CREATE INDEX names ON zone(code)",
    "CREATE INDEX names ON sqlite_master(sql)",
    "CREATE INDEX temp.names ON stop(name)", "CREATE INDEX names ON stop((SELECT max(id) FROM stop))",
    "CREATE INDEX names ON stop(name) WHERE id IN (SELECT id FROM stop)",
    "CREATE INDEX names ON stop(random())",
    "CREATE INDEX names ON stop(name); DELETE FROM stop",
    "CREATE INDEX names ON stop(name);\nATTACH 'NOTES' AS v",
    "CREATE INDEX names ON stop(name) -- and\n; VACUUM",
  ]

  @Test(arguments: texts) func `a text that does something else is refused, and nothing has changed`(
    _ text: String
  ) throws {
    let sql = text.replacing("NOTES", with: folder("notes.sqlite"))
    try file.execute("UPDATE seedbank_index SET sql = ?", .text(sql))
    let before = try bytes
    #expect(throws: (any Error).self) { try LeftOutIndexes.build(in: file) }
    #expect(try bytes == before)
    #expect(try file.integer("SELECT count(*) FROM temp.sqlite_schema") == 0)
    // The connection is as it was: what belongs to the file is made afterwards.
    try file.execute("UPDATE seedbank_index SET sql = 'CREATE INDEX names ON stop(name)'")
    try LeftOutIndexes.build(in: file)
    #expect(try file.value("SELECT type FROM sqlite_schema WHERE name = 'names'") == .text("index"))
  }

  static let places = [
    "CREATE VIEW seedbank_index AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "CREATE TABLE seedbank_index(position INTEGER PRIMARY KEY, name, \"table\", sql AS (hex(zeroblob(900000000))))",
    "CREATE VIRTUAL TABLE seedbank_index USING fts5(position, name, sql)",
    "CREATE TABLE zone2(a); CREATE INDEX seedbank_index ON zone2(a)",
  ]

  @Test(arguments: places) func `a forged table of indexes is refused before it is read`(_ sql: String)
    throws
  {
    try file.execute("DROP TABLE seedbank_index; \(sql)")
    #expect(throws: ForeignIndex.self) { try LeftOutIndexes.build(in: file) }
    #expect(throws: ForeignIndex.self) { try LeftOutIndexes.entries(of: file) }
  }

  @Test(arguments: [
    "CREATE INDEX names ON stop(name)", "CREATE INDEX \"names\" ON \"stop\"(name COLLATE NOCASE DESC, id)",
    "create index NAMES on STOP(lower(name), zone) where zone is not null",
    "CREATE INDEX main.names ON stop(length(name) + id)",
  ])
  func `every valid form of an index is made`(_ sql: String) throws {
    try file.execute("UPDATE seedbank_index SET sql = ?", .text(sql))
    try LeftOutIndexes.build(in: file)
    #expect(try file.integer("SELECT count(*) FROM pragma_index_list('stop')") == 1)
    #expect(try file.value("PRAGMA integrity_check") == .text("ok"))
  }
}
