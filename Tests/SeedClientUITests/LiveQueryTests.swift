import Observation
import Support
import Testing

@testable import SeedClientUI

@Suite @MainActor struct LiveQueryTests {
  @Test func `the rows of a live query follow the data and notify observers`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    let names = LiveQuery(store, "SELECT name FROM stop ORDER BY id", as: String.self)
    #expect(names.rows == [] && !names.isLoaded)
    try await store.update()
    try await until { names.rows == ["Alexanderplatz"] }
    #expect(names.isLoaded)
    let isTold = Told()
    withObservationTracking {
      _ = names.rows
    } onChange: {
      isTold.tell()
    }
    try seeds.publish { $0.put(["id": "b", "name": "Bahnhof"], in: "stop") }
    try await store.update()
    try await until { names.rows == ["Alexanderplatz", "Bahnhof"] }
    #expect(isTold.times == 1)
  }

  @Test func `rows are typed or plain`() async throws {
    let (_, store) = try await Stops.updated()
    let typed = LiveQuery<Place>(store, "SELECT * FROM stop")
    let plain = LiveQuery(store, "SELECT * FROM stop")
    try await until { typed.isLoaded && plain.isLoaded }
    #expect(typed.rows.map(\.name) == ["Alexanderplatz"])
    #expect(plain.rows.map { $0["name"] } == ["Alexanderplatz"])
  }

  @Test func `equal rows cause no change if they can be compared`() async throws {
    let (seeds, store) = try await Stops.updated()
    let names = LiveQuery(store, "SELECT name FROM stop", as: String.self)
    let ids = LiveQuery(store, "SELECT id, step_free FROM stop", as: Place.ID.self)
    try await until { names.isLoaded && ids.isLoaded }
    let (names2, ids2) = (Told(), Told())
    withObservationTracking {
      _ = names.rows
    } onChange: {
      names2.tell()
    }
    withObservationTracking {
      _ = ids.rows
    } onChange: {
      ids2.tell()
    }
    try seeds.publish { $0.change("a", in: "stop", to: ["step_free": 1]) }
    try await store.update()
    try await until { ids2.times == 1 }
    #expect(names2.times == 0)
  }

  @Test func `without data a live query reports the reason until there is some`() async throws {
    let seeds = try Stops.publisher()
    seeds.failure = .offline
    let store = try seeds.store()
    let names = LiveQuery(store, "SELECT name FROM stop", as: String.self)
    _ = try? await store.update()
    try await until { names.error?.code == .network }
    names.retry()
    try await until { names.error?.code == .network }
    seeds.failure = nil
    try await store.update()
    try await until { names.rows == ["Alexanderplatz"] }
    #expect(names.error == nil)
    seeds.failure = .offline
    _ = try? await store.update()
    names.query = "SELECT lower(name) FROM stop"
    try await until { names.rows == ["alexanderplatz"] }
    #expect(names.error == nil, "with data, an update that fails is the status's to tell")
  }

  @Test func `the last of many queries in a row wins`() async throws {
    let (_, store) = try await Stops.updated()
    let numbers = LiveQuery(store, "SELECT -1", as: Int.self)
    for number in 0..<100 {
      numbers.query = "SELECT \(number) FROM stop"
      if number.isMultiple(of: 7) { await Task.yield() }
    }
    try await until { numbers.rows == [99] }
    for _ in 0..<200 { await Task.yield() }
    #expect(numbers.rows == [99] && numbers.error == nil)
  }

  @Test func `an error keeps the rows until a query succeeds`() async throws {
    let (_, store) = try await Stops.updated()
    let names = LiveQuery(store, "SELECT name FROM stop", as: String.self)
    try await until { names.isLoaded }
    names.query = "SELECT name FROM stops"
    try await until { names.error != nil }
    #expect(names.error?.code == .query && names.rows == ["Alexanderplatz"])
    names.query = "SELECT lower(name) FROM stop"
    try await until { names.rows == ["alexanderplatz"] }
    #expect(names.error == nil)
  }

  @Test func `rows that could not be decoded arrive as soon as they can`() async throws {
    let (seeds, store) = try await Stops.updated()
    let zones = LiveQuery(store, "SELECT zone FROM stop", as: String.self)
    try await until { zones.error?.code == .decoding }
    try seeds.publish { rows in
      rows.put(["name": "A"], in: "zone")
      rows.change("a", in: "stop", to: ["zone": "A"])
    }
    try await store.update()
    try await until { zones.rows == ["A"] }
    #expect(zones.error == nil)
  }

  @Test func `rows arrive although their version came before the last one's error was handled`() async throws
  {
    let (seeds, messages) = (try Stops.publisher(), Shared<[String]>([]))
    let options = SeedOptions(log: { entry in messages.withLock { $0.append(entry.message) } })
    let store = try seeds.store(options: options)
    try await store.update()
    let zones = LiveQuery(store, "SELECT zone FROM stop", as: String.self)
    // The error waits for the main actor.
    try blocking {
      try await until { messages.withLock { $0.contains { $0.hasPrefix("a live query ended") } } }
      try seeds.publish(sql: "INSERT INTO zone VALUES ('A'); UPDATE stop SET zone = 'A'")
      try await store.update()
    }
    try await until { zones.rows == ["A"] }
    #expect(zones.error == nil)
  }

  /// Blocks this actor's thread until `body` ends on another one.
  private func blocking(_ body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Shared<Result<Void, any Error>?>(nil)
    Task.detached {
      do {
        try await body()
        outcome.withLock { $0 = .success(()) }
      } catch { outcome.withLock { $0 = .failure(error) } }
    }
    try eventually("the other thread is done") { outcome.withLock(\.self) }.get()
  }

  @Test func `a closed store is reported and the rows stay`() async throws {
    let (_, store) = try await Stops.updated()
    let names = LiveQuery(store, "SELECT name FROM stop", as: String.self)
    try await until { names.isLoaded }
    await store.close()
    try await until { names.error?.code == .closed }
    #expect(names.rows == ["Alexanderplatz"])
  }

  @Test func `a live query ends with its last owner and releases its store`() async throws {
    let seeds = try Stops.publisher()
    var store: SeedStore? = try seeds.store()
    weak let kept = store
    var names: LiveQuery<String>? = try LiveQuery(#require(store), "SELECT name FROM stop", as: String.self)
    try await store?.update()
    try await until { names?.isLoaded == true }
    (store, names) = (nil, nil)
    try await until { kept == nil }
  }
}
