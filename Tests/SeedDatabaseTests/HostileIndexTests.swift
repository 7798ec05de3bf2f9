import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedDatabase

/// The index definitions in a snapshot can only create indexes, even if an attacker signed them.
@Suite struct HostileIndexTests {
  private let folder: TemporaryFolder
  private let file: Connection

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
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
    try OmittedIndexes.omit(from: file)
  }

  private var bytes: [String: Data] {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: folder($0)))) })
    }
  }

  /// Builds as if the file's current schema were signed.
  private func build() throws {
    _ = try OmittedIndexes.build(in: file, signed: SchemaReader(file).schema().hash)
  }

  @Test func `an index definition outside the signed schema is not run`() throws {
    let signed = try SchemaReader(file).schema().hash
    try file.execute("UPDATE seedbank_index SET sql = 'CREATE INDEX names ON stop(zone)'")
    #expect(throws: NotASeed.self) { try OmittedIndexes.build(in: file, signed: signed) }
    #expect(try OmittedIndexes.entries(of: file).count == 1)
  }

  @Test func `a statement over its time limit is interrupted`() throws {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let error = #expect(throws: DatabaseError.self) {
      try file.computing(atMost: 0) { try file.execute(endless) }
    }
    #expect(error?.primaryCode == ResultCode.interrupted)
  }

  private func leaveOut(_ expression: String, rows: Int = 0) throws {
    try file.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n)
      INSERT INTO stop SELECT i, 'Many', 'c' FROM n LIMIT ?
      """, .integer(Int64(rows)))
    try file.execute(
      "UPDATE seedbank_index SET sql = ?", .text("CREATE INDEX names ON stop(\(expression), id)"))
  }

  /// Twice as long with each.
  private func hex(_ times: Int) -> String {
    String(repeating: "hex(", count: times) + "name" + String(repeating: ")", count: times)
  }

  /// Each `hex` doubles a name: with 20, one value is too long; with 12, all rows together are.
  @Test(arguments: [20, 12]) func `an index that costs too much is not made`(_ times: Int) throws {
    try leaveOut(hex(times), rows: 1000)
    let pages = try file.integer("PRAGMA page_count")
    #expect(throws: ForeignDefinition.self) { try build() }
    #expect(try file.integer("PRAGMA page_count") == pages)
    #expect(try OmittedIndexes.entries(of: file).count == 1)
  }

  @Test(arguments: [
    "instr(name, 'a')", "replace(name, 'a', 'b')", "printf('%9d', id)", "format('%9d', id)", "zeroblob(9)",
    "trim(name, 'a')", "like('%a%', name)", "glob('*a*', name)", "json_patch(name, name)",
  ])
  func `a function that can take long is not called`(_ call: String) throws {
    try leaveOut(call)
    let error = #expect(throws: ForeignDefinition.self) { try build() }
    #expect(error?.reason.hasPrefix("it calls \(call.prefix { $0 != "(" })()") == true)
  }

  @Test func `the end of a task says nothing of an index`() async throws {
    try leaveOut("name", rows: 1000)
    let task = Task { [path = folder("seed.sqlite")] in
      withUnsafeCurrentTask { $0?.cancel() }
      let file = try Connection(path, .writer)
      _ = try OmittedIndexes.build(in: file, signed: SchemaReader(file).schema().hash)
    }
    let error = await #expect(throws: DatabaseError.self) { try await task.value }
    #expect(error?.primaryCode == ResultCode.interrupted)
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

  @Test(arguments: texts) func `an index definition that does something else is rejected without effect`(
    _ text: String
  ) throws {
    let sql = text.replacing("NOTES", with: folder("notes.sqlite"))
    try file.execute("UPDATE seedbank_index SET sql = ?", .text(sql))
    let before = try bytes
    #expect(throws: ForeignDefinition.self) { try build() }
    #expect(try bytes == before)
    #expect(try file.integer("SELECT count(*) FROM temp.sqlite_schema") == 0)
    // The connection is unchanged: the valid index can be built afterwards.
    try file.execute("UPDATE seedbank_index SET sql = 'CREATE INDEX names ON stop(name)'")
    try build()
    #expect(try file.value("SELECT type FROM sqlite_schema WHERE name = 'names'") == .text("index"))
  }

  static let places = [
    "CREATE VIEW seedbank_index AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "CREATE TABLE seedbank_index(position INTEGER PRIMARY KEY, name, \"table\", sql AS (hex(zeroblob(900000000))))",
    "CREATE VIRTUAL TABLE seedbank_index USING fts5(position, name, sql)",
    "CREATE INDEX seedbank_index ON zone(code)",
  ]

  @Test(arguments: places) func `a forged table of indexes is rejected before it is read`(_ sql: String)
    throws
  {
    try file.execute("DROP TABLE seedbank_index; \(sql)")
    #expect(throws: (any Error).self) { try build() }
    #expect(throws: (any Error).self) { try OmittedIndexes.entries(of: file) }
  }

  @Test(arguments: [
    "CREATE INDEX names ON stop(name)", "CREATE INDEX \"names\" ON \"stop\"(name COLLATE NOCASE DESC, id)",
    "create index names on STOP(lower(name), zone) where zone is not null",
    "CREATE INDEX main.names ON stop(length(name) + id)",
  ])
  func `every valid form of an index is built`(_ sql: String) throws {
    try file.execute("UPDATE seedbank_index SET sql = ?", .text(sql))
    try build()
    #expect(try file.integer("SELECT count(*) FROM pragma_index_list('stop')") == 1)
    #expect(try file.value("PRAGMA integrity_check") == .text("ok"))
  }
}
