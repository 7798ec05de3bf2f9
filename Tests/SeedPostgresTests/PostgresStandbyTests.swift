import Foundation
import SeedDatabase
import SeedFormat
import SeedPostgres
import SeedPublisher
import SeedSystem
import Support
import Testing

@Suite struct PostgresStandbyTests {
  private let scene: ReplicatedScene
  private let plan: SeriesPlan
  private var primary: PostgresDatabase { scene.servers.primary }
  private var standby: PostgresDatabase { scene.servers.standby }

  init() throws {
    scene = try ReplicatedScene(
      "CREATE TABLE t AS SELECT i AS id, repeat('x', 500) AS name FROM generate_series(1, 20000) i",
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
    plan = scene.deployment.job.plans[0]
  }

  private var place: PostgresPlace {
    PostgresPlace(url: standby.url(), shownURL: "postgres://standby/x", schema: "public")
  }

  @Test func `a recovery conflict during a read is reported with a remedy`() throws {
    let origin = try PostgresOrigin(place)
    let table = try #require(plan.schema.table("t"))
    let rows = try origin.rows(table, plan.projection(table), isOrdered: false)
    #expect(try rows.next())
    try primary.run("DELETE FROM t")
    try primary.run("VACUUM t")
    let error = #expect(throws: PostgresError.self) { while try rows.next() {} }
    let words = error.map(\.description) ?? ""
    // A session ended while it sends rows may not be able to report the reason.
    #expect(error?.isUnavailable == true, "\(words)")
    #expect(words.contains("hot_standby_feedback") && words.contains("max_standby_streaming_delay"))
  }

  @Test func `a recovery conflict while waiting for rows is reported with its reason`() throws {
    let (primary, standby) = (primary, standby)
    let select = "SELECT id, name FROM t WHERE id < 3 OR pg_sleep(60) IS NULL"
    let slow = try SeriesPlan(
      plan.series,
      [model("1.0", "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)", projections: ["t": select])])
    let table = try #require(slow.schema.table("t"))
    let rows = try PostgresOrigin(place).rows(table, slow.projection(table), isOrdered: false)
    Thread {
      try? waitUntil("it reads", every: 0.05) {
        (try? standby.run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) == "1\n"
      }
      _ = try? primary.run("DELETE FROM t")
      _ = try? primary.run("VACUUM t")
    }.start()
    let error = #expect(throws: PostgresError.self) { while try rows.next() {} }
    let words = error.map(\.description) ?? ""
    #expect(words.contains("conflict with recovery") && words.contains("hot_standby_feedback"), "\(words)")
  }

  /// A standby's list of running transactions is empty; only its log position shows that one ended.
  @Test func `a transaction in progress is read after its end even if a later one ended before`()
    throws
  {
    let late = try LateTransaction("UPDATE t SET name = 'late' WHERE id = 1", primary)
    try primary.run("UPDATE t SET name = 'early' WHERE id = 2")
    try scene.servers.follow()
    let stamp = try place.look().stamp
    #expect(stamp.renewed() != nil)
    try late.commit()
    try scene.servers.follow()
    #expect(stamp.renewed() == nil)
  }
}
