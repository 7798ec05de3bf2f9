import CSQLite
import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

/// Deltas through the app's own connection, and seeds attached to the app's database.
@Suite struct AppConnectionTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One", "b": "Bellevue"])
  }

  /// A connection of the app that records its update hook.
  fileprivate final class TestConnection: @unchecked Sendable {
    let handle: OpaquePointer
    private(set) var events: [String] = []

    init(_ path: String, _ flags: Int32 = SQLITE_OPEN_READWRITE) throws {
      var handle: OpaquePointer?
      guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
        throw Failed(what: path)
      }
      self.handle = handle
      sqlite3_update_hook(handle, noteEvent, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { sqlite3_close(handle) }

    func execute(_ sql: String) throws {
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Failed(what: sql) }
    }

    func note(_ event: String) { events.append(event) }

    func texts(_ sql: String) throws -> [String] {
      try Connection(borrowing: handle).rows(sql).map { $0[0].description }
    }
  }

  struct Failed: Error {
    let what: String
  }

  @Test func `the app's connection reports each row changed by a delta`() async throws {
    let store = try fixture.store()
    let seed = try await store.prepare()
    let app = try TestConnection(seed.url.path)
    try app.execute("PRAGMA foreign_keys = ON")
    await store.setConnectionProvider { _, apply in _ = try apply(app.handle) }
    try fixture.publisher.publish(["a": "Uno", "c": "Charité"], deleting: ["b"])
    let report = try await store.update()
    #expect(report.action == .applied)
    #expect(
      app.events.filter { $0.hasSuffix(" stop") }.sorted() == ["delete stop", "insert stop", "update stop"])
    #expect(try await store.stops() == ["Uno", "Charité"])
    #expect(try app.texts("PRAGMA foreign_keys") == ["1"])
    await store.setConnectionProvider(nil)
    try fixture.publisher.publish(["a": "Eins"])
    try await store.update()
    #expect(try app.texts("SELECT name FROM stop WHERE id = 'a'") == ["Eins"])
  }

  @Test func `the app's connection leaves no WAL behind and keeps its busy timeout`() async throws {
    let store = try fixture.store()
    let path = try await store.prepare().url.path
    let app = try TestConnection(path)
    try app.execute("PRAGMA busy_timeout = 1234")
    await store.setConnectionProvider { _, apply in _ = try apply(app.handle) }
    try fixture.publisher.publish(["a": "Uno"])
    #expect(try await store.update().action == .applied)
    #expect(try FileStamp("\(path)-wal")?.size == 0)
    #expect(try app.texts("PRAGMA busy_timeout") == ["1234"])
  }

  @Test func `a query_only connection accepts the changes of a delta and nothing else`()
    async throws
  {
    let store = try fixture.store()
    let app = try TestConnection(await store.prepare().url.path)
    try app.execute("PRAGMA query_only = 1")
    await store.setConnectionProvider { _, apply in _ = try apply(app.handle) }
    try fixture.publisher.publish(["a": "Uno"])
    #expect(try await store.update().action == .applied)
    #expect(try app.texts("SELECT name FROM stop WHERE id = 'a'") == ["Uno"])
    #expect(throws: Failed.self) { try app.execute("DELETE FROM stop") }
    #expect(try await store.stops() == ["Uno", "Bellevue"])
  }

  @Test func `a swap does not need the app's connection and the next delta needs the new file`() async throws
  {
    let store = try fixture.store()
    let seed = try await store.prepare()
    let app = try TestConnection(seed.url.path)
    await store.setConnectionProvider { _, apply in _ = try apply(app.handle) }
    try fixture.publishGeneration(["a": "Two"])
    #expect(try await store.update().action == .replaced)
    try fixture.publisher.publish(["a": "Three"])
    #expect(await code { try await store.update() } == .connection)
    let reopened = try TestConnection(await store.prepare().url.path)
    await store.setConnectionProvider { _, apply in _ = try apply(reopened.handle) }
    try await store.update()
    #expect(try await store.stops() == ["Three", "Bellevue"])
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    let flags: Int32
    let sql: String
  }

  @Test(arguments: [
    Mistake(
      testDescription: "read-only", words: "cannot write", flags: SQLITE_OPEN_READONLY, sql: "SELECT 1"),
    Mistake(
      testDescription: "in a transaction", words: "writeWithoutTransaction", flags: SQLITE_OPEN_READWRITE,
      sql: "BEGIN"),
  ])
  func `a connection that cannot write is rejected with a reason and the data stays`(_ mistake: Mistake)
    async throws
  {
    let store = try fixture.store()
    let app = try TestConnection(await store.prepare().url.path, mistake.flags)
    try app.execute(mistake.sql)
    await store.setConnectionProvider { _, apply in _ = try apply(app.handle) }
    try fixture.publisher.publish(["a": "Uno"])
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .connection && error?.message.contains(mistake.words) == true, "\(error as Any)")
    #expect(try await store.stops() == ["One", "Bellevue"])
  }

  @Test func `a locked file is reported and the next update succeeds`() async throws {
    let store = try fixture.store()
    let seed = try await store.prepare()
    let (app, other) = (try TestConnection(seed.url.path), try TestConnection(seed.url.path))
    await store.setConnectionProvider { _, apply in _ = try apply(app.handle) }
    try fixture.publisher.publish(["a": "Uno"])
    try other.execute("BEGIN IMMEDIATE")
    #expect(await code { try await store.update() } == .connection)
    try other.execute("ROLLBACK")
    #expect(try await store.update().action == .applied)
  }

  @Test func `a provider that never calls, calls twice or throws gets a clear error`() async throws {
    let store = try fixture.store()
    let app = try TestConnection(await store.prepare().url.path)
    try fixture.publisher.publish(["a": "Uno"])
    await store.setConnectionProvider { _, _ in }
    #expect(await code { try await store.update() } == .connection)
    await store.setConnectionProvider { _, _ in throw Failed(what: "the pool is closed") }
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.message.contains("the pool is closed") == true)
    await store.setConnectionProvider { _, apply in
      _ = try apply(app.handle)
      _ = try? apply(app.handle)
      throw Failed(what: "after the commit")
    }
    #expect(try await store.update().action == .applied, "what was committed counts")
    #expect(try await store.stops() == ["Uno", "Bellevue"])
  }

  @Test func `a cancellation in the provider does not end later updates`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    try fixture.publisher.publish(["a": "Uno"])
    await store.setConnectionProvider { _, _ in throw CancellationError() }
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .connection && error?.isRetryable == true)
  }

  @Test func `a delta that does not match through the app's connection is replaced by a snapshot`()
    async throws
  {
    let store = try fixture.store()
    let app = try TestConnection(await store.prepare().url.path)
    await store.setConnectionProvider { _, apply in _ = try apply(app.handle) }
    try fixture.publisher.publish(["a": "Two"])
    try fixture.publisher.publishSnapshot()
    // An app that writes to the seed breaks its digest.
    try app.execute("UPDATE stop SET name = 'mine' WHERE id = 'a'")
    #expect(try await store.update().action == .replaced)
    #expect(try await store.stops() == ["Two", "Bellevue"])
  }

  // MARK: Attaching

  @Test func `an app can join its data with a read-only seed and follow a swap`()
    async throws
  {
    let store = try fixture.store()
    let first = try await store.prepare()
    let app = try TestConnection(
      fixture.folder("app #1 100%.sqlite"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
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
    try Seed.detach(from: app.handle)
    #expect(throws: (any Error).self) { try app.texts(sql) }
  }

  @Test(arguments: ["main", "TEMP"])
  func `a reserved schema name is rejected with a reason`(_ name: String) async throws {
    let store = try fixture.store()
    let seed = try await store.prepare()
    let app = try TestConnection(seed.url.path)
    let error = #expect(throws: SeedError.self) { try seed.attach(to: app.handle, as: name) }
    #expect(error?.code == .connection && error?.message.contains("another name") == true)
    #expect(throws: SeedError.self) { try Seed.detach(from: app.handle, as: name) }
  }

  @Test func `detaching a seed that is not attached is an error`() async throws {
    let app = try TestConnection(fixture.folder("app.sqlite"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    #expect(await code { try Seed.detach(from: app.handle, as: "mine") } == .connection)
  }

  @Test func `a failed attach keeps the older seed attached`() async throws {
    let store = try fixture.store()
    let first = try await store.prepare()
    let app = try TestConnection(
      fixture.folder("app.sqlite"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
    try first.attach(to: app.handle)
    try fixture.publishGeneration(["a": "Two"])
    let second = try await store.update().seed
    try FileManager.default.removeItem(at: second.url)
    #expect(await code { try second.attach(to: app.handle) } == .connection)
    #expect(try app.texts("SELECT name FROM seed.stop WHERE id = 'a'") == ["One"])
  }

  @Test func `attaching within a transaction is an error`() async throws {
    let store = try fixture.store()
    let seed = try await store.prepare()
    let app = try TestConnection(
      fixture.folder("app.sqlite"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
    try seed.attach(to: app.handle)
    try app.execute("BEGIN; SELECT * FROM seed.stop")
    #expect(await code { try seed.attach(to: app.handle) } == .connection)
  }
}

private func noteEvent(
  _ context: UnsafeMutableRawPointer?, _ kind: Int32, _: UnsafePointer<CChar>?,
  _ table: UnsafePointer<CChar>?,
  _: sqlite3_int64
) {
  guard let context, let table else { return }
  let names = [SQLITE_INSERT: "insert", SQLITE_UPDATE: "update", SQLITE_DELETE: "delete"]
  Unmanaged<AppConnectionTests.TestConnection>.fromOpaque(context).takeUnretainedValue()
    .note("\(names[kind] ?? "?") \(String(cString: table))")
}
