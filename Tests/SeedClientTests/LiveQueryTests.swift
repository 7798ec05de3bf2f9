import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedClient

@Suite struct LiveQueryTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test func `a live query that meets damage continues with the replacing snapshot`() async throws {
    try fixture.publishGeneration(StoreFixture.manyStops)
    var store = try fixture.store()
    #expect(try await store.stops().count == 1000)
    // A new store, because this one may have cached the page. Suspending releases the lock at once.
    await store.suspend()
    store = try fixture.store()
    try fixture.damagePage()
    // If the query met the damage first, this would take the snapshot.
    try await store.prepare()
    let rows = store.observe("SELECT name FROM stop")
    let count = Task { () -> Int? in
      for try await rows in rows { return rows.count }
      return nil
    }
    let deadline = ContinuousClock.now + .seconds(longestWait)
    var isReplaced = false
    while !isReplaced, ContinuousClock.now < deadline {
      isReplaced = try await store.update().action == .replaced
    }
    #expect(try await count.value == 1000)
    #expect(isReplaced)
  }

  @Test func `a live query starts from stored data without a prior call and without a server`() async throws {
    try fixture.publishGeneration(["a": "One"])
    let first = try fixture.store()
    try await first.update()
    await first.close()
    fixture.publisher.withServed { $0.failure = .offline }
    let store = try fixture.store()
    let rows = Collected(store.observe("SELECT name FROM stop", as: String.self))
    try await until { rows.all == [["One"]] }
    #expect(await store.state.version != nil)
  }

  /// A store, and the messages of its log.
  private func logged() throws -> (SeedStore, Shared<[String]>) {
    let messages = Shared<[String]>([])
    let options = SeedOptions(log: { entry in messages.withLock { $0.append(entry.message) } })
    return (try fixture.store(options: options), messages)
  }

  @Test func `a live query ends with its error, which the log names`() async throws {
    try fixture.publishGeneration(["a": "One"])
    let (store, messages) = try logged()
    try await store.update()
    var rows = store.observe("SELECT name FROM stops").makeAsyncIterator()
    let error = await #expect(throws: SeedError.self) { while try await rows.next() != nil {} }
    #expect(error?.code == .query)
    let ends = messages.withLock { $0.filter { $0.hasPrefix("a live query ended: ") } }
    #expect(ends.count == 1 && ends[0].contains("no such table: stops"), "\(ends)")
  }

  @Test func `the log notes once that live queries wait for an update`() async throws {
    let (store, messages) = try logged()
    let rows = [Collected(store.observe("SELECT 1")), Collected(store.observe("SELECT 2"))]
    try await until { messages.withLock { !$0.isEmpty } }
    try fixture.publishGeneration(["a": "One"])
    try await store.update()
    try await until { rows.allSatisfy { !$0.all.isEmpty } }
    #expect(messages.withLock { $0.filter { $0.contains("update() or keepUpdated()") }.count } == 1)
  }

  @Test func `a live query ends with its store`() async throws {
    try fixture.publishGeneration(["a": "One"])
    var rows = try await begun().makeAsyncIterator()
    while try await rows.next() != nil {}
  }

  /// The rows of a store that was released.
  private func begun() async throws -> AsyncThrowingStream<[SeedRow], any Error> {
    let store = try fixture.store()
    let rows = store.observe("SELECT name FROM stop")
    try await store.prepare()
    return rows
  }
}

@Suite struct LiveQueryChangeTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
    try fixture.publisher.publishSnapshot()
  }

  @Test func `a live query runs once per update for changes of its tables`() async throws {
    let store = try fixture.store()
    let stops = Collected(store.observe("SELECT name FROM stop ORDER BY id", as: String.self))
    let none = Collected(store.observe("SELECT 1", as: Int.self))
    let meta = Collected(
      store.observe("SELECT value FROM Seedbank_Meta WHERE key = 'version'", as: String.self))
    let other = Collected(store.observe("SELECT count(*) FROM STOP", as: Int.self))
    let pragma = Collected(store.observe("SELECT count(*) FROM pragma_page_count", as: Int.self))
    try await store.update()
    for name in ["Two", "Three", "Four"] { try fixture.publisher.publish(["a": name]) }
    try await until { [stops, meta].allSatisfy { $0.all.count == 1 } }
    try await until { [none, other, pragma].allSatisfy { $0.all.count == 1 } }
    try await store.update()
    try await until { stops.all.last == ["Four"] && meta.all.count == 2 }
    #expect(stops.all == [["One"], ["Four"]])
    #expect(none.all == [[1]])
    try await until { pragma.all.count == 2 }
    #expect(other.all == [[1]])
  }

  @Test func `a live query runs again only if a column that it reads changed, or rows came or went`()
    async throws
  {
    let store = try fixture.store()
    let names = Collected(store.observe("SELECT upper(s.Name) FROM stop AS s ORDER BY 1", as: String.self))
    let filtered = Collected(store.observe("SELECT id FROM stop WHERE name > 'P'", as: String.self))
    let places = Collected(store.observe("SELECT id, lat FROM stop", as: [String: SeedValue].self))
    let counts = Collected(store.observe("SELECT count(*) FROM stop", as: Int.self))
    func runs() -> [Int] { [names.all.count, filtered.all.count, places.all.count, counts.all.count] }
    try await store.update()
    try await until { runs() == [1, 1, 1, 1] }
    for name in ["Two", "Three"] {
      try fixture.publisher.publish(["a": name])
      try await store.update()
    }
    try await until { names.all.last == ["THREE"] && filtered.all.last == ["a"] }
    #expect(places.all.count == 1 && counts.all.count == 1)
    try fixture.publisher.publish(["b": "More"])
    try await store.update()
    try await until { places.all.last?.count == 2 && counts.all.last == [2] && names.all.last?.count == 2 }
    #expect(places.all.count == 2 && counts.all.count == 2)
  }

  @Test func `a live query runs again after changes of a table that it joins by column names`()
    async throws
  {
    try fixture.publisher.beginMinor(adding: [
      "CREATE VIEW joined AS SELECT line.colour FROM line JOIN stop USING (id)",
      "CREATE VIEW nested AS SELECT count(*) AS n FROM joined",
    ])
    let store = try fixture.store(model: "2.2")
    let queries: [SeedQuery] = [
      "SELECT count(*) FROM line JOIN stop USING (id)", "SELECT count(*) FROM line natural JOIN stop",
      "SELECT count(*) FROM (SELECT line.colour FROM line JOIN stop USING (id))",
      "SELECT count(*) FROM Joined", "SELECT n FROM nested",
      "SELECT count(*) FROM line WHERE colour IN (SELECT colour FROM joined)",
    ]
    let counts = queries.map { Collected(store.observe($0, as: Int.self)) }
    try await store.update()
    try await until { counts.allSatisfy { $0.all.count == 1 } }
    try fixture.publisher.publish(["b": "More"])
    try await store.update()
    try await until { counts.allSatisfy { $0.all.count == 2 } }
  }

  @Test func `a live query that read between two deltas runs again even if the last delta reverts the first`()
    async throws
  {
    let store = try fixture.store()
    try await store.update()
    let first = store.editionSender.latest
    try fixture.publisher.publish(["a": "Bad"])
    try await store.update()
    // As while the update runs, which announces its last version only.
    store.editionSender.latest = first
    let names = Collected(store.observe("SELECT name FROM stop", as: String.self))
    try await until { names.all == [["Bad"]] }
    try fixture.publisher.publish(["a": "One"])
    try await store.update()
    try await until { names.all == [["Bad"], ["One"]] }
  }

  private struct Refusal: Error {}

  @Test
  func `a live value of several queries follows the tables of each, and ends with an error of its closure`()
    async throws
  {
    let store = try fixture.store()
    let values = Collected(
      store.observe { reader in
        try reader.rows("SELECT name FROM stop", as: String.self) + [
          "\(reader.value("SELECT count(*) FROM line", as: Int.self) ?? 0)"
        ]
      })
    let lines = Collected(
      store.observe { reader in try reader.value("SELECT count(*) FROM line", as: Int.self) })
    try await store.update()
    try await until { values.all == [["One", "0"]] && lines.all == [0] }
    try fixture.publisher.publish(["a": "Two"])
    try await store.update()
    try await until { values.all.last == ["Two", "0"] }
    #expect(values.all.count == 2 && lines.all.count == 1)
    var failing = store.observe { _ -> Int in throw Refusal() }.makeAsyncIterator()
    await #expect(throws: Refusal.self) { _ = try await failing.next() }
  }

  @Test func `observe can skip equal rows`() async throws {
    let store = try fixture.store()
    let counts = Collected(store.observe("SELECT count(*) FROM stop", as: Int.self, removingDuplicates: true))
    let names = Collected(store.observe("SELECT name FROM stop", as: String.self))
    try await store.update()
    try await until { names.all.count == 1 && counts.all.count == 1 }
    try fixture.publisher.publish(["a": "Two"])
    try await store.update()
    try await until { names.all.count == 2 }
    try fixture.publisher.publish(["a": "Two", "b": "More"])
    try await store.update()
    try await until { counts.all.count == 2 }
    #expect(counts.all == [[1], [2]])
  }

  @Test func `reads during an update run no query again and never return an older version`() async throws {
    let store = try fixture.store()
    let stops = Collected(store.observe("SELECT name FROM stop", as: String.self))
    try await store.update()
    try await until { stops.all.count == 1 }
    for number in 1...15 { try fixture.publisher.publish(["a": "Name \(number)"]) }
    let reading = Task {
      while !Task.isCancelled { _ = try await store.stops() }
    }
    try await store.update()
    reading.cancel()
    _ = await reading.result
    try await until { stops.all.last == ["Name 15"] }
    #expect(stops.all.count == 2)
    #expect(await store.state.version?.number == 16)
  }

  @Test func `a change of one of twenty tables runs only its live queries`() async throws {
    let editions = Broadcast<DataEdition>(mostWaiting: 1, replaysLatest: true)
    let generation = try await generation()
    let runs = Mutex<[Int]>(Array(repeating: 0, count: 20))
    func edition(_ version: Int, changed: Int) throws -> DataEdition {
      let tables = (0..<20).map { ("Table\($0)", Self.sum(rows: $0 == changed ? version : 0)) }
      return DataEdition(generation, at: try SeedVersion(version), Dictionary(uniqueKeysWithValues: tables))
    }
    let queries = (0..<20).map { table in
      let live = LiveRows<[Int]>(isSame: nil) { _ in
        runs.withLock { $0[table] += 1 }
        return ([], .tables(["table\(table)": ["name"]]))
      } onDamage: { _ in
      } sleep: { _ in
      }
      return Collected(live.stream(at: editions))
    }
    editions.send(try edition(1, changed: 7))
    try await until { queries.allSatisfy { $0.all.count == 1 } }
    editions.send(try edition(2, changed: 7))
    try await until { queries[7].all.count == 2 }
    editions.send(try edition(2, changed: 7))
    editions.finish()
    try await until { queries.allSatisfy(\.isOver) }
    #expect(runs.withLock(\.self) == (0..<20).map { $0 == 7 ? 2 : 1 })
  }

  private static func sum(rows: Int) -> TableSum {
    TableSum(rows: rows, bytes: Array(repeating: 0, count: 32)) ?? TableSum()
  }

  private func generation() async throws -> Generation {
    let store = try fixture.store()
    try await store.prepare()
    return try #require(await store.current)
  }

  @Test func `a temporarily unreadable file is retried`() async throws {
    let generation = try await generation()
    let editions = Broadcast<DataEdition>(mostWaiting: 1, replaysLatest: true)
    let failures = Mutex(3)
    let waits = Mutex<[Duration]>([])
    let live = LiveRows<[Int]>(isSame: nil) { _ in
      let fails = failures.withLock { left in
        left -= 1
        return left >= 0
      }
      if fails { throw SeedError(.io, "the device is locked") }
      return ([1], .all)
    } onDamage: { _ in
    } sleep: { wait in
      waits.withLock { $0.append(wait) }
    }
    let rows = Collected(live.stream(at: editions))
    editions.send(DataEdition(generation, at: .first, [:]))
    try await until { rows.all == [[1]] }
    #expect(waits.withLock(\.self) == [.seconds(0.25), .seconds(0.5), .seconds(1)])
    editions.finish()
  }

  @Test func `a query that waits for an unreadable file continues at once with a newer file`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    let old = try #require(await store.current)
    try fixture.publishGeneration(["a": "Two"])
    try await store.update()
    let new = try #require(await store.current)
    let editions = Broadcast<DataEdition>(mostWaiting: 1, replaysLatest: true)
    let gate = Gate()
    gate.close()
    let live = LiveRows<Int>(isSame: nil) { edition in
      guard edition.generation === new else { throw SeedError(.io, "the device is locked") }
      return (2, .all)
    } onDamage: { _ in
    } sleep: { _ in
      try await gate.pass()
    }
    let rows = Collected(live.stream(at: editions))
    editions.send(DataEdition(old, at: .first, nil))
    await gate.untilWaiting()
    editions.send(DataEdition(new, at: .first.next, nil))
    try await until { rows.all == [2] }
    editions.finish()
  }

  @Test func `a file that stays unreadable for half a minute ends the query with the reason`() async throws {
    let editions = Broadcast<DataEdition>(mostWaiting: 1, replaysLatest: true)
    editions.send(DataEdition(try await generation(), at: .first, nil))
    let waited = Mutex(Duration.zero)
    let live = LiveRows<[Int]>(isSame: nil) { _ in
      throw SeedError(.io, "the device is locked")
    } onDamage: { _ in
    } sleep: { wait in
      waited.withLock { $0 += wait }
    }
    var rows = live.stream(at: editions).makeAsyncIterator()
    let error = await #expect(throws: SeedError.self) { _ = try await rows.next() }
    #expect(error == SeedError(.io, "the device is locked"))
    #expect(waited.withLock(\.self) == .seconds(31.75))
    editions.finish()
  }
}
