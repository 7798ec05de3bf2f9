import Foundation
import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct PostgresReplicaTests {
  private static let table =
    "CREATE TABLE t AS SELECT i AS id, 'name ' || i AS name FROM generate_series(1, 1000) i"
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)"
  /// Endless while there are rows beyond the tenth.
  private static let slow = "SELECT id, name FROM t WHERE id <= 10 OR pg_sleep(600) IS NULL"

  private func lag(_ scene: ReplicatedScene) throws -> Int? {
    _ = try scene.deployment.step()
    return OriginReading.newest(of: scene.deployment.job.name, in: scene.deployment.folder("state"))
      .lagSeconds
  }

  @Test func `the lag of a replica is reported even without new transactions`() throws {
    let scene = try ReplicatedScene(Self.table, Self.schema)
    try eventually("the replica is not behind") { try lag(scene) == 0 ? true : nil }
    // A standby without a replayed transaction does not know its lag.
    try scene.servers.primary.run("UPDATE t SET name = 'first' WHERE id = 1")
    try scene.servers.follow()
    _ = try scene.deployment.step()
    try scene.servers.standby.run("SELECT pg_wal_replay_pause()")
    try scene.servers.primary.run("UPDATE t SET name = 'late' WHERE id = 1")
    let reached = try scene.servers.primary.run("SELECT pg_current_wal_lsn()").dropLast()
    try waitUntil("it has arrived", every: 0.01) {
      try scene.servers.standby.run("SELECT pg_last_wal_receive_lsn() >= '\(reached)'") == "t\n"
    }
    let head = try scene.deployment.metadata().state.head
    try eventually("the replica is behind") { (try lag(scene) ?? 0) >= 1 ? true : nil }
    #expect(try scene.deployment.metadata().state.head == head)
    try scene.servers.standby.run("SELECT pg_wal_replay_resume()")
    try eventually("the replica is not behind") { try lag(scene) == 0 ? true : nil }
    #expect(try scene.deployment.metadata().state.head == head.next)
  }

  @Test func `a server that is not a replica, and a replica that replayed no transaction, have no known lag`()
    throws
  {
    let primary = try PostgresCluster()
    var scene = try PostgresScene(Self.table, Self.schema, cluster: primary)
    let standby = try PostgresCluster(standbyOf: primary, ["primary_conninfo="])
    let replica = scene.database.on(standby).place()
    for (place, role) in [(replica, OriginServer.Role.standby), (scene.place, .primary)] {
      scene.place = place
      try scene.step()
      let reading = OriginReading.newest(of: "test", in: scene.deployment.folder("state"))
      #expect(reading.role == role && reading.openMilliseconds != nil && reading.lagSeconds == nil)
    }
  }

  @Test func `a read cancelled once by a recovery conflict is retried in the same step`() throws {
    let scene = try ReplicatedScene(Self.table, Self.schema, projections: ["t": Self.slow])
    Thread { [servers = scene.servers] in
      _ = try? servers.sleeper()
      try? servers.take("id > 10")
    }.start()
    let report = try scene.deployment.step()
    #expect(report.series[0].outcome == .created && report.series[0].rows["t"] == 10)
    let warning = report.warnings.joined()
    #expect(warning.contains("was read twice") && warning.contains("hot_standby_feedback"), "\(warning)")
    #expect(try scene.deployment.step().warnings == [])
  }

  @Test func `a read ended by a lock on the primary is retried, and the warning names the lock`() throws {
    let scene = try ReplicatedScene(Self.table, Self.schema, projections: ["t": Self.slow])
    Thread { [servers = scene.servers] in
      _ = try? servers.sleeper()
      _ = try? servers.primary.run("DELETE FROM t WHERE id > 10")
      _ = try? servers.primary.run("BEGIN; LOCK TABLE t; COMMIT")
    }.start()
    let report = try scene.deployment.step()
    #expect(report.series[0].rows["t"] == 10)
    let warning = report.warnings.joined()
    // A session ended while it sends rows may not be able to report the reason.
    #expect(warning.contains("raise max_standby_streaming_delay there"), "\(warning)")
  }

  @Test func `a read cancelled twice fails the step with reason and remedy and publishes nothing`()
    throws
  {
    let scene = try ReplicatedScene(Self.table, Self.schema, projections: ["t": Self.slow])
    Thread { [servers = scene.servers] in
      guard let first = try? servers.sleeper() else { return }
      try? servers.take("id > 500")
      _ = try? servers.sleeper(besides: first)
      try? servers.take("id > 10")
    }.start()
    let error = #expect(throws: PostgresError.self) { try scene.deployment.step() }
    let words = error.map(\.description) ?? ""
    #expect(error?.isUnavailable == true, "\(words)")
    #expect(words.contains("conflict with recovery") && words.contains("hot_standby_feedback"), "\(words)")
    #expect((try? scene.deployment.metadata()) == nil)
    #expect(try scene.deployment.step().series[0].outcome == .created)
  }
}
