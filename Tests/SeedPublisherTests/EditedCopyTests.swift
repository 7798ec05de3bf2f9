import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedTrust
import Support
import Testing

/// Edits by hand to a working copy, except to its rows, are not published and are repaired.
@Suite struct EditedCopyTests {
  private static let schema = """
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE INDEX stop_by_name ON stop(name);
    CREATE VIEW names AS SELECT name FROM stop;
    CREATE VIRTUAL TABLE stop_search USING fts5(name, content='stop', content_rowid='id');
    """

  private func deployment(_ indexes: IndexPlace) throws -> TestDeployment {
    let deployment = try PublisherFixture.deployment([model("2.0", Self.schema)])
    deployment.job.indexes = indexes
    return deployment
  }

  private func edit(_ deployment: TestDeployment, _ sql: String) throws {
    try Connection(deployment.copy(), .writer).execute(sql)
  }

  /// Checks that a client's snapshot has the signed schema and that its search index matches its rows.
  private func expectSound(_ deployment: TestDeployment) throws {
    let snapshot = try #require(try deployment.metadata(major: 2).newestSnapshot)
    let seed = try Connection(try deployment.expand(snapshot, to: "seed.sqlite"), .writer)
    _ = try OmittedIndexes.build(in: seed, signed: SeedTables.meta(seed).schema)
    let schema = try SchemaReader(seed).schema()
    #expect(schema.hash == snapshot.schema)
    try SeedCheck(seed, schema).run()
    try SeedCheck(seed, schema).checkSearchTables()
    #expect(try seed.integer("SELECT count(*) FROM stop_search WHERE stop_search MATCH 'ghost'") == 0)
  }

  /// Edits. Only those of indexes depend on the indexes' place.
  private static let edits: [(IndexPlace, String)] = [
    (.snapshot, "DROP INDEX stop_by_name"), (.client, "DROP INDEX stop_by_name"),
    (.snapshot, "CREATE INDEX more ON stop(name, id)"), (.client, "CREATE INDEX more ON stop(name, id)"),
    (.snapshot, "CREATE TABLE evil(a); INSERT INTO evil VALUES ('secret')"),
    (.snapshot, "DROP VIEW names"), (.snapshot, "CREATE VIEW more AS SELECT 1"),
    (.snapshot, "CREATE TRIGGER more AFTER INSERT ON stop BEGIN SELECT 1; END"),
    (.snapshot, "ALTER TABLE stop ADD COLUMN more"),
  ]

  @Test(arguments: edits)
  func `a copy with a changed schema is rebuilt and not published`(_ indexes: IndexPlace, _ sql: String)
    throws
  {
    let deployment = try deployment(indexes)
    try edit(deployment, sql)
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    let report = try deployment.verifiedStep(forcingSnapshot: true)
    #expect(report.outcome == .changed && report.repair?.contains("changed by hand") == true, "\(report)")
    try expectSound(deployment)
    #expect(try deployment.change("UPDATE stop SET name = 'y' WHERE id = 1").repair == nil)
  }

  @Test func `an emptied search table is rebuilt at the next change`() throws {
    let deployment = try deployment(.snapshot)
    try edit(deployment, "INSERT INTO stop_search(stop_search) VALUES ('delete-all')")
    let report = try deployment.publish("UPDATE stop SET name = 'x'; DELETE FROM stop WHERE id = 2")
    #expect(
      report.outcome == .changed && report.repair?.contains("it was damaged: SQLite reports") == true,
      "\(report)")
    _ = try deployment.step(forcingSnapshot: true)
    try expectSound(deployment)
  }

  @Test(arguments: ["VALUES (5, 'ghost')", "SELECT 77, 'ghost'"])
  func `a search table with wrong entries does not prevent a snapshot`(_ entries: String) throws {
    let deployment = try deployment(.snapshot)
    try deployment.change("UPDATE stop SET name = 'x' WHERE id = 1")
    try edit(deployment, "INSERT INTO stop_search(rowid, name) \(entries)")
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.warnings.contains { $0.contains("the working copy was rebuilt") }, "\(report.warnings)")
    try expectSound(deployment)
    try deployment.change("UPDATE stop SET name = 'y' WHERE id = 1")
    #expect(try deployment.step(forcingSnapshot: true).warnings.isEmpty)
  }
}
