import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// Checks that stop a step before anything is signed, and previews without publishing.
@Suite struct PublisherGuardTests {
  private static let values = (10...209).map { "(\($0), 'stop \($0)', 1)" }.joined(separator: ", ")

  /// 203 stops, published as version 2.
  private static func deployment(_ models: [ModelDefinition] = [model("2.0", PublisherFixture.schema)]) throws
    -> TestDeployment
  {
    let deployment = try PublisherFixture.deployment(models)
    try deployment.change("INSERT INTO stop VALUES \(values)")
    return deployment
  }

  /// Every file of the deployment except locks.
  private static func files(_ deployment: TestDeployment) throws -> [String: [UInt8]] {
    var files = try publishedFiles(deployment.publication)
    for name in try Folder.names(in: deployment.folder("state")) {
      files[name] = try DurableFile.read(deployment.folder("state/\(name)"), limit: 1 << 30)
    }
    return files
  }

  // MARK: The shrink guard

  /// Takes a step that accepts any loss.
  private func accept(_ deployment: TestDeployment) throws -> SeriesReport {
    let options = StepOptions(acceptingShrink: true)
    return try deployment.publisher.step(deployment.job, options, now: deployment.clock).series[0]
  }

  @Test func `a loss of most rows or values holds the dataset until the operator accepts it`() throws {
    let deployment = try Self.deployment()
    let good = try DurableFile.read(deployment.originPath, limit: 1 << 30)
    for (sql, loss) in [
      ("DELETE FROM stop", "table \"stop\" would go from 203 to 0 rows"),
      ("DELETE FROM stop WHERE id > 100", "table \"stop\" would go from 203 to 94 rows"),
      ("UPDATE stop SET name = NULL", "column \"name\" of table \"stop\" would go from 203 to 0 values"),
      ("UPDATE stop SET name = ''", "column \"name\" of table \"stop\" would go from 203 to 0 values"),
      (
        "UPDATE stop SET name = CASE WHEN id < 50 THEN name END",
        "column \"name\" of table \"stop\" would go from 203 to 43 values"
      ),
      (
        "UPDATE stop SET id = id + 1000, name = NULL",
        "column \"name\" of table \"stop\" would go from 203 to 0 values"
      ),
    ] {
      try deployment.origin(sql)
      try deployment.expectNothingPublished {
        let message = "\(try #require(throws: PublicationError.self) { try deployment.step() })"
        #expect(message.contains(loss) && message.contains("--accept-shrink"), "\(sql): \(message)")
        #expect(message.contains("rows") == loss.hasSuffix("rows"), "\(sql): \(message)")
      }
      try DurableFile.write(good, to: deployment.originPath)
    }
    for sql in ["UPDATE stop SET name = NULL WHERE id > 20", "DELETE FROM stop WHERE id > 100"] {
      try deployment.origin(sql)
      #expect(try accept(deployment).outcome == .changed)
      try deployment.verify()
      #expect(try deployment.step().series[0].outcome == .unchanged)
    }
  }

  @Test func `an origin that was empty during a reload is published once it is complete`() throws {
    let deployment = try Self.deployment()
    try deployment.origin("CREATE TABLE kept AS SELECT * FROM stop; DELETE FROM stop")
    try deployment.expectNothingPublished { #expect(throws: PublicationError.self) { try deployment.step() } }
    let report = try deployment.publish("INSERT INTO stop SELECT id, name || '!', zone FROM kept")
    #expect(report.outcome == .changed && report.changes["stop"]?.updated == 203)
  }

  @Test func `a loss is published if it is small, or of a small table or a column with few values`() throws {
    let deployment = try Self.deployment()
    let usual = deployment.job.shrinkGuard
    for id in [110, 20, 0] { try deployment.change("UPDATE stop SET name = NULL WHERE id > \(id)") }
    try deployment.change("UPDATE stop SET name = 'n'")
    deployment.job.shrinkGuard.minimumRows = 204
    #expect(try deployment.change("UPDATE stop SET name = NULL").changes["stop"]?.updated == 203)
    deployment.job.shrinkGuard = usual
    #expect(try deployment.change("DELETE FROM stop WHERE id > 110").changes["stop"]?.deleted == 99)
    deployment.job.shrinkGuard.minimumRows = 105
    #expect(try deployment.change("DELETE FROM stop WHERE id > 20").changes["stop"]?.deleted == 90)
    deployment.job.shrinkGuard.minimumRows = 1
    deployment.job.shrinkGuard.percent = 100
    #expect(try deployment.publish("DELETE FROM stop").changes["stop"]?.deleted == 14)
  }

  @Test func `the shrink guard applies to tables and columns of a new minor`() throws {
    let deployment = try Self.deployment()
    try deployment.use([
      model("2.0", PublisherFixture.schema),
      model("2.1", PublisherFixture.schema + "; CREATE INDEX i ON stop(name)"),
    ])
    for sql in ["UPDATE stop SET name = NULL", "DELETE FROM stop"] {
      try deployment.origin(sql)
      try deployment.expectNamedUnchanged { #expect(throws: PublicationError.self) { try deployment.step() } }
    }
    #expect(try accept(deployment).outcome == .changed)
  }

  @Test func `a preview reports a column that would lose its values and the new column`() throws {
    let deployment = try Self.deployment()
    deployment.job.knownOrigin = try deployment.job.readyOrigin().outline()
    try deployment.origin("ALTER TABLE stop ADD COLUMN label; UPDATE stop SET label = name, name = NULL")
    let preview = try deployment.publisher.preview(deployment.job, now: deployment.clock)
    #expect(
      preview.series[0].shrunk == [ShrunkTable(name: "stop", column: "name", before: 203, after: 0)])
    let error = #expect(throws: PublicationError.self) { try deployment.step() }
    #expect(error?.description.contains("The origin has gained the column \"stop\".\"label\".") == true)
  }

  // MARK: Previews

  @Test func `a preview warns about new parts of the origin like the following step`() throws {
    let deployment = try Self.deployment()
    deployment.job.knownOrigin = try deployment.job.readyOrigin().outline()
    try deployment.origin("ALTER TABLE stop ADD COLUMN label")
    let preview = try deployment.publisher.preview(deployment.job, now: deployment.clock)
    #expect(preview.warnings.count == 1 && preview.warnings[0].hasPrefix("the origin has gained the column"))
    #expect(try deployment.step().warnings == preview.warnings)
  }

  @Test func `a preview reports the result of the following step and writes nothing`() throws {
    let deployment = try Self.deployment()
    for number in 3...15 { try deployment.change("UPDATE stop SET name = '\(number)' WHERE id = 1") }
    try deployment.origin(
      "UPDATE stop SET name = 'x' WHERE id < 15; DELETE FROM stop WHERE id = 20; INSERT INTO stop VALUES (999, 'n', 1)"
    )
    let before = try Self.files(deployment)
    let preview = try deployment.publisher.preview(
      deployment.job, StepOptions(forcingSnapshot: true), now: deployment.clock)
    #expect(try Self.files(deployment) == before)
    let series = try #require(preview.series.first)
    let report = try deployment.step(forcingSnapshot: true).series[0]
    #expect(preview.isPreview && series.outcome == .changed && series.version == report.version)
    #expect(series.changes == report.changes && series.deltaBytes == report.deltaBytes)
    #expect(series.merged.isEmpty && report.merged.map(\.description) == ["1 to 16"])
    #expect(series.hasSnapshot && report.hasSnapshot && series.rows == ["stop": 203])
    #expect(series.snapshotBytes == nil)
  }

  @Test func `a preview needs no valid working copy and repairs none`() throws {
    let deployment = try Self.deployment()
    let copy = deployment.copy()
    let old = try DurableFile.read(copy, limit: 1 << 30)
    try deployment.change("UPDATE stop SET name = 'y' WHERE id = 1")
    let whole = try DurableFile.read(copy, limit: 1 << 30)
    try deployment.origin("UPDATE stop SET name = 'z' WHERE id = 1")
    let states: [(String, () throws -> Void)] = [
      ("whole", {}), ("missing", { try Folder.remove(copy) }),
      ("edited", { try Connection(copy, .writer).execute("DELETE FROM stop WHERE id = 2") }),
      ("behind", { try DurableFile.write(old, to: copy) }),
    ]
    for (state, inflict) in states {
      try DurableFile.write(whole, to: copy)
      try inflict()
      let before = try Self.files(deployment)
      let preview = try deployment.publisher.preview(deployment.job, now: deployment.clock)
      #expect(try Self.files(deployment) == before, "\(state)")
      let series = preview.series[0]
      #expect(series.changes["stop"]?.updated == 1 && series.version?.number == 4, "\(state)")
    }
  }

  @Test func `a preview of a first build counts its rows and finds invalid ones`() throws {
    let schema = "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT CHECK (name <> 'bad'))"
    let deployment = try TestDeployment([model("1.0", schema)], in: try TemporaryFolder(inMemory: true))
    try deployment.origin("CREATE TABLE stop(id, name); INSERT INTO stop VALUES (1, 'a'), (2, 'b')")
    try deployment.expectNothingPublished {
      let preview = try deployment.publisher.preview(deployment.job, now: deployment.clock)
      #expect(preview.series[0].outcome == .created && preview.series[0].rows == ["stop": 2])
      try deployment.origin("UPDATE stop SET name = 'bad'")
      #expect(throws: OriginError.self) {
        try deployment.publisher.preview(deployment.job, now: deployment.clock)
      }
    }
    #expect(try Folder.names(in: deployment.folder("state")).isEmpty)
  }

  // MARK: Rows against the schema

  @Test(arguments: [true, false])
  func `rows that violate the schema are reported with constraint and count`(_ isFirst: Bool)
    throws
  {
    let schema = """
      CREATE TABLE line(id INTEGER PRIMARY KEY, colour TEXT NOT NULL);
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT CHECK (name <> 'bad'), line INTEGER REFERENCES line);
      """
    let deployment = try TestDeployment([model("2.0", schema)], in: try TemporaryFolder(inMemory: true))
    try deployment.origin(
      "CREATE TABLE line(id, colour); CREATE TABLE stop(id, name, line); INSERT INTO line VALUES (1, 'red')")
    if !isFirst { _ = try deployment.step() }
    try deployment.origin(
      """
      INSERT INTO line VALUES (2, NULL);
      INSERT INTO stop VALUES (1, 'bad', 1), (2, 'good', 1), (3, 'bad', 1), (4, 'bad', 1), (5, 'bad', 1), (6, 'x', 7);
      """)
    try deployment.expectNamedUnchanged {
      let words = "\(#expect(throws: OriginError.self) { try deployment.step() }.map { "\($0)" } ?? "")"
      for expected in [
        "table \"line\": NOT NULL constraint failed: line.colour, 1 row (id = 2)",
        "name <> 'bad', 4 rows (id = 1; id = 3; id = 4; …)",
        "table \"stop\": references a row that table \"line\" does not have, 1 row (id = 6)",
      ] { #expect(words.contains(expected), "\(words)") }
    }
    try deployment.origin("DELETE FROM line WHERE id = 2; DELETE FROM stop WHERE name = 'bad' OR line = 7")
    let report = try deployment.step().series[0]
    #expect(report.outcome == (isFirst ? .created : .changed))
    try deployment.verify()
  }

  // MARK: The model folder

  @Test(arguments: [
    ("SELECT id,\n  name,,\n  1 FROM stop", ":2: "),
    (
      "SELECT id, name FROM stop;\nDELETE FROM stop",
      ":2: another statement follows; a projection is one SELECT"
    ),
    ("SELECT id, $name AS name FROM stop", ": a parameter, such as ? or $name, has no value"),
  ])
  func `an error in a projection is reported with its place`(_ sql: String, _ words: String) throws {
    let deployment = try TestDeployment(
      [model("1.0", PublisherFixture.schema, projections: ["stop": sql])],
      in: try TemporaryFolder(inMemory: true))
    try deployment.origin("CREATE TABLE stop(id, name)")
    let error = try #require(throws: OriginError.self) { try deployment.step() }
    #expect(error.isConfiguration)
    #expect(error.description.hasPrefix("models/1.0/stop.sql\(words)"), "\(error)")
  }

  @Test(arguments: [
    ("CREATE TABLE b(\n  id INTEGER PRIMARY KEY,,\n  x)", "4: "),
    ("INSERT INTO a VALUES (1)", "3: INSERT defines nothing"),
    ("WITH b AS (SELECT 1) INSERT INTO a SELECT * FROM b", "3: WITH defines nothing"),
    ("ATTACH 'attached.db' AS other", "3: ATTACH defines nothing"),
    ("VACUUM INTO 'copy.db'", "3: VACUUM defines nothing"),
    ("BEGIN; COMMIT", "3: BEGIN defines nothing"), ("SAVEPOINT a", "3: SAVEPOINT defines nothing"),
    ("PRAGMA encoding = 'UTF-16'", "3: PRAGMA defines nothing"), ("ANALYZE", "3: ANALYZE defines nothing"),
  ])
  func `an error or another statement in a schema is reported with its line and not run`(
    _ sql: String, _ words: String
  ) throws {
    let schema = "CREATE TABLE a(id INTEGER PRIMARY KEY); -- and\n\n\(sql);"
    let error = try #require(throws: PlanError.self) { try SeriesPlan.plans("test", [model("1.0", schema)]) }
    #expect(error.description.hasPrefix("models/1.0/schema.sql:\(words)"), "\(error)")
    #expect(!Folder.exists("attached.db") && !Folder.exists("copy.db"))
  }

  @Test(arguments: [
    ("trim(name)", "it calls trim()"),
    ("max(\([String](repeating: "id", count: 17).joined(separator: ", ")))", "too many"),
    ("name\(String(repeating: " || name", count: 100))", "depth 100"),
  ])
  func `an index that clients would not build is not left to them`(_ expression: String, _ reason: String)
    throws
  {
    let models = [
      model("1.0", "CREATE TABLE a(id INTEGER PRIMARY KEY, name); CREATE INDEX i ON a(\(expression))")
    ]
    let error = #expect(throws: PlanError.self) { try SeriesPlan.plans("test", models, indexes: .client) }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("models/1.0/schema.sql: clients do not build the index \"i\": "))
    #expect(text.contains(reason) && text.hasSuffix("set \"indexes\" to \"snapshot\""), "\(text)")
    _ = try SeriesPlan.plans("test", models, indexes: .snapshot)
  }

  @Test func `an index that clients build is left to them`() throws {
    let schema = """
      CREATE TABLE a(id INTEGER PRIMARY KEY, name); CREATE INDEX i ON a(lower(name)) WHERE id > 1;
      CREATE UNIQUE INDEX u ON a(trim(name)); CREATE VIRTUAL TABLE f USING fts5(name, content='a', content_rowid='id');
      """
    _ = try SeriesPlan.plans("test", [model("1.0", schema)], indexes: .client)
  }

  @Test func `a model's warnings are reported at the first build`() throws {
    let schema = """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID;
      CREATE VIEW v AS SELECT nme FROM stop;
      """
    let deployment = try TestDeployment([model("2.0", schema)], in: try TemporaryFolder(inMemory: true))
    try deployment.origin("CREATE TABLE stop(id, name); INSERT INTO stop VALUES (1, 'a')")
    let view = "models/2.0/schema.sql: view \"v\": no such column: nme: no app can read it"
    #expect(deployment.job.plans[0].warnings == [view])
    let warnings = try deployment.step().warnings
    #expect(deployment.job.plans[0].remarks.contains { $0.contains("WITHOUT ROWID: \"stop\"") })
    #expect(warnings.contains { $0.contains(view) })
    try deployment.origin("UPDATE stop SET name = 'b'")
    #expect(try deployment.step().warnings.isEmpty)
  }

  // MARK: The origin

  @Test func `a step waits for a locked origin up to the configured time`() throws {
    let deployment = try Self.deployment()
    deployment.job.originWaitSeconds = 0
    let other = try Connection(deployment.originPath, .writer)
    try other.execute("BEGIN EXCLUSIVE; DELETE FROM stop WHERE id = 1")
    try deployment.expectNothingPublished {
      let error = #expect(throws: OriginError.self) { try deployment.step() }
      #expect(error?.isUnavailable == true && error?.description.contains("locked") == true)
    }
    try other.execute("COMMIT")
    #expect(try deployment.verifiedStep().changes["stop"]?.deleted == 1)
  }

  @Test func `an origin without writes is not read unless the copy or the model changed`() throws {
    let deployment = try Self.deployment()
    deployment.job.originWaitSeconds = 0
    func age() throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: deployment.originPath)
    }
    try age()
    #expect(try deployment.verifiedStep().outcome == .unchanged)
    let other = try Connection(deployment.originPath, .writer)
    try other.execute("BEGIN EXCLUSIVE")
    #expect(try deployment.verifiedStep().outcome == .unchanged, "it was read")
    other.rollBack()
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    try age()
    #expect(
      try deployment.verifiedStep().outcome == .changed, "its file's time does not tell, its change does")
    #expect(try deployment.verifiedStep().outcome == .unchanged)
    try other.execute("BEGIN EXCLUSIVE")
    try Connection(deployment.copy(), .writer).execute("DELETE FROM stop WHERE id = 2")
    #expect(throws: OriginError.self, "the copy is another one") { try deployment.step() }
    other.rollBack()
    #expect(try deployment.verifiedStep().repair != nil)
    try deployment.use([
      model("2.0", PublisherFixture.schema, projections: ["stop": "SELECT id, name || '!' AS name FROM stop"])
    ])
    #expect(try deployment.verifiedStep().changes["stop"]?.updated == 203, "the model is another one")
  }

  @Test(arguments: [
    "SELECT id, name FROM stop WHERE zone < unixepoch('now')",
    "SELECT id, name FROM stop WHERE CURRENT_DATE > ''",
    "SELECT id, name FROM recent",
  ])
  func `an origin with time-dependent rows is read without writes`(_ sql: String) throws {
    let deployment = try PublisherFixture.deployment()
    try deployment.origin("CREATE VIEW recent AS SELECT * FROM stop WHERE date('now') > '2000-01-01'")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: deployment.originPath)
    try deployment.use([model("2.0", PublisherFixture.schema, projections: ["stop": sql])])
    deployment.job.originWaitSeconds = 0
    #expect(try deployment.verifiedStep().outcome == .unchanged)
    let other = try Connection(deployment.originPath, .writer)
    try other.execute("BEGIN EXCLUSIVE")
    #expect(throws: OriginError.self) { try deployment.step() }
  }

  // MARK: Clocks and other keys

  @Test func `a clock set back by a year expires nothing and blocks nothing`() throws {
    let deployment = try Self.deployment()
    let (good, expiry) = (deployment.clock, try deployment.publication.published().timestamp.expires)
    deployment.job.graceSeconds = 60
    deployment.clock = good.adding(days: -365)
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    let report = try deployment.step()
    #expect(report.warnings.contains { $0.contains("check this clock") })
    #expect(report.series[0].hasSnapshot, "the next one cannot wait for a year")
    try deployment.verify()
    let published = try deployment.publication.published()
    #expect(published.timestamp.expires >= expiry && published.snapshot.expires >= expiry)
    #expect(published.series.values.allSatisfy { $0.expires >= expiry })
    #expect(try deployment.metadata(major: 2).state.publishedAt >= good.adding(seconds: -1))
    #expect(try deployment.publish("UPDATE stop SET name = 'y' WHERE id = 1").hasSnapshot == false)
    deployment.clock = good.adding(seconds: 120)
    #expect(try deployment.publish("UPDATE stop SET name = 'z' WHERE id = 1").outcome == .changed)
    deployment.clock = good.adding(seconds: 7200)
    #expect(try deployment.step().warnings.isEmpty)
    #expect(try deployment.publication.published().timestamp.expires > expiry)
    try deployment.verify()
  }

  @Test func `a publication signed by other keys stays untouched`() throws {
    let (one, two) = (try Self.deployment(), try Self.deployment())
    let publisher = Publisher(
      two.publication, stateFolder: one.folder("state"), keys: KeySource(one.keys))
    let copy = try DurableFile.read(one.copy(), limit: 1 << 30)
    try one.origin("DELETE FROM stop WHERE id = 1")
    try two.expectNothingPublished {
      #expect(throws: PublicationError.foreignKey(role: .series, path: two.publication.path)) {
        try publisher.step(one.job, now: one.clock)
      }
    }
    #expect(try DurableFile.read(one.copy(), limit: 1 << 30) == copy)
    #expect(try one.verifiedStep().changes["stop"]?.deleted == 1)
  }
}
