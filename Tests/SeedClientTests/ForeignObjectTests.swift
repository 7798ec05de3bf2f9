import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import Support
import Testing

/// If an app creates objects in a seed's file, it loses them but never its updates.
@Suite struct ForeignObjectTests {
  static let objects = [
    "CREATE TABLE mine(a)",
    "CREATE TRIGGER mine AFTER UPDATE ON stop BEGIN DELETE FROM line; END",
    "CREATE VIRTUAL TABLE mine USING fts5(x)",
  ]

  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
  }

  @Test(arguments: objects)
  func `an object created by the app does not stop updates of an open file`(_ sql: String) async throws {
    let store = try fixture.store()
    try Connection(await store.prepare().url.path, .writer).execute(sql)
    try fixture.publisher.publish(["a": "Two"])
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test(arguments: objects)
  func `a file with an object of the app is replaced by a snapshot after a restart`(_ sql: String)
    async throws
  {
    let first = try fixture.store()
    try Connection(await first.prepare().url.path, .writer).execute(sql)
    // Suspending releases the lock at once.
    await first.suspend()
    try await expectSnapshot(of: fixture.store())
  }

  private func expectSnapshot(of store: SeedStore) async throws {
    try fixture.publisher.publish(["a": "Two"])
    try fixture.publisher.publishSnapshot()
    #expect(try await store.update().plan.reason == .deltasFailed)
    #expect(try await store.stops() == ["Two"])
    try await store.verify()
  }
}
