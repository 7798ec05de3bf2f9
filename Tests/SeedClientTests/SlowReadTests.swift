import Foundation
import SeedClient
import SeedFormat
import Support
import Testing

/// A slow read blocks nothing else and can be cancelled. The slow reads here never end otherwise.
@Suite struct SlowReadTests {
  static let endless: SeedQuery =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
  /// More than the store has connections for.
  static let many = 9

  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
  }

  /// Starts an endless read. Its value is the code of the final error.
  private func begin(_ store: SeedStore) async -> Task<SeedError.Code?, Never> {
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      await code {
        _ = try await store.read { reader in
          beginning.yield()
          return try reader.rows(Self.endless).count
        }
      }
    }
    var iterator = begun.makeAsyncIterator()
    await iterator.next()
    return task
  }

  @Test func `a slow read blocks no other read, live query or update`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    let slow = await begin(store)
    #expect(try await store.stops() == ["One"])
    var rows = store.observe("SELECT name FROM stop", as: String.self).makeAsyncIterator()
    #expect(try await rows.next() == ["One"])
    try fixture.publisher.publish(["a": "Two"])
    #expect(try await store.update().action == .applied)
    #expect(try await rows.next() == ["Two"])
    try fixture.publishGeneration(["a": "Three"])
    #expect(try await store.update().action == .replaced)
    #expect(try await store.stops() == ["Three"])
    slow.cancel()
    #expect(await slow.value == .cancelled)
  }

  @Test func `cancelled reads and live queries free their connections`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    let reads = (0..<Self.many).map { _ in
      Task { await code { _ = try await store.read { try $0.rows(Self.endless).count } } }
    }
    let queries = (0..<Self.many).map { _ in
      Task { for try await _ in store.observe(Self.endless) {} }
    }
    for read in reads { read.cancel() }
    for query in queries { query.cancel() }
    for read in reads { #expect(await read.value == .cancelled) }
    #expect(try await store.stops() == ["One"])
  }

  @Test func `a suspension ends running and waiting reads`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    let slow = await begin(store)
    let further = (0..<Self.many).map { _ in
      Task { await code { _ = try await store.read { try $0.rows(Self.endless).count } } }
    }
    await store.suspend()
    #expect(await slow.value == .suspended)
    for read in further { #expect(await read.value == .suspended) }
    await store.resume()
    #expect(try await store.stops() == ["One"])
  }

  @Test func `a live query ended by a suspension runs again afterwards`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    // Endless while there is only one stop.
    let sql = """
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT iif((SELECT count(*) FROM stop) = 1, -1, 2))
      SELECT max(x) FROM n
      """
    var rows = store.observe(SeedQuery(sql: sql), as: Int.self).makeAsyncIterator()
    try fixture.publisher.publish(["b": "Two"])
    try await store.update()
    await store.suspend()
    await store.resume()
    #expect(try await rows.next() == [2])
  }
}
