import Foundation
import SeedDatabase
import SeedFormat
import Support
import Testing

@testable import SeedClient

/// An app can verify its data, and damaged data is replaced.
@Suite struct VerificationTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "One"])
  }

  private func forge(_ seed: Seed, _ name: String = "evil") throws {
    try Connection(seed.url.path, .writer).execute("UPDATE stop SET name = '\(name)'")
  }

  /// Damage found by an earlier store, which a verification would not find again.
  private func findDamage() async throws {
    let store = try fixture.store()
    let seed = try await store.update().seed
    try forge(seed)
    #expect(await code { try await store.verify() } == .damaged)
    try forge(seed, "One")
    await store.close()
  }

  @Test func `published data passes verification even before the first download`() async throws {
    let store = try fixture.store()
    try await store.verify()
    try await store.update()
    try fixture.publisher.publish(["b": "Two"])
    try await store.update()
    try await store.verify()
    #expect(try await store.update().action == .upToDate)
  }

  @Test func `forged rows are found and replaced by a snapshot`() async throws {
    let store = try fixture.store()
    try forge(try await store.update().seed)
    #expect(try await store.update().action == .upToDate, "a look does not read the rows")
    #expect(await code { try await store.verify() } == .damaged)
    #expect(await store.state.lastError == nil)
    #expect(try await store.update().action == .replaced)
    try await store.verify()
    #expect(try await store.stops() == ["One"])
  }

  @Test func `a file that cannot even be opened fails`() async throws {
    let first = try fixture.store()
    try await first.update()
    await first.close()
    try fixture.damage { $0 = Data("no database at all, and long enough to be read as one's header".utf8) }
    let store = try fixture.store()
    #expect(await code { try await store.verify() } == .damaged)
    try await store.update()
    try await store.verify()
  }

  @Test func `until a snapshot arrives the previous generation is read if it verifies`() async throws {
    let store = try fixture.store()
    try await store.update()
    try fixture.publishGeneration(["a": "Two"])
    try forge(try await store.update().seed)
    #expect(await code { try await store.verify() } == .damaged)
    #expect(try await store.stops() == ["One"])
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `an app without a replacement for damaged data sees none until an update`() async throws {
    let store = try fixture.store()
    let names = Collected(store.observe("SELECT name FROM stop", as: String.self))
    let seed = try await store.update().seed
    try await until { names.all == [["One"]] }
    try forge(seed)
    #expect(await code { try await store.verify() } == .damaged)
    fixture.publisher.withServed { $0.failure = .offline }
    #expect(await code { _ = try await store.stops() } == .network)
    let state = await store.state
    #expect(state.version == nil && state.origin == nil && state.lastChecked != nil)
    let files = Collected(store.files)
    fixture.publisher.withServed { $0.failure = nil }
    let new = try await store.update().seed
    try await until { names.all == [["One"], ["One"]] && files.all.map(\.url) == [new.url] }
    #expect(new.url != seed.url)
  }

  @Test func `a damaged previous generation is not read`() async throws {
    let store = try fixture.store()
    try forge(try await store.update().seed)
    try fixture.publishGeneration(["a": "Two"])
    try forge(try await store.update().seed)
    #expect(await code { try await store.verify() } == .damaged)
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `after a swap to a file that cannot be read for now, the data from before stays current`()
    async throws
  {
    let store = try fixture.store()
    try await store.update()
    let other = try await store.requireCurrent()
    try fixture.publishGeneration(["a": "Two"])
    try await store.update()
    try StoreLayout(directory: fixture.directory).setCurrent(other.name)
    await other.reader.suspend()
    #expect(try other.lease.retake())
    #expect(await code { try await store.openSwapped(other.name) } == .suspended)
    #expect(try await store.stops() == ["Two"])
    await store.close()
    #expect(try await fixture.store().stops() == ["Two"])
  }

  @Test func `known damage survives a restart and is replaced by a snapshot`() async throws {
    try await findDamage()
    let next = try fixture.store()
    let (root, now) = (fixture.publisher.root, fixture.publisher.now)
    let report = try StoreExamination(fixture.directory, root: root, now: now).run()
    #expect(report.findings.map(\.problem) == ["a read found damage, so the store no longer reads it"])
    #expect(try await next.update().action == .replaced)
    try await next.verify()
    #expect(try await next.stops() == ["One"])
    try await fixture.store().verify()
  }

  @Test func `damage that another store found is replaced by the updating one`() async throws {
    let (store, reader) = (try fixture.store(), try fixture.store())
    try forge(try await store.update().seed)
    #expect(await code { try await reader.verify() } == .damaged)
    #expect(try await store.update().action == .replaced)
    #expect(try await store.stops() == ["One"])
    #expect(try await reader.stops() == ["One"])
  }

  @Test func `a cancelled verification finds nothing`() async throws {
    let store = try fixture.store()
    try forge(try await store.update().seed)
    let proof = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await code { try await store.verify() }
    }
    #expect(await proof.value == .cancelled)
    #expect(try await store.update().action == .upToDate)
  }
}
