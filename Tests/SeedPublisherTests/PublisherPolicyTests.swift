import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct PublisherPolicyTests {
  private func models(_ schemas: [(ModelVersion, String)]) -> [ModelDefinition] {
    schemas.map { model($0.0, $0.1) }
  }

  private func plan(_ deployment: TestDeployment, _ schemas: (ModelVersion, String)...) throws {
    try deployment.use(models(schemas))
  }

  private func job(_ deployment: TestDeployment, _ models: [ModelDefinition]) throws -> DatasetJob {
    DatasetJob(
      name: deployment.job.name, origin: deployment.job.origin,
      plans: try SeriesPlan.plans(deployment.job.name, models))
  }

  // MARK: Models

  @Test func `a minor that cannot begin with a delta raises the floor to its snapshot`() throws {
    let newer = "CREATE TABLE stop(id INTEGER PRIMARY KEY, zone INTEGER, name TEXT)"
    let deployment = try PublisherFixture.deployment()
    try deployment.origin("CREATE TABLE line(id); INSERT INTO line VALUES (1)")
    try deployment.change("UPDATE stop SET name = 'x' WHERE id = 1")
    let old = try deployment.metadata(major: 2)
    try plan(deployment, ("2.0", PublisherFixture.schema), ("2.1", newer))
    let report = try deployment.verifiedStep()
    let metadata = try deployment.metadata(major: 2)
    #expect(report.outcome == .created && report.version?.number == 3)
    #expect(metadata.state.epoch == old.state.epoch && metadata.state.head.number == 3)
    #expect(metadata.state.floor == metadata.state.head && metadata.state.model == "2.1")
    #expect(Set(metadata.state.models.keys) == ["2.0", "2.1"])
    #expect(!metadata.objects.contains { $0.isDelta })
    #expect(metadata.newestSnapshot?.version.number == 3 && metadata.newestSnapshot?.model == "2.1")
    #expect(
      metadata.objects.contains { $0.model == "2.0" }, "clients that have not refreshed may be fetching it")
    #expect(try deployment.publish("UPDATE stop SET name = 'y' WHERE id = 2").outcome == .changed)
    #expect(try deployment.names() == ["x", "y", "c"])
  }

  @Test
  func `a publisher that dies before it commits the copy of a new minor catches up from the publication`()
    throws
  {
    let deployment = try PublisherFixture.deployment()
    let before = try DurableFile.read(deployment.copy(), limit: 1 << 30)
    try plan(
      deployment, ("2.0", PublisherFixture.schema),
      ("2.1", PublisherFixture.schema + "; CREATE INDEX i ON stop(name)"))
    try deployment.verifiedStep()
    try DurableFile.write(before, to: deployment.copy())
    let report = try deployment.publish("UPDATE stop SET name = 'x' WHERE id = 1")
    #expect(report.outcome == .changed && report.version?.number == 3 && report.repair == nil)
    #expect(try deployment.names() == ["x", "b", "c"])
  }

  @Test func `a reformatted schema is the same minor, and a changed or missing one is rejected`() throws {
    let deployment = try PublisherFixture.deployment()
    try plan(
      deployment, ("2.0", "-- stops\ncreate table stop (id integer primary key, name text /* shown */)"))
    #expect(try deployment.verifiedStep().outcome == .unchanged)
    let wider = "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone)"
    try plan(deployment, ("2.0", wider))
    try deployment.expectNothingPublished {
      let error = #expect(throws: PlanError.self) { try deployment.step() }
      #expect(error?.description.contains("the schema of model 2.0 differs") == true)
    }
    try plan(deployment, ("2.1", wider))
    try deployment.expectNothingPublished {
      let error = #expect(throws: PlanError.self) { try deployment.step() }
      #expect(
        error?.description.contains("model 2.0 is published in test/2, but its folder is missing") == true)
    }
  }

  private static let wide = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b, g AS (a))"
  private static let narrow = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)"

  @Test(arguments: [
    (wide, "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, g AS (a))", "column \"t.b\" is gone"),
    (wide, "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b, g AS (a))", "\"t.a\" has a different type"),
    (
      wide, "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b, g AS (a))",
      "column \"t.a\" has a different type"
    ),
    (
      wide, "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b, g AS (a))",
      "\"t.a\" has a different type"
    ),
    (wide, "CREATE TABLE t(id INTEGER, a TEXT PRIMARY KEY, b, g AS (a))", "a different key"),
    (
      wide, "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b, g AS (a), n NOT NULL)",
      "\"t.n\" is NOT NULL without a default"
    ),
    (wide, "CREATE TABLE u(id INTEGER PRIMARY KEY)", "table \"t\" is gone"),
    (wide, "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b)", "generated column \"t.g\" is gone"),
    ("\(narrow); CREATE VIEW v AS SELECT 1 AS one", narrow, "is gone"),
    ("\(narrow); CREATE INDEX i ON t(a)", narrow, "is gone"),
    ("\(narrow); CREATE VIRTUAL TABLE f USING fts5(a, content='t')", narrow, "is gone"),
    (
      "\(narrow); CREATE VIEW v AS SELECT id, a FROM t", "\(narrow); CREATE VIEW v AS SELECT id FROM t",
      "column \"v.a\" is gone"
    ),
    (
      "\(narrow); CREATE VIRTUAL TABLE f USING fts5(a, id, content='t')",
      "\(narrow); CREATE VIRTUAL TABLE f USING fts5(id, content='t')", "column \"f.a\" is gone"
    ),
  ])
  func `a minor that removes something is rejected with its name`(
    _ older: String, _ newer: String, _ words: String
  ) throws {
    let error = #expect(throws: PlanError.self) {
      try SeriesPlan.plans("test", models([("1.0", older), ("1.1", newer)]))
    }
    #expect(error?.description.contains(words) == true && error?.description.contains("1.1") == true)
  }

  @Test func `a major added later is delegated and published beside the first`() throws {
    let deployment = try PublisherFixture.deployment()
    try deployment.use(
      models([
        ("2.0", PublisherFixture.schema),
        ("3.0", "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone)"),
      ]))
    let report = try deployment.step()
    try deployment.verify()
    #expect(report.series.map(\.outcome) == [.unchanged, .created])
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1; UPDATE stop SET zone = 5 WHERE id = 2")
    #expect(try deployment.step().series.map { $0.changes["stop"]?.updated } == [1, 2])
    try deployment.verify()
    let third = try deployment.metadata(major: 3)
    #expect(third.state.head.number == 2)
    #expect(try deployment.names() == ["x", "b", "c"] && deployment.names(major: 3) == ["x", "b", "c"])
  }

  @Test func `without the targets key a new major waits, and only a dataset with nothing else is rejected`()
    throws
  {
    let deployment = try PublisherFixture.deployment()
    var keys = deployment.keys
    keys[.targets] = []
    let publisher = Publisher(
      deployment.publication, stateFolder: deployment.folder("state"), keys: KeySource(keys))
    let undelegated = PublicationError.notDelegated(series: "test/3")
    let alone = try job(deployment, models([("3.0", PublisherFixture.schema)]))
    try deployment.expectNothingPublished {
      #expect(throws: undelegated) { try publisher.step(alone, now: deployment.clock) }
    }
    let job = try job(
      deployment, models([("2.0", PublisherFixture.schema), ("3.0", PublisherFixture.schema)]))
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    let waiting = undelegated.description
    let preview = try publisher.preview(job, now: deployment.clock)
    #expect(preview.warnings == [waiting] && preview.series.map(\.series.major) == [2])
    let step = try publisher.step(job, now: deployment.clock)
    #expect(step.warnings == [waiting] && step.series.map { $0.version?.number } == [2])
    // The origin is unchanged; with the key, the new series is created.
    deployment.job = job
    #expect(try deployment.step().series.map(\.outcome) == [.unchanged, .created])
    #expect(try deployment.names(major: 3).first == "x")
    try deployment.verify()
  }

  @Test func `an error in one series holds the whole dataset so that its majors stay in step`() throws {
    let deployment = try PublisherFixture.deployment(
      models([
        ("2.0", PublisherFixture.schema),
        ("3.0", "CREATE TABLE stop(id INTEGER PRIMARY KEY, name CHECK (name <> 'bad'))"),
      ]))
    try deployment.origin("UPDATE stop SET name = 'bad' WHERE id = 1")
    #expect(throws: OriginError.self) { try deployment.step() }
    #expect(try deployment.metadata(major: 2).state.head.number == 1)
    try deployment.origin("UPDATE stop SET name = 'good' WHERE id = 1")
    #expect(try deployment.step().series.map { $0.version?.number } == [2, 2])
    try deployment.verify()
  }

  // MARK: Settings beside the data

  @Test func `a snapshot contains the provenance of its time, and settings alone make no new version`() throws
  {
    let deployment = try PublisherFixture.deployment()
    for provenance in [
      Provenance(license: "ODbL", attribution: "A"), Provenance(license: nil, attribution: "B"),
    ] {
      deployment.job.provenance = provenance
      try deployment.publish("UPDATE stop SET name = name || '!'")
      // The step rebuilds the copy from the last snapshot.
      try WorkingSeed.remove(deployment.copy())
      try deployment.verifiedStep(forcingSnapshot: true)
      let snapshot = try #require(try deployment.metadata(major: 2).newestSnapshot)
      let path = try deployment.expand(snapshot, to: "snapshot.sqlite")
      #expect(try SeedTables.meta(try Connection(path, .snapshot)).provenance == provenance)
      try WorkingSeed.remove(path)
    }
    let before = try deployment.metadata(major: 2)
    deployment.job.provenance = Provenance(
      license: "ODbL", attribution: "Somebody", source: "https://example.org")
    deployment.job.pollSeconds = 17
    deployment.job.lifecycles = [2: .deprecated(sunset: "2027-01-01", message: "take 3")]
    let report = try deployment.verifiedStep()
    #expect(report.outcome == .unchanged && report.hasNews && report.newLifecycle?.word == "deprecated")
    let after = try deployment.metadata(major: 2)
    #expect(after.state.head == before.state.head && after.objects == before.objects)
    #expect(after.state.publishedAt == before.state.publishedAt)
    #expect(
      after.state.license == "ODbL" && after.state.attribution == "Somebody" && after.state.pollSeconds == 17)
    #expect(after.state.lifecycle == .deprecated(sunset: "2027-01-01", message: "take 3"))
    try deployment.expectNothingPublished { _ = try deployment.step() }
  }

  @Test func `a retired series gets no new version even if its origin is missing`() throws {
    let deployment = try PublisherFixture.deployment()
    deployment.job.lifecycles = [2: .retired(message: "over")]
    let report = try deployment.publish("DELETE FROM stop")
    #expect(report.outcome == .retired && report.version?.number == 1 && report.hasNews)
    #expect(try deployment.metadata(major: 2).state.lifecycle == .retired(message: "over"))
    try Folder.remove(deployment.originPath)
    deployment.clock = deployment.clock.adding(days: 3)
    let before = try deployment.publication.published().timestamp.version
    let later = try deployment.verifiedStep(forcingSnapshot: true)
    #expect(later.outcome == .retired && !later.hasNews)
    #expect(
      try deployment.publication.published().timestamp.version > before, "its signatures must not expire")
  }

  // MARK: The clock

  @Test(arguments: [60, 200, 3_000, 100_000])
  func `short-lived signatures are renewed before they expire`(_ lifetime: Int) throws {
    let deployment = try PublisherFixture.deployment()
    deployment.job.lifetimeSeconds = lifetime
    try deployment.change("UPDATE stop SET name = 'x' WHERE id = 1")
    for _ in 0..<5 {
      deployment.clock = deployment.clock.adding(seconds: lifetime / 3)
      _ = try deployment.step()
      let left = try deployment.publication.published().timestamp.expires.secondsSinceEpoch
      #expect(left - deployment.clock.secondsSinceEpoch > lifetime / 3)
    }
  }

  @Test func `signatures are renewed after an hour and not before, even while the origin is missing`() throws
  {
    let deployment = try PublisherFixture.deployment()
    deployment.clock = deployment.clock.adding(seconds: Publisher.renewalSeconds - 10)
    try deployment.expectNothingPublished {
      let report = try deployment.step()
      #expect(report.isUnchanged)
    }
    deployment.clock = deployment.clock.adding(seconds: 20)
    #expect(try deployment.verifiedStep().outcome == .unchanged)
    let published = try deployment.publication.published()
    let expiry = deployment.clock.adding(seconds: deployment.job.lifetimeSeconds)
    #expect(published.timestamp.expires == expiry && published.snapshot.expires == expiry)
    #expect(published.series.values.allSatisfy { $0.expires == expiry })
    try deployment.expectNothingPublished { _ = try deployment.step() }
    try Folder.remove(deployment.originPath)
    deployment.clock = deployment.clock.adding(seconds: Publisher.renewalSeconds + 10)
    #expect(throws: OriginError.self) { try deployment.step() }
    let later = deployment.clock.adding(seconds: deployment.job.lifetimeSeconds)
    #expect(try deployment.publication.published().timestamp.expires == later)
  }

  @Test func `a snapshot is due by age but only after a change`() throws {
    let deployment = try PublisherFixture.deployment()
    deployment.clock = deployment.clock.adding(seconds: PublishingPolicy().snapshotSeconds + 60)
    #expect(try deployment.verifiedStep().snapshotBytes == nil)
    #expect(try deployment.change("UPDATE stop SET name = 'x'").snapshotBytes != nil)
    #expect(try deployment.change("UPDATE stop SET name = 'y'").snapshotBytes == nil)
    deployment.clock = deployment.clock.adding(seconds: PublishingPolicy().snapshotSeconds + 60)
    let report = try deployment.verifiedStep()
    #expect(report.outcome == .unchanged && report.snapshotBytes != nil)
  }

  @Test func `a large merged delta is also listed in xz, and both have the same content`() throws {
    let deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)")], in: try TemporaryFolder(inMemory: true)
    )
    deployment.job.encodings = [.gzip, .xz]
    deployment.job.snapshotSeconds = .max
    try deployment.change(
      """
      CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT);
      WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 4500) INSERT INTO t SELECT k, '' FROM n
      """)
    for part in 0..<15 {
      try deployment.change("UPDATE t SET v = hex(randomblob(20)) WHERE k % 15 = \(part)")
    }
    let merged = try deployment.metadata().objects.filter { $0.span?.length == 15 }
    #expect(merged.map(\.encoding.rawValue).sorted() == ["gzip", "xz"])
    var contents: Set<SHA256Digest> = []
    for object in merged {
      let path = deployment.publication.file(object)
      #expect(try SHA256Digest.ofFile(at: path).digest == object.sha256)
      contents.insert(
        try Compression.expand(path, to: deployment.folder("raw"), object.encoding, limit: object.rawLength)
          .sha256)
    }
    #expect(contents.count == 1)
    try deployment.verify()
  }
}
