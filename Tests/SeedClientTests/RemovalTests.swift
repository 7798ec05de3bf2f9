import Foundation
import SeedClient
import SeedFormat
import Support
import Testing

/// `remove()` frees the space, and never removes files that another store reads.
@Suite struct RemovalTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
  }

  @Test func `a removed store has no files and starts over, and other files in its directory stay`()
    async throws
  {
    let store = try fixture.store()
    let seed = try await store.prepare()
    let data = try #require(
      FileManager.default.attributesOfItem(atPath: seed.url.path)[.size] as? Int)
    #expect(try await store.diskUsage() > data)
    try await store.remove()
    #expect(!FileManager.default.fileExists(atPath: fixture.directory))
    let (usage, state) = (try await store.diskUsage(), await store.state)
    #expect(usage == 0 && state.version == nil && state.lastUpdated == nil)
    try fixture.publishGeneration(["a": "Two"])
    #expect(try await store.stops() == ["Two"])
    #expect(try await store.update().action == .upToDate)
    try Data("x".utf8).write(to: URL(fileURLWithPath: "\(fixture.directory)/notes.txt"))
    try await store.remove()
    #expect(try fixture.names("") == ["notes.txt"])
  }

  @Test func `data that another store reads stays, and is removed by the next update after its end`()
    async throws
  {
    let (store, reader) = (try fixture.store(), try fixture.store())
    try await store.update()
    let kept = try await reader.prepare().url.path
    #expect(try await reader.stops() == ["One"])
    try await store.remove()
    #expect(FileManager.default.fileExists(atPath: kept))
    #expect(try fixture.names("").sorted() == ["LOCK", "generations"])
    #expect(try await reader.stops() == ["One"])
    await reader.close()
    try await store.update()
    #expect(!FileManager.default.fileExists(atPath: kept))
    #expect(try fixture.names("generations").count == 1)
  }

  @Test func `a reader that becomes the updating store downloads what another one removed`() async throws {
    let (store, reader) = (try fixture.store(), try fixture.store())
    try await store.update()
    #expect(try await reader.stops() == ["One"])
    try await store.remove()
    #expect(try await reader.update().action == .replaced)
    #expect(try await reader.stops() == ["One"])
    await reader.close()
    fixture.publisher.withServed { $0.failure = .offline }
    #expect(try await fixture.store().stops() == ["One"])
  }

  @Test func `a reader that becomes the updating store offline has no data that another one removed`()
    async throws
  {
    let (store, reader) = (try fixture.store(), try fixture.store())
    try await store.update()
    #expect(try await reader.stops() == ["One"])
    try await store.remove()
    fixture.publisher.withServed { $0.failure = .offline }
    #expect(try await reader.stops() == ["One"])
    #expect(await code { try await reader.update() } == .network)
    #expect(await code { _ = try await reader.stops() } == .network)
    #expect(await reader.state.version == nil)
  }

  @Test func `a store that another one updates is not removed`() async throws {
    let (store, other) = (try fixture.store(), try fixture.store())
    try await store.update()
    #expect(try await other.stops() == ["One"])
    #expect(await code { try await other.remove() } == .storeLocked)
    #expect(try await other.stops() == ["One"])
    #expect(try await store.update().action == .upToDate)
  }

  @Test func `suspended and closed stores are not removed`() async throws {
    let store = try fixture.store()
    try await store.update()
    await store.suspend()
    #expect(await code { try await store.remove() } == .suspended)
    await store.close()
    #expect(await code { try await store.remove() } == .closed)
    #expect(try fixture.names("generations").count == 1)
  }

  @Test func `remove ends a running download, and keepUpdated and live queries go on`() async throws {
    let store = try fixture.store()
    var rows = store.observe("SELECT name FROM stop").makeAsyncIterator()
    let gate = fixture.hold("snapshot-")
    let keeping = Task<Void, any Error> { try await store.keepUpdated { Issue.record("\($0)") } }
    await gate.untilWaiting()
    fixture.publisher.withServed { $0.hold = nil }
    try await store.remove()
    #expect(try await rows.next()?.map { $0["name"] } == ["One"])
    keeping.cancel()
    _ = await keeping.result
  }
}
