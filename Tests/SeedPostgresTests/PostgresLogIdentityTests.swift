import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication
@testable import SeedPublisher

/// If the database is not the one of the last step, the step compares once.
@Suite struct PostgresLogIdentityTests {
  private func scene(_ cluster: PostgresCluster? = nil) throws -> PostgresLogScene {
    try PostgresLogScene(PostgresScene.twentyRows, PostgresScene.schema, cluster: cluster)
  }

  /// Expects that the published rows equal those of the database.
  private func expect(_ scene: PostgresLogScene, equals database: PostgresDatabase) throws {
    let rows = try database.run("SELECT id || '|' || name FROM t ORDER BY id").split(separator: "\n").map(
      String.init)
    let published = try scene.scene.published().map { row in
      guard case .integer(let id) = row[0], case .text(let name) = row[1] else { return "" }
      return "\(id)|\(name)"
    }
    #expect(published == rows)
  }

  @Test func `a database restored from a dump is compared and its log is used again`() throws {
    let cluster = try PostgresCluster.shared.get()
    var scene = try scene()
    let dump = try cluster.dump(scene.database)
    try scene.follow("UPDATE t SET name = 'later' WHERE id = 1")
    let restored = try cluster.database(dump)
    try restored.run("UPDATE t SET name = 'restored' WHERE id = 2")
    scene.move(to: restored)
    #expect(try scene.scene.step().foundBy == .because(.otherDatabase))
    try expect(scene, equals: restored)
    try restored.run("UPDATE t SET name = 'by log' WHERE id = 3")
    #expect(try scene.scene.step().foundBy == FoundBy(.log))
    try expect(scene, equals: restored)
  }

  @Test func `a server after a crash and a diverged copy with the same numbers are compared once`() throws {
    let cluster = try PostgresCluster()
    var scene = try scene(cluster)
    try scene.follow("UPDATE t SET name = 'x' WHERE id = 1")
    try cluster.restart()
    try scene.compare(.otherServer)
    try scene.follow("UPDATE t SET name = 'y' WHERE id = 1")
    let copy = try scene.database.on(PostgresCluster(copyOf: cluster))
    for id in 1...2 { try scene.follow("UPDATE t SET name = 'here' WHERE id = \(id)") }
    for id in 1...4 { try copy.run("UPDATE t SET name = 'there' WHERE id = \(id + 1)") }
    scene.move(to: copy)
    #expect(try scene.scene.step().foundBy == .because(.otherServer))
    try expect(scene, equals: copy)
    try copy.run("UPDATE t SET name = 'log' WHERE id = 3")
    #expect(try scene.scene.step().foundBy == FoundBy(.log))
    try expect(scene, equals: copy)
  }

  /// It assigns lost transaction numbers again, although it was started only once.
  @Test func `a server that recovered from the crash of one process is compared once`() throws {
    let cluster = try PostgresCluster()
    let scene = try scene(cluster)
    try scene.follow("UPDATE t SET name = 'x' WHERE id = 1")
    try cluster.crashWriter()
    try scene.compare(.otherServer)
    try scene.follow("UPDATE t SET name = 'y' WHERE id = 1")
  }

  @Test(.full) func `a promoted standby without the last commits rolls them back`() throws {
    let cluster = try PostgresCluster()
    var scene = try scene(cluster)
    let other = try PostgresCluster(standbyOf: cluster)
    let standby = scene.database.on(other)
    try standby.run("SELECT pg_wal_replay_pause()")
    try scene.follow("UPDATE t SET name = 'lost' WHERE id = 1")
    try cluster.crash()
    try other.promote()
    try standby.run("UPDATE t SET name = 'kept' WHERE id = 2")
    scene.move(to: standby)
    #expect(try scene.scene.step().foundBy == .because(.otherTimeline))
    try expect(scene, equals: standby)
  }

  // MARK: Standbys

  private func follow(_ standby: PostgresDatabase, _ primary: PostgresDatabase) throws {
    try Replication(primary: primary, standby: standby).follow()
  }

  /// A standby's snapshot hides transactions in progress. Without care their rows would never be read.
  @Test(.full) func `a transaction in progress on a standby is found after its end`() throws {
    let cluster = try PostgresCluster()
    var scene = try scene(cluster)
    let standby = try scene.database.on(PostgresCluster(standbyOf: cluster))
    scene.move(to: standby)
    try follow(standby, scene.database)
    #expect(try scene.scene.step().foundBy == .because(.otherServer))
    let late = try LateTransaction("UPDATE t SET name = 'late' WHERE id = 1", scene.database)
    try scene.database.run("UPDATE t SET name = 'early' WHERE id = 2")
    try follow(standby, scene.database)
    let snapshot = try standby.run("SELECT pg_current_snapshot()")
    #expect(snapshot.hasSuffix(":\n"), "the standby tells of transactions in progress: \(snapshot)")
    #expect(try scene.scene.step().changes["t"]?.updated == 1)
    try late.commit()
    try follow(standby, scene.database)
    let report = try scene.scene.step()
    #expect(report.foundBy == FoundBy(.log) && report.changes["t"]?.updated == 1, "\(report)")
    try expect(scene, equals: scene.database)
  }

  @Test func `a user who may not identify the server compares as before`() throws {
    let scene = try PostgresScene(PostgresScene.twentyRows, PostgresScene.schema)
    let role = "blind_\(scene.database.name)"
    try scene.database.run(
      """
      CREATE ROLE \(role) LOGIN; GRANT SELECT ON t TO \(role); REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC
      """)
    var blind = scene
    blind.place = scene.database.place(user: role)
    #expect(try blind.step().outcome == .created)
    try scene.database.run("UPDATE t SET name = 'x' WHERE id = 1")
    #expect(try blind.step().changes["t"]?.updated == 1)
  }

  @Test
  func `a step waits for a standby behind the publication, even under a new URL, and warns after a while`()
    throws
  {
    var scene = try scene(PostgresCluster.primary.get())
    let quick = try scene.database.on(PostgresCluster.standby.get())
    let slow = try scene.database.on(PostgresCluster.secondStandby.get())
    for standby in [quick, slow] { try follow(standby, scene.database) }
    scene.move(to: quick)
    _ = try scene.scene.step()
    try slow.run("SELECT pg_wal_replay_pause()")
    try scene.database.run("UPDATE t SET name = 'new' WHERE id = 1")
    try follow(quick, scene.database)
    #expect(try scene.scene.step().changes["t"]?.updated == 1)
    scene.move(to: slow)
    let (known, new) = (scene.scene.place, slow.place())
    for place in [known, new, known] {
      scene.scene.place = place
      let report = try scene.scene.fullStep()
      #expect(report.series[0].outcome == .unchanged && report.originStamp == nil)
      #expect(
        report.warnings.contains { $0.contains("lacks published rows") },
        "\(report.warnings)")
    }
    try expect(scene, equals: scene.database)
    let start = scene.deployment.clock
    func behindSince() -> UTCTime? {
      let series = scene.deployment.job.plans[0].series
      return scene.deployment.publication.facts.read(series)?.look.behindSince
    }
    scene.deployment.publisher.history = StepHistory(scene.deployment.folder("state"))
    scene.deployment.publisher.facts = FactsKeeper(isOn: true)
    _ = try scene.scene.fullStep()
    let since = try #require(behindSince())
    #expect((0...10).contains(start.secondsSinceEpoch - since.secondsSinceEpoch))
    scene.deployment.clock = start.adding(seconds: 700)
    let refused = scene.scene.refusal()
    #expect(
      refused.isUnavailable && refused.description.contains("lacks published rows"),
      "\(refused)")
    scene.deployment.clock = start.adding(seconds: 900)
    #expect(scene.scene.refusal().description == refused.description, "a failure that lasts is the same one")
    #expect(behindSince() == since)
    try slow.run("SELECT pg_wal_replay_resume()")
    try follow(slow, scene.database)
    #expect(try scene.scene.step().foundBy == FoundBy(.log))
    #expect(behindSince() == nil)
    scene.scene.place = new
    #expect(try scene.scene.step().foundBy == .because(.otherSubject))
    try expect(scene, equals: scene.database)
  }
}
