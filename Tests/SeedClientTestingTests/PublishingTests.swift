import Foundation
import SeedClient
import SeedClientTesting
import Testing

@Suite struct PublishingTests {
  @Test func `a store downloads a snapshot first and then a delta per version`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    #expect(try await store.update().action == .replaced)
    let version = try seeds.publish { rows in
      rows.put(["id": "b", "name": "Bahnhof", "stepFree": true], in: "stop")
      rows.change("a", in: "stop", to: ["name": "Alex"])
    }
    let report = try await store.update()
    #expect(report.action == .applied && report.to == version && version.number == 2)
    #expect(report.changes["stop"]?.inserted == 1 && report.changes["stop"]?.updated == 1)
    #expect(try await store.stops == ["Alex", "Bahnhof"])
    try seeds.publish { $0.delete("a", from: "stop") }
    try await store.update()
    #expect(try await store.stops == ["Bahnhof"])
    #expect(try await store.value("SELECT step_free FROM stop", as: Bool.self) == true)
  }

  @Test func `putting a row again resets all other values`() async throws {
    let seeds = try TestPublisher(schema: Stops.schema)
    try seeds.publish { rows in
      rows.put(["name": "A"], in: "zone")
      rows.put(["id": "a", "name": "Alex", "zone": "A", "step_free": 1], in: "stop")
    }
    try seeds.publish { $0.put(["id": "a", "name": "Alex"], in: "stop") }
    let row = try await seeds.store().read { try $0.rows("SELECT zone, step_free FROM stop") }
    #expect(row == [SeedRow(["zone": SeedValue.null, "step_free": 0])])
  }

  @Test func `another spelling of a key is an update`() async throws {
    let seeds = try TestPublisher(schema: "CREATE TABLE zone(name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE)")
    try seeds.publish { rows in for name in ["a", "b", "c"] { rows.put(["name": name], in: "zone") } }
    let store = try seeds.store()
    try await store.update()
    try seeds.publish { rows in
      rows.delete("a", from: "zone")
      rows.put(["name": "B"], in: "zone")
    }
    let changes = try await store.update().changes["zone"]
    #expect(changes?.updated == 1 && changes?.deleted == 1 && changes?.inserted == 0)
    #expect(try await store.rows("SELECT name FROM zone ORDER BY 1", as: String.self) == ["B", "c"])
  }

  @Test func `SQL changes rows, search tables follow, and without a difference there is no new version`()
    async throws
  {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    try await store.update()
    #expect(try seeds.publish { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") } == .first)
    #expect(try seeds.publish(sql: "UPDATE stop SET name = name") == .first, "nothing is different")
    try seeds.publish(
      sql: "INSERT INTO stop(id, name) VALUES ('b', 'Bahnhof'); UPDATE stop SET step_free = 1")
    #expect(try await store.update().changes["stop"]?.updated == 1)
    let found = try await store.value(
      "SELECT count(*) FROM stop_search WHERE stop_search MATCH 'bahnhof'", as: Int.self)
    #expect(found == 1)
  }

  struct Visit: Codable, Equatable, Sendable {
    enum Kind: String, Codable { case first, last }

    let id: Int, kind: Kind, at: Date, photo: Data, tags: [String], stepFree: Bool, note: String?
  }

  @Test func `a type of the app round-trips through a row`() async throws {
    let seeds = try TestPublisher(
      schema: """
        CREATE TABLE visit(
          id INTEGER PRIMARY KEY, kind TEXT, at TEXT, photo BLOB, tags TEXT, step_free INTEGER, note TEXT)
        """)
    let visit = Visit(
      id: 7, kind: .last, at: seeds.clock.now, photo: Data([0, 255]), tags: ["a", "b"], stepFree: true,
      note: nil)
    try seeds.publish { $0.put(encoding: visit, in: "visit") }
    #expect(try await seeds.store().first("SELECT * FROM visit", as: Visit.self) == visit)
    #expect(try await seeds.store().value("SELECT typeof(photo) FROM visit", as: String.self) == "blob")
  }

  @Test func `a snapshot or a new epoch arrives as a new file`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    try await store.update()
    try seeds.publish { $0.change("a", in: "stop", to: ["name": "Alex"]) }
    #expect(try await store.update().changes == ["stop": .fixture(updated: 1)])
    try seeds.publishSnapshot()
    #expect(try await seeds.store().update().plan.files == ["snapshot-2.sqlite.gz"])
    try seeds.startEpoch()
    #expect(try await store.update().plan.reason == .newEpoch)
    #expect(try await store.stops == ["Alex"])
  }

  @Test func `a publisher may publish while many stores update`() async throws {
    let seeds = try Stops.publisher()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        let store = try seeds.store()
        group.addTask { for _ in 0..<3 { try await store.update() } }
        group.addTask {
          for turn in 0..<3 {
            try seeds.publish { $0.put(["id": "s\(number)", "name": "Stop \(number) \(turn)"], in: "stop") }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await seeds.store().stops.count == 5)
  }

  @Test func `a retired series and a dropped model reach the app`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    try seeds.announce(.deprecated(sunset: "2027-01-01", message: "Please update."))
    #expect(
      try await store.update().lifecycle == .deprecated(sunset: "2027-01-01", message: "Please update."))
    try seeds.dropModel()
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .clientTooOld && error?.oldestModel == "1.1")
    #expect(try await store.stops == ["Alexanderplatz"])
  }
}

@Suite struct SourceTests {
  @Test func `a test publisher can start from a bundle`() async throws {
    let shipped = try TestPublisher(schema: Stops.schema, license: "CC0-1.0", attribution: "Stadtwerke")
    try shipped.publish { $0.put(["id": "a", "name": "Alexanderplatz"], in: "stop") }
    let seeds = try TestPublisher(bundle: await shipped.makeBundle(), model: shipped.model)
    let store = try seeds.store()
    #expect(try await store.stops == ["Alexanderplatz"])
    let state = await store.state
    #expect(state.attribution == "Stadtwerke" && state.license == "CC0-1.0")
    try seeds.publish { $0.put(["id": "b", "name": "Bahnhof"], in: "stop") }
    #expect(try await store.update().action == .applied)
    #expect(try await store.stops == ["Alexanderplatz", "Bahnhof"])
  }

  @Test func `a test publisher can start from a store's file, but not from a folder without a snapshot`()
    async throws
  {
    let shipped = try Stops.publisher()
    let file = try await shipped.store().prepare()
    let seeds = try TestPublisher(file: file.url)
    #expect(seeds.model == shipped.model)
    #expect(try await seeds.store().stops == ["Alexanderplatz"])
    let message = Stops.mistake {
      _ = try TestPublisher(bundle: URL(fileURLWithPath: "/nonexistent"))
      return .first
    }
    #expect(message?.contains("/nonexistent has no snapshot") == true)
  }
}
