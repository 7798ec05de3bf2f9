import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

/// A generation is confirmed by its first read. If it cannot be read, the store returns to the one before.
@Suite struct ConfirmationTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "One"])
  }

  /// A store that updated from version 1 to 2, and has read it if `isRead`.
  private func swapped(isRead: Bool) async throws {
    let store = try fixture.store()
    #expect(try await store.stops() == ["One"])
    try fixture.publishGeneration(["a": "Two"])
    try await store.update()
    if isRead { #expect(try await store.stops() == ["Two"]) }
  }

  @Test func `an unread file that cannot be read gives way to the previous one and is not downloaded again`()
    async throws
  {
    try await swapped(isRead: false)
    try fixture.damage { $0.removeLast($0.count - 2000) }
    let store = try fixture.store()
    #expect(try await store.stops() == ["One"])
    #expect(await code { try await store.update() } == .rejected)
    #expect(try await store.stops() == ["One"])
    #expect(try fixture.names("generations").count == 1)
    let state = await store.state
    #expect(state.lastError?.code == .rejected && state.version == .first)
    await store.close()
    let restarted = try fixture.store()
    #expect(await code { try await restarted.update() } == .rejected)
    // Another file with the same rows gets another chance.
    try fixture.publisher.publishSnapshot(.xz)
    try await restarted.update()
    #expect(try await restarted.stops() == ["Two"])
  }

  @Test func `a confirmed file that is damaged later gives way and can be repaired by the same snapshot`()
    async throws
  {
    try await swapped(isRead: true)
    try fixture.damage { $0 = Data("no database at all, and long enough to be read as one's header".utf8) }
    let store = try fixture.store()
    #expect(try await store.stops() == ["One"])
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `a start confirms an unread but readable file`() async throws {
    try await swapped(isRead: false)
    func confirmations() throws -> Int {
      try fixture.names("generations").filter { try fixture.names("generations/\($0)").contains("CONFIRMED") }
        .count
    }
    #expect(try confirmations() == 1)
    let store = try fixture.store()
    try await store.prepare()
    #expect(try confirmations() == 2)
  }

  @Test(arguments: [false, true])
  func `a read of a damaged page falls back to the previous generation until a snapshot arrives`(
    _ isConfirmed: Bool
  ) async throws {
    try await swapped(isRead: true)
    try fixture.publishGeneration(StoreFixture.manyStops)
    var store = try fixture.store()
    try await store.update()
    if isConfirmed {
      #expect(try await store.stops().count == 1001)
      // A new store, because this one may have cached the page. Suspending releases the lock at once.
      await store.suspend()
      store = try fixture.store()
    }
    try fixture.damagePage()
    var files = store.files.makeAsyncIterator()
    #expect(try await store.prepare().version.number == 3)
    _ = await files.next()
    #expect(try await store.stops() == ["Two"])
    #expect(await files.next()?.version.number == 2)
    if isConfirmed {
      try await store.update()
      #expect(try await store.stops().count == 1001)
    } else {
      #expect(await code { try await store.update() } == .rejected)
    }
  }

  // MARK: Rollback by the app

  @Test func `a rollback by the app is not undone by the same data`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    try fixture.publishGeneration(["a": "Bad"])
    try await store.update()
    #expect(try await store.rollBack().version == .first)
    #expect(try await store.stops() == ["One"])
    #expect(await code { try await store.update() } == .rejected)
    // Not even by a snapshot in another encoding.
    try fixture.publisher.publishSnapshot(.xz)
    #expect(await code { try await store.update() } == .rejected)
    try fixture.publishGeneration(["a": "Good"])
    try await store.update()
    #expect(try await store.stops() == ["Good"])
  }

  /// A store that went back to version 1, and the deltas over the rejected version 2 to version 3.
  private func rolledBack() async throws -> SeedStore {
    let store = try fixture.store()
    try await store.prepare()
    try fixture.publisher.publish(["a": "Bad"])
    try fixture.publisher.publishSnapshot()
    let delta = try fixture.lastDelta
    // An update prefers the snapshot to a longer delta.
    try fixture.publisher.resign { $0 == delta ? $0.with(length: 1 << 20) : $0 }
    try await store.update()
    #expect(try await store.rollBack().version == .first)
    try fixture.publisher.resign { $0.kind == delta.kind ? delta : $0 }
    try fixture.publisher.publish(["a": "Good"])
    return store
  }

  @Test func `deltas lead over a version that the app rolled back`() async throws {
    let store = try await rolledBack()
    let changes = Collected(store.changes)
    let report = try await store.update()
    #expect(report.action == .applied && report.plan.files.count == 2)
    #expect(report.changes["stop"]?.updated == 2)
    #expect(try await store.stops() == ["Good"])
    try await until { changes.all.map(\.version.number) == [2, 3] }
    try await store.verify()
  }

  @Test func `a version that the app rolled back stays uncommitted if the next delta fails`() async throws {
    let store = try await rolledBack()
    let bad = Array("{}\n".utf8)
    try fixture.publisher.replace(
      fixture.lastDelta, by: Compression.gzip(bad), raw: Compression.Measure(of: bad))
    #expect(await code { try await store.update() } == .damaged)
    #expect(try await store.stops() == ["One"])
    #expect(await store.state.version == .first)
    try fixture.publisher.publishSnapshot()
    try await store.update()
    #expect(try await store.stops() == ["Good"])
  }

  @Test func `a rollback needs a previous generation, and is possible after a restart and only once`()
    async throws
  {
    let first = try fixture.store()
    try await first.prepare()
    #expect(await code { try await first.rollBack() } == .noPrevious)
    #expect(try await first.stops() == ["One"])
    let state = await first.state
    #expect(state.lastError == nil && !state.isStale, "it was no look that failed")
    await first.close()
    try await swapped(isRead: true)
    let store = try fixture.store()
    #expect(try await store.rollBack().version == .first)
    #expect(await code { try await store.rollBack() } == .noPrevious)
    #expect(try await store.stops() == ["One"])
  }
}
