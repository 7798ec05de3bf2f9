import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import Support
import Testing

/// An app in doubt has its data proved; what is damaged gives way.
@Suite struct VerificationTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "One"])
  }

  private func forge(_ seed: Seed) throws {
    try Connection(seed.url.path, .writer).execute("UPDATE stop SET name = 'evil'")
  }

  @Test func `data that is what was published is proved, before the first download too`() async throws {
    let store = try fixture.store()
    try await store.verify()
    try await store.update()
    try fixture.publisher.publish(["b": "Two"])
    try await store.update()
    try await store.verify()
    #expect(try await store.update().action == .upToDate)
  }

  @Test func `rows that nobody published are found, and a snapshot takes their place`() async throws {
    let store = try fixture.store()
    try forge(try await store.update().seed)
    #expect(try await store.update().action == .upToDate, "a look does not read the rows")
    #expect(await code { try await store.verify() } == .damaged)
    #expect(await store.state.lastError == nil)
    #expect(try await store.update().action == .replaced)
    try await store.verify()
    #expect(try await store.stops() == ["One"])
  }

  @Test func `until the snapshot comes the generation before is read, where it can be proved`() async throws {
    let store = try fixture.store()
    try await store.update()
    try fixture.publishGeneration(["a": "Two"])
    try forge(try await store.update().seed)
    #expect(await code { try await store.verify() } == .damaged)
    #expect(try await store.stops() == ["One"])
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `a damaged generation before is not read either`() async throws {
    let store = try fixture.store()
    try forge(try await store.update().seed)
    try fixture.publishGeneration(["a": "Two"])
    try forge(try await store.update().seed)
    #expect(await code { try await store.verify() } == .damaged)
    #expect(try await store.stops() == ["Two"])
  }
}
