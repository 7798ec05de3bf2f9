import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedDatabase
@testable import SeedPublisher

@Suite struct SnapshotTests {
  private static let schema = """
    CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL, zone TEXT, code TEXT);
    CREATE UNIQUE INDEX stop_code ON stop(code);
    CREATE INDEX stop_by_zone ON stop(zone, name COLLATE NOCASE);
    CREATE INDEX stop_in_a ON stop(name) WHERE zone = 'A';
    CREATE VIEW zones AS SELECT zone, count(*) AS stops FROM stop GROUP BY zone;
    CREATE VIRTUAL TABLE stop_search USING fts5(name, content='stop', content_rowid='id');
    """

  private func deployment(_ indexes: IndexPlace = .snapshot) throws -> TestDeployment {
    let deployment = try TestDeployment(
      [model("2.0", Self.schema)], in: try TemporaryFolder(inMemory: true))
    deployment.job.indexes = indexes
    try deployment.change(
      """
      CREATE TABLE stop(id, name, zone, code);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO stop SELECT i, 'Stop ' || i * 7919 % 1000, char(65 + i % 3), 'c' || i FROM n;
      """)
    return deployment
  }

  private func newest(_ deployment: TestDeployment, as name: String) throws -> Connection {
    let snapshot = try #require(try deployment.metadata(major: 2).newestSnapshot)
    return try Connection(try deployment.expand(snapshot, to: name), .writer)
  }

  private func indexes(_ connection: Connection) throws -> [String] {
    try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1")
      .map(\.[0].text)
  }

  @Test(arguments: [IndexPlace.snapshot, .client])
  func `the same copy gives the same bytes`(_ indexes: IndexPlace) throws {
    let deployment = try deployment(indexes)
    try deployment.change("DELETE FROM stop WHERE id % 5 = 0; UPDATE stop SET zone = 'B' WHERE id % 7 = 0")
    let copy = try WorkingCopy(deployment.copy())
    let measures = try ["one", "two"].map { name in
      let path = deployment.folder(name)
      let maker = SnapshotFile(schema: copy.schema, indexes: indexes)
      try maker.draw(copy, at: path)
      try maker.complete(path)
      return try Compression.compress(path, to: path + ".gz", .gzip, threads: name == "one" ? 1 : 3)
    }
    #expect(measures[0].raw == measures[1].raw && measures[0].stored == measures[1].stored)
  }

  @Test(arguments: [true, false])
  func `a requested snapshot replaces a missing or damaged one of the same version`(_ isMissing: Bool) throws
  {
    let deployment = try deployment()
    let lost = try #require(try deployment.metadata(major: 2).newestSnapshot)
    try lose(lost, isMissing, deployment)
    #expect(try deployment.step().warnings == [])
    let preview = try deployment.publisher.preview(
      deployment.job, StepOptions(forcingSnapshot: true), now: deployment.clock)
    #expect(preview.series.contains { $0.hasSnapshot })
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.warnings == ["\(lost.filePath) was missing or damaged, and is no longer listed"])
    try deployment.verify()
    let made = try #require(try deployment.metadata(major: 2).newestSnapshot)
    #expect(
      made.version == lost.version && made.digest == lost.digest && made.publishedAt == deployment.clock)
    #expect(try deployment.step(forcingSnapshot: true).warnings == [])
  }

  @Test func `a lost older snapshot is no longer listed after a requested one`() throws {
    let deployment = try deployment()
    deployment.job.retainedSnapshots = 3
    let lost = try #require(try deployment.metadata(major: 2).newestSnapshot)
    for name in ["x", "y"] {
      try deployment.change("UPDATE stop SET name = '\(name)' WHERE id = 1", forcingSnapshot: true)
    }
    try lose(lost, true, deployment)
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.warnings.count == 1 && report.series[0].outcome == .unchanged, "\(report)")
    try deployment.verify()
    #expect(try !deployment.metadata(major: 2).objects.contains(lost))
  }

  private func lose(_ object: PublishedObject, _ isMissing: Bool, _ deployment: TestDeployment) throws {
    let file = deployment.publication.file(object)
    guard !isMissing else { return try Folder.remove(file) }
    var bytes = try DurableFile.read(file, limit: object.length)
    bytes[20] ^= 4
    try DurableFile.write(bytes, to: file)
  }

  @Test(arguments: [IndexPlace.snapshot, .client])
  func `search tables and views are included, and match the rows`(_ indexes: IndexPlace) throws {
    let deployment = try deployment(indexes)
    try deployment.change(
      "UPDATE stop SET name = 'Nollendorfplatz' WHERE id = 5; DELETE FROM stop WHERE id = 6",
      forcingSnapshot: true)
    let seed = try newest(deployment, as: "seed.sqlite")
    try seed.allowViews()
    try seed.execute("INSERT INTO stop_search(stop_search, rank) VALUES ('integrity-check', 1)")
    #expect(
      try seed.rows("SELECT rowid FROM stop_search WHERE stop_search MATCH 'nollendorfplatz'") == [
        [.integer(5)]
      ])
    #expect(try seed.integer("SELECT sum(stops) FROM zones") == 1999)
    try SeedCheck(seed, deployment.job.plans[0].schema).run()
  }

  @Test func `indexes left to the client are listed with statistics and unique ones stay`() throws {
    let deployment = try deployment(.client)
    let seed = try newest(deployment, as: "seed.sqlite")
    #expect(try indexes(seed) == ["stop_code"])
    let entries = try OmittedIndexes.entries(of: seed)
    #expect(entries.map(\.name) == ["stop_by_zone", "stop_in_a"])
    #expect(entries.allSatisfy { $0.table == "stop" && $0.statistics != nil })
    #expect(try SchemaReader(seed).schema().hash == deployment.job.plans[0].schema.hash)
    _ = try OmittedIndexes.build(in: seed, signed: SeedTables.meta(seed).schema)
    #expect(try SchemaReader(seed).schema().hash == deployment.job.plans[0].schema.hash)
    #expect(try OmittedIndexes.entries(of: seed).isEmpty)
    let statistics = try seed.rows(
      "SELECT idx, stat FROM sqlite_stat1 WHERE idx IN ('stop_by_zone', 'stop_in_a') ORDER BY 1")
    #expect(statistics.map(\.[1].text) == entries.map(\.statistics))
    try SeedCheck(seed, deployment.job.plans[0].schema).run()
  }

  @Test func `a value that is too long for an index on a device fails the snapshot`() throws {
    let deployment = try deployment(.client)
    try deployment.origin("UPDATE stop SET zone = hex(zeroblob(600000)) WHERE id = 1")
    let copy = try #require(try FileStamp(deployment.copy()))
    let error = #expect(throws: PlanError.self) { try deployment.step(forcingSnapshot: true) }
    #expect(error?.description.contains("the index stop_by_zone is not built") == true)
    #expect(try FileStamp(deployment.copy())?.isOfSameFile(as: copy) == true, "the copy is sound")
    deployment.job.indexes = .snapshot
    _ = try deployment.step(forcingSnapshot: true)
  }

  @Test
  func `a snapshot without indexes gets encodings and deltas, and a lost copy is rebuilt with its indexes`()
    throws
  {
    let deployment = try deployment(.client)
    try WorkingCopy.remove(deployment.copy())
    deployment.job.encodings = [.xz, .gzip]
    _ = try deployment.step()
    let snapshots = try deployment.metadata(major: 2).objects.filter { !$0.isDelta }
    #expect(snapshots.map(\.encoding) == [.gzip, .xz] && Set(snapshots.map(\.rawSHA256)).count == 1)
    try deployment.expectNothingPublished { _ = try deployment.step() }
    try deployment.change("UPDATE stop SET zone = 'C' WHERE id < 40; DELETE FROM stop WHERE id > 1990")
    try WorkingCopy.remove(deployment.copy())
    let report = try deployment.publish("INSERT INTO stop VALUES (3000, 'New', 'A', 'c3000')")
    #expect(report.repair == "it was missing")
    let copy = try Connection(deployment.copy(), .writer)
    #expect(try indexes(copy) == ["stop_by_zone", "stop_code", "stop_in_a"])
    #expect(try OmittedIndexes.entries(of: copy).isEmpty)
  }
}
