import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication
@testable import SeedPublisher

/// A primary and its standby behind one address. No step may publish an older state than the one before.
@Suite struct PostgresBehindTests {
  private var scene: PostgresScene
  private let standbyServer: PostgresCluster
  private let servers: Replication

  init() throws { try self.init(PostgresCluster.primary.get(), PostgresCluster.standby.get()) }

  private init(_ primary: PostgresCluster, _ standby: PostgresCluster) throws {
    scene = try PostgresScene(PostgresScene.twentyRows, PostgresScene.schema, cluster: primary)
    standbyServer = standby
    servers = Replication(primary: scene.database, standby: scene.database.on(standbyServer))
    try servers.follow()
    scene.deployment.job.shrinkGuard.percent = 100
  }

  /// Selects the server that answers from now on.
  private mutating func read(_ database: PostgresDatabase) {
    scene.place = database.place()
  }

  private func expectWaiting(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let head = try scene.deployment.metadata().state.head
    let report = try scene.fullStep()
    let words = report.warnings.joined(separator: "\n")
    #expect(
      report.series[0].outcome == .unchanged && report.originStamp == nil, "\(report)",
      sourceLocation: sourceLocation)
    // The message has no changing number, so it is logged only once.
    #expect(
      words.contains(
        "the standby \(standbyServer.folder) lacks published rows: nothing is"),
      "\(words)", sourceLocation: sourceLocation)
    #expect(try scene.deployment.metadata().state.head == head, sourceLocation: sourceLocation)
  }

  private var reading: OriginReading {
    OriginReading.newest(of: "test", in: scene.deployment.folder("state"))
  }

  /// A dataset that is configured for a log that does not exist also compares all rows.
  @Test(arguments: [ChangeFinding.comparison, .log])
  mutating func
    `a standby that is behind does not roll back a first version, and is read after it caught up`(
      _ changes: ChangeFinding
    ) throws
  {
    scene.deployment.job.policy.changes = changes
    try servers.standby.run("SELECT pg_wal_replay_pause()")
    try servers.primary.run("INSERT INTO t VALUES (21, 'new'); UPDATE t SET name = 'new' WHERE id = 1")
    read(servers.primary)
    #expect(try scene.step().outcome == .created)
    #expect(reading.role == .primary && reading.server?.isEmpty == false)
    read(servers.standby)
    for _ in 0..<2 { try expectWaiting() }
    #expect(reading.role == .standby && reading.server == standbyServer.folder)
    try servers.standby.run("SELECT pg_wal_replay_resume()")
    try servers.follow()
    #expect(try scene.step().outcome == .unchanged)
    try servers.primary.run("DELETE FROM t WHERE id = 21")
    try servers.follow()
    #expect(try scene.step().changes["t"]?.deleted == 1)
  }

  @Test
  mutating func `a new model waits for a standby that is behind, and a new epoch starts from its rows`()
    throws
  {
    read(servers.primary)
    #expect(try scene.step().outcome == .created)
    try servers.standby.run("SELECT pg_wal_replay_pause()")
    defer { _ = try? servers.standby.run("SELECT pg_wal_replay_resume()") }
    try servers.primary.run("INSERT INTO t VALUES (21, 'new')")
    #expect(try scene.step().changes["t"]?.inserted == 1)
    let job = scene.deployment.job
    let wider = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, size INTEGER)"
    let models = [
      model("1.0", PostgresScene.schema),
      model("1.1", wider, projections: ["t": "SELECT id, name, 1 AS size FROM t"]),
    ]
    scene.deployment.job = DatasetJob(
      name: job.name, origin: job.origin, plans: try SeriesPlan.plans(job.name, models), policy: job.policy)
    read(servers.standby)
    try expectWaiting()
    #expect(try scene.deployment.metadata().state.model == job.plans[0].newest.version)
    scene.deployment.clock = scene.deployment.clock.adding(seconds: 1)
    let anew = try scene.deployment.publisher.step(
      scene.deployment.job, .beginningEpoch(after: []), now: scene.deployment.clock)
    #expect(anew.series[0].outcome == .created)
    #expect(try scene.published().count == 20)
    #expect(try scene.step().outcome == .unchanged, "the new epoch forgets the earlier place")
    read(servers.primary)
    #expect(try scene.step().changes["t"]?.inserted == 1)
  }

  @Test mutating func `a rollback's hold does not end while the standby is behind`() throws {
    read(servers.primary)
    #expect(try scene.step().outcome == .created)
    try servers.standby.run("SELECT pg_wal_replay_pause()")
    defer { _ = try? servers.standby.run("SELECT pg_wal_replay_resume()") }
    try servers.primary.run("UPDATE t SET name = 'new' WHERE id = 1")
    #expect(try scene.step().outcome == .changed)
    let (job, series) = (scene.deployment.job, scene.deployment.job.plans[0].series)
    #expect(try step(StepOptions(rollingBack: series, to: .first, job)).series[0].outcome == .changed)
    read(servers.standby)
    let waiting = try step(StepOptions(isResuming: true))
    #expect(waiting.held == [series] && waiting.originStamp == nil)
    #expect(waiting.warnings.contains { $0.contains("lacks published rows") }, "\(waiting.warnings)")
    #expect(try scene.deployment.metadata().state.hold?.version == .first)
    try servers.standby.run("SELECT pg_wal_replay_resume()")
    try servers.follow()
    #expect(try step(StepOptions(isResuming: true)).series[0].changes["t"]?.updated == 1)
    #expect(try scene.deployment.metadata().state.hold == nil)
  }

  private func step(_ options: StepOptions) throws -> StepReport {
    scene.deployment.clock = scene.deployment.clock.adding(seconds: 1)
    return try scene.deployment.publisher.step(
      scene.deployment.job, options, now: scene.deployment.clock)
  }

  /// A promoted standby replays everything it received, so it must not receive the last rows.
  private func cutOff() throws {
    try servers.standby.run("ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()")
    try waitUntil("the standby receives nothing", every: 0.01) {
      try servers.standby.run("SELECT FROM pg_stat_wal_receiver").isEmpty
    }
  }

  @Test mutating func `a standby promoted without the last rows is compared and reported once`()
    throws
  {
    let cluster = try PostgresCluster()
    self = try Self(cluster, PostgresCluster(standbyOf: cluster))
    read(servers.primary)
    try cutOff()
    try servers.primary.run("INSERT INTO t VALUES (21, 'lost')")
    #expect(try scene.step().outcome == .created)
    read(servers.standby)
    try expectWaiting()
    try standbyServer.promote()
    let report = try scene.fullStep()
    #expect(report.series[0].changes["t"]?.deleted == 1, "\(report)")
    let words = "an earlier server is read again: all rows were compared"
    #expect(report.warnings.contains { $0.contains(words) }, "\(report.warnings)")
    try servers.standby.run("UPDATE t SET name = 'kept' WHERE id = 2")
    let next = try scene.fullStep()
    #expect(next.series[0].changes["t"]?.updated == 1 && next.warnings == [], "\(next)")
  }
}
