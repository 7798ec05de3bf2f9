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
  func `an object created by the app does not stop updates, and a snapshot replaces its file after a restart`(
    _ sql: String
  ) async throws {
    let first = try fixture.store()
    try Connection(await first.prepare().url.path, .writer).execute(sql)
    try fixture.publisher.publish(["a": "Two"])
    #expect(try await first.update().action == .applied)
    #expect(try await first.stops() == ["Two"])
    // Suspending releases the lock at once.
    await first.suspend()
    let store = try fixture.store()
    try fixture.publisher.publish(["a": "Three"])
    try fixture.publisher.publishSnapshot()
    #expect(try await store.update().plan.reason == .deltasFailed)
    #expect(try await store.stops() == ["Three"])
    try await store.verify()
  }
}
