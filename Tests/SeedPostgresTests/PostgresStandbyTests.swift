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
      "CREATE TABLE t AS SELECT i AS id, repeat('x', 8000) AS name FROM generate_series(1, 500) i",
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
    plan = scene.deployment.job.plans[0]
  }

  private var place: PostgresPlace {
    standby.place()
  }

  @Test func `a recovery conflict during a read is reported with a remedy`() throws {
    let origin = try PostgresOrigin(place)
    let table = try #require(plan.schema.table("t"))
    let rows = try origin.rows(table, plan.projection(table), isOrdered: false)
    #expect(try rows.next())
    try primary.run("DELETE FROM t")
    try primary.run("VACUUM t")
    // Otherwise the few rows might be read before the standby gets this.
    try scene.servers.follow()
    let error = #expect(throws: PostgresError.self) { while try rows.next() {} }
    let words = error.map(\.description) ?? ""
    // A session ended while it sends rows may not be able to report the reason.
    #expect(error?.isUnavailable == true, "\(words)")
    #expect(words.contains("hot_standby_feedback") && words.contains("max_standby_streaming_delay"))
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
