import SeedFormat
import SeedPostgres
import SeedPublisher
import SeedSystem
import Support

/// A deployment that reads a standby of its own server.
struct ReplicatedScene {
  let servers: Replication
  let deployment: TestDeployment

  /// - Parameter own: A standby of the primary with other settings.
  init(
    _ sql: String, _ schema: String, projections: [String: String] = [:], own: PostgresCluster? = nil
  ) throws {
    let standby = try own ?? PostgresCluster.standby.get()
    let primary = try PostgresCluster.primary.get().database(sql)
    servers = Replication(primary: primary, standby: primary.on(standby))
    let models = [model("1.0", schema, projections: projections)]
    deployment = try TestDeployment(models, in: try TemporaryFolder(inMemory: true))
    let place = servers.standby.place()
    deployment.job = DatasetJob(
      name: deployment.job.name, origin: place, plans: deployment.job.plans, policy: deployment.job.policy)
    try servers.follow()
  }
}

extension PostgresCluster {
  /// A server for these tests alone, so that its standbys need not replay other tests' writes.
  static let primary = Result { try PostgresCluster() }
  /// Standbys of the primary, for tests that resume the replay that they pause.
  static let standby = Result { try PostgresCluster(standbyOf: primary.get()) }
  static let secondStandby = Result { try PostgresCluster(standbyOf: primary.get()) }
}

struct Replication: Sendable {
  let primary: PostgresDatabase
  let standby: PostgresDatabase

  /// Waits until the standby shows the primary's state.
  func follow() throws {
    let reached = try primary.run("SELECT pg_current_wal_lsn()").split(separator: "\n").joined()
    try waitUntil("the standby follows", every: 0.01) {
      (try? standby.run("SELECT pg_last_wal_replay_lsn() >= '\(reached)'")) == "t\n"
    }
  }

  /// Waits until a session other than `known` sleeps on the standby, and returns its process id. A recovery conflict
  /// may cancel the query for it too.
  func sleeper(besides known: String = "") throws -> String {
    try eventually("a step reads") {
      let found = try? standby.run("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
      return found == "" || found == known ? nil : found
    }
  }

  /// Deletes rows that a session is reading. Keeps the file's length, because a truncation would also conflict with
  /// the session that reads next.
  func take(_ condition: String) throws {
    try primary.run("DELETE FROM t WHERE \(condition)")
    try primary.run("VACUUM (TRUNCATE off) t")
  }
}
