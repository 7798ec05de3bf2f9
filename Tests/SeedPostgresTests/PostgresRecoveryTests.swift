import SeedDatabase
import SeedFormat
import SeedPostgres
import Support
import Testing

@testable import SeedPublication
@testable import SeedPublisher

/// Servers after point-in-time recovery, and subscribers of logical replication.
@Suite struct PostgresRecoveryTests {
  private func rows(of database: PostgresDatabase) throws -> String {
    try database.run("SELECT coalesce(string_agg(id || '=' || name, ' ' ORDER BY id), '') FROM t")
  }

  private func published(_ scene: PostgresLogScene) throws -> String {
    try scene.scene.published().map { "\($0[0])=\($0[1].text)" }.joined(separator: " ") + "\n"
  }

  @Test(.full, arguments: ["name", "xid"])
  func `point-in-time recovery rolls back later rows and the reason is reported`(
    target: String
  ) throws {
    let cluster = try PostgresCluster(isArchiving: true)
    var scene = try PostgresLogScene(PostgresScene.twentyRows, PostgresScene.schema, cluster: cluster)
    let backup = try PostgresCluster(backupOf: cluster)
    try scene.follow("UPDATE t SET name = 'kept' WHERE id = 1")
    let kept = try rows(of: scene.database)
    let point = try scene.database.run(
      target == "name"
        ? "SELECT 'before' FROM pg_create_restore_point('before')"
        : "WITH gone AS (DELETE FROM t WHERE id > 5 RETURNING 1) SELECT pg_current_xact_id() FROM gone LIMIT 1"
    )
    try scene.follow("UPDATE t SET name = 'lost' WHERE id = 2; INSERT INTO t VALUES (99, 'lost')")
    try cluster.archiveLog()
    try backup.recover(by: cluster, to: target, point.split(separator: "\n").joined())
    let recovered = scene.database.on(backup)
    #expect(try rows(of: recovered) == kept)
    scene.move(to: recovered)
    let report = try scene.scene.step()
    #expect(report.foundBy == .because(.otherTimeline))
    #expect(report.outcome == .changed)
    #expect(try published(scene) == kept)
    try recovered.run("UPDATE t SET name = 'by log' WHERE id = 3")
    #expect(try scene.scene.step().foundBy == FoundBy(.log))
    #expect(try published(scene) == rows(of: recovered))
  }

  // MARK: Logical replication

  private struct Subscriber {
    let source: PostgresDatabase
    let scene: PostgresLogScene

    /// Waits until the subscriber has everything that the source committed.
    func follow() throws {
      let count = "SELECT md5(coalesce(string_agg(t::text, ',' ORDER BY id), '')) FROM t"
      try waitUntil("the subscriber follows", every: 0.01) {
        try source.run(count) == scene.database.run(count)
      }
    }
  }

  private func subscription(_ source: PostgresDatabase, _ cluster: PostgresCluster) -> String {
    """
    CREATE SUBSCRIPTION \(source.name)_s CONNECTION 'host=\(cluster.folder) dbname=\(source.name) user=postgres' PUBLICATION p
    """
  }

  private func subscriber() throws -> Subscriber {
    let cluster = try PostgresCluster(["wal_level=logical"])
    let source = try cluster.database("\(PostgresScene.twentyRows); CREATE PUBLICATION p FOR TABLE t")
    let scene = try PostgresLogScene(
      "CREATE TABLE t(id int PRIMARY KEY, name text); \(subscription(source, cluster))", PostgresScene.schema)
    return Subscriber(source: source, scene: scene)
  }

  @Test(.full) func `logical replication is logged row by row`() throws {
    let subscriber = try subscriber()
    try subscriber.follow()
    _ = try subscriber.scene.step()
    try subscriber.scene.audit("after the first copy")
    for sql in [
      "INSERT INTO t VALUES (50, 'new')", "UPDATE t SET name = 'changed' WHERE id < 4",
      "UPDATE t SET id = id + 100 WHERE id = 50", "DELETE FROM t WHERE id = 5",
      "BEGIN; DELETE FROM t WHERE id = 6; INSERT INTO t VALUES (6, 'again'); COMMIT",
    ] {
      try subscriber.source.run(sql)
      try subscriber.follow()
      let report = try subscriber.scene.step()
      #expect(report.foundBy == FoundBy(.log) && report.outcome == .changed, "\(sql): \(report)")
      try subscriber.scene.audit(sql)
    }
    try subscriber.source.run("TRUNCATE t")
    try subscriber.follow()
    #expect(try subscriber.scene.step().foundBy?.way == .log)
    #expect(try published(subscriber.scene) == "\n")
    try subscriber.scene.audit("TRUNCATE")
  }

  @Test(.full) func `a table subscribed after its log was made is compared with a warning`() throws {
    let cluster = try PostgresCluster(["wal_level=logical"])
    let source = try cluster.database("\(PostgresScene.twentyRows); CREATE PUBLICATION p FOR TABLE t")
    let scene = try PostgresLogScene("CREATE TABLE t(id int PRIMARY KEY, name text)", PostgresScene.schema)
    _ = try scene.step()
    try scene.database.run(subscription(source, cluster))
    let subscriber = Subscriber(source: source, scene: scene)
    try subscriber.follow()
    let report = try scene.scene.fullStep()
    #expect(report.series[0].changes["t"]?.inserted == 20, "\(report)")
    #expect(report.warnings.contains { $0.contains("no longer watches \"t\"") }, "\(report.warnings)")
    try source.run("UPDATE t SET name = 'unseen' WHERE id = 7")
    try subscriber.follow()
    #expect(try scene.step().changes["t"]?.updated == 1)
  }
}
