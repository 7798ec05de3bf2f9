import SeedFormat
import Support
import Testing

@testable import SeedDatabase

/// SQLite computes nothing endless or huge of the schema of a file from elsewhere.
@Suite struct ReceivedFileTests {
  private static let huge = "hex(zeroblob(400000000))"
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try Connection(folder("seed.sqlite"), .creator).execute(
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT);
      CREATE VIRTUAL TABLE search USING fts5(name, content=stop, content_rowid=id);
      CREATE INDEX names ON stop(name);
      INSERT INTO stop VALUES (1, 'Old'), (2, 'New');
      ANALYZE
      """)
  }

  /// Replaces the SQL of a table without running it, and writes its name in this case.
  private func forge(_ name: String, _ sql: String) throws {
    let file = try Connection(folder("seed.sqlite"), .creator)
    try file.set(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
    try file.execute("PRAGMA writable_schema = ON")
    try file.execute(
      "UPDATE sqlite_schema SET sql = ?1, name = ?2, tbl_name = ?2 WHERE lower(name) = lower(?2)", .text(sql),
      .text(name))
  }

  private var opened: Connection { get throws { try Connection(folder("seed.sqlite"), .snapshot) } }

  private func check() throws {
    let file = try opened
    try SeedCheck(file, SchemaReader(file).schema()).checkStructure()
  }

  @Test(arguments: [
    ("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl, idx, x, stat AS (\(huge)))"),
    ("SQLITE_STAT1", "CREATE TABLE SQLITE_STAT1(tbl, idx, x, stat AS (\(huge)))"),
    ("search_data", "CREATE TABLE search_data(id INTEGER PRIMARY KEY, x, block AS (\(huge)))"),
    ("search_config", "CREATE TABLE search_config(k PRIMARY KEY, w, v AS (\(huge))) WITHOUT ROWID"),
  ])
  func `a computed column in a table that SQLite reads unasked is rejected`(_ name: String, _ sql: String)
    throws
  {
    try check()
    try forge(name, sql)
    let error = #expect(throws: NotASeed.self) { try check() }
    #expect(error?.reason.contains(name) == true)
  }

  @Test func `a computed column of huge values is rejected`() throws {
    try forge(
      "stop", "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, more TEXT AS (\(Self.huge)) NOT NULL)")
    let error = #expect(throws: NotASeed.self) { try check() }
    #expect(error?.reason.contains("more time or space") == true)
  }

  @Test func `a CHECK is not computed`() throws {
    try forge("stop", "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT CHECK (\(Self.huge) = 'x'))")
    try check()
  }

  @Test func `a computed column of long texts is accepted`() throws {
    try Connection(folder("seed.sqlite"), .creator).execute(
      """
      ALTER TABLE stop ADD COLUMN size AS (length(name));
      CREATE INDEX sizes ON stop(size);
      UPDATE stop SET name = printf('%.*c', 5000000, 'x')
      """)
    try check()
  }

  @Test func `an expression that is nested too deep is rejected in a model and in a file`() throws {
    let deep = "CREATE TABLE t(id INTEGER PRIMARY KEY, a AS (id\(String(repeating: " + 1", count: 600))))"
    #expect(throws: DatabaseError.self) { try SchemaReader.schema(of: deep) }
    try Connection(folder("deep.sqlite"), .creator).execute(deep)
    #expect(throws: DatabaseError.self) { try Connection(folder("deep.sqlite"), .snapshot) }
  }

  @Test func `a file from elsewhere is read after its task was cancelled, but not for long`() async throws {
    let task = Task { [path = folder("seed.sqlite")] in
      withUnsafeCurrentTask { $0?.cancel() }
      let file = try Connection(path, .received)
      #expect(try SchemaReader(file).schema().tables.count == 1)
      try file.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
    }
    let error = await #expect(throws: DatabaseError.self) { try await task.value }
    #expect(error?.primaryCode == ResultCode.interrupted)
  }
}
