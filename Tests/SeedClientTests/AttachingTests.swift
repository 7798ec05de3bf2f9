import CSQLite
import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import Support
import Testing

/// Seeds attached to the app's database.
@Suite struct AttachingTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One", "b": "Bellevue"])
  }

  /// A connection of the app.
  private final class TestConnection {
    let handle: OpaquePointer

    init(_ path: String) throws {
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
      var handle: OpaquePointer?
      guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
        throw Failed(what: path)
      }
      self.handle = handle
    }

    deinit { sqlite3_close(handle) }

    func execute(_ sql: String) throws {
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Failed(what: sql) }
    }

    func texts(_ sql: String) throws -> [String] {
      try Connection(borrowing: handle).rows(sql).map { $0[0].description }
    }
  }

  struct Failed: Error {
    let what: String
  }

  @Test func `an app can join its data with a read-only seed and follow a swap`() async throws {
    let store = try fixture.store()
    let first = try await store.prepare()
    let app = try TestConnection(fixture.folder("app #1 100%.sqlite"))
    try app.execute("CREATE TABLE favourite(stop TEXT PRIMARY KEY); INSERT INTO favourite VALUES ('a')")
    try first.attach(to: app.handle)
    let sql = "SELECT name FROM favourite JOIN seed.stop ON id = favourite.stop"
    #expect(try app.texts(sql) == ["One"])
    #expect(throws: Failed.self) { try app.execute("DELETE FROM seed.stop") }
    try fixture.publishGeneration(["a": "Two"])
    let second = try await store.update().seed
    #expect(try app.texts(sql) == ["One"])
    try second.attach(to: app.handle)
    #expect(try app.texts(sql) == ["Two"])
  }

  @Test func `an attach that fails keeps the older seed attached`() async throws {
    let store = try fixture.store()
    let first = try await store.prepare()
    let app = try TestConnection(fixture.folder("app.sqlite"))
    try first.attach(to: app.handle)
    for reserved in ["main", "TEMP"] {
      let error = #expect(throws: SeedError.self) { try first.attach(to: app.handle, as: reserved) }
      #expect(error?.code == .connection && error?.message.contains("another name") == true)
    }
    try fixture.publishGeneration(["a": "Two"])
    let second = try await store.update().seed
    try app.execute("BEGIN; SELECT * FROM seed.stop")
    #expect(await code { try second.attach(to: app.handle) } == .connection, "within a transaction")
    try app.execute("COMMIT")
    try FileManager.default.removeItem(at: second.url)
    #expect(await code { try second.attach(to: app.handle) } == .connection, "without a file")
    #expect(try app.texts("SELECT name FROM seed.stop WHERE id = 'a'") == ["One"])
  }
}
