import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

@testable import SeedClient

@Suite struct UpdateTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz", "b": "Bellevue"])
  }

  @Test func `the first start downloads a snapshot and the deltas after it, and opens the result`()
    async throws
  {
    for number in 2...4 { try fixture.publisher.publish(["a": "Name \(number)"]) }
    let store = try fixture.store()
    let seed = try await store.prepare()
    #expect(seed.version.number == 4)
    #expect(try stops(inFile: seed.url) == ["Name 4", "Bellevue"])
    #expect(try await store.stops() == ["Name 4", "Bellevue"])
    let state = await store.state
    #expect(state.version?.number == 4 && state.attribution == "Stadtwerke" && !state.isStale)
    #expect(try fixture.names("partial").isEmpty)
    #expect(try Connection(seed.url.path, .reader).value("PRAGMA journal_mode") == .text("wal"))
  }

  @Test func `omitted indexes are built before the first read and deltas continue`() async throws {
    fixture.publisher.leavesIndexesOut = true
    try fixture.publisher.publishSnapshot()
    let store = try fixture.store()
    let seed = try await store.prepare()
    let file = try Connection(seed.url.path, .reader)
    #expect(try SchemaReader(file).schema() == fixture.publisher.schema)
    #expect(try OmittedIndexes.entries(of: file).isEmpty)
    try fixture.publisher.publish(["c": "Charlottenburg"])
    let report = try await store.update()
    #expect(report.action == .applied)
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue", "Charlottenburg"])
  }

  @Test func `a delta changes rows in place and reaches all listeners, and missed ones are applied in order`()
    async throws
  {
    let store = try fixture.store()
    let first = try await store.prepare()
    var rows = store.observe(
      "SELECT name FROM stop WHERE name <> \("Bellevue") ORDER BY id", as: String.self
    ).makeAsyncIterator()
    var changes = store.changes.makeAsyncIterator()
    #expect(try await rows.next() == ["Alexanderplatz"])
    try fixture.publisher.publish(["a": "Alex", "c": "Charité"], deleting: ["b"])
    let report = try await store.update()
    #expect(report.action == .applied && report.from == .first && report.to == .first.next)
    #expect(report.seed.url == first.url)
    let change = try #require(await changes.next())
    #expect(change.version == report.to)
    #expect(change.tables.keys.sorted() == ["stop"])
    let counts = try #require(change.tables["stop"])
    #expect((counts.inserted, counts.updated, counts.deleted) == (1, 1, 1))
    #expect(try await rows.next() == ["Alex", "Charité"])
    #expect(try stops(inFile: first.url) == ["Alex", "Charité"])
    for number in 3...5 { try fixture.publisher.publish(["a": "Name \(number)"]) }
    try await store.update()
    for number in 3...5 {
      let change = await changes.next()
      #expect(change?.version.number == number)
    }
    #expect(try await store.stops() == ["Name 5", "Charité"])
  }

  @Test func `a swapped generation has a new path and an old reader continues`() async throws {
    let store = try fixture.store()
    var files = store.files.makeAsyncIterator()
    try await store.prepare()
    let first = try #require(await files.next())
    let reader = try Connection(first.url.path, .reader)
    try fixture.publisher.startEpoch()
    try fixture.publisher.publish(["a": "Anders"])
    let report = try await store.update()
    #expect(report.action == .replaced)
    let second = try #require(await files.next())
    #expect(second.url != first.url && second.url == report.seed.url)
    #expect(try reader.rows("SELECT name FROM stop ORDER BY id").count == 2)
    #expect(try stops(inFile: first.url) == ["Alexanderplatz", "Bellevue"])
    #expect(try await store.stops() == ["Anders", "Bellevue"])
  }

  @Test func `the current and the previous generation stay, and older ones only while leased`() async throws {
    let store = try fixture.store()
    var first: Seed? = try await store.prepare()
    let firstName = try #require(first?.url.deletingLastPathComponent().lastPathComponent)
    for _ in 0..<2 {
      try fixture.publisher.startEpoch()
      try await store.update()
    }
    #expect(try fixture.names("generations").count == 3)
    #expect(try stops(inFile: #require(first?.url)).count == 2)
    first = nil
    try await until { (try? fixture.names("generations").contains(firstName)) == false }
    #expect(try fixture.names("generations").count == 2)
  }

  @Test func `an app can read during a hanging download and cancelling it leaves nothing behind`()
    async throws
  {
    let store = try fixture.store()
    try await store.prepare()
    try fixture.publisher.startEpoch()
    let gate = fixture.hold("targets/")
    let update = Task { try await store.update() }
    await gate.untilWaiting()
    #expect(try await store.prepare().version == .first)
    #expect(try await store.stops() == ["Alexanderplatz", "Bellevue"])
    update.cancel()
    #expect(await code { _ = try await update.value } == .cancelled)
    #expect(try fixture.names("partial").isEmpty)
    #expect(await store.state.lastError == nil)
    gate.open()
    #expect(try await store.update().action == .replaced)
  }

  @Test func `keepUpdated continues after failures and ends on cancellation`() async throws {
    let waiting = AsyncStream.makeStream(of: Duration.self)
    let publisher = fixture.publisher
    publisher.withServed { $0.failure = .offline }
    let store = try fixture.store { environment in
      environment.sleep = { duration in
        // Retries within one update wait at most a second, and each request has a timeout of 30.
        if duration > .seconds(1), duration != .seconds(30) { waiting.continuation.yield(duration) }
        try await Task.sleep(for: .milliseconds(1))
      }
      environment.chance = { 0.5 }
      environment.uptime = { .zero }
    }
    let task = Task<Void, any Error> { try await store.keepUpdated() }
    var wait = waiting.stream.makeAsyncIterator()
    let waits = [await wait.next(), await wait.next()]
    #expect(waits == [.seconds(20), .seconds(40)])
    publisher.withServed { $0.failure = nil }
    while await wait.next() != .seconds(60) {}
    #expect(try await store.stops().count == 2)
    task.cancel()
    #expect(await code { try await task.value } == .cancelled)
  }
}
