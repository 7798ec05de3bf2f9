import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import Support
import Testing

/// A generation counts for good once it was read; one that cannot be read gives way to the one before.
@Suite struct ConfirmationTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publishGeneration(["a": "One"])
  }

  /// A store at version 1 that has taken in version 2, and read it where `isRead`.
  private func swapped(isRead: Bool) async throws {
    let store = try fixture.store()
    #expect(try await store.stops() == ["One"])
    try fixture.publishGeneration(["a": "Two"])
    try await store.update()
    if isRead { #expect(try await store.stops() == ["Two"]) }
  }

  @Test func `a file that was never read and cannot be gives way to the one before, and is not taken again`()
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
    // The same rows in another file are another chance.
    try fixture.publisher.publishSnapshot(.xz)
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `a file that was read and is damaged later gives way too, and the same snapshot mends it`()
    async throws
  {
    try await swapped(isRead: true)
    try fixture.damage { $0 = Data("no database at all, and long enough to be read as one's header".utf8) }
    let store = try fixture.store()
    #expect(try await store.stops() == ["One"])
    try await store.update()
    #expect(try await store.stops() == ["Two"])
  }

  @Test func `a rejected file is not taken at the next start either`() async throws {
    try await swapped(isRead: false)
    try fixture.damage { $0.removeLast($0.count - 2000) }
    func attempt() async throws -> SeedError.Code? {
      let store = try fixture.store()
      return await code { try await store.update() }
    }
    #expect(try await attempt() == .rejected)
    #expect(try await attempt() == .rejected)
  }

  @Test func `a start with an unread file that can be read confirms it`() async throws {
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
  func `a read that meets damage is answered from the generation before, and a snapshot comes`(
    _ isConfirmed: Bool
  ) async throws {
    var many: [String: String] = [:]
    for number in 0..<3000 { many["n\(number)"] = "Stop number \(number)" }
    try await swapped(isRead: true)
    try fixture.publishGeneration(many)
    var store = try fixture.store()
    try await store.update()
    if isConfirmed {
      #expect(try await store.stops().count == 3001)
      // Another store, for this one may remember the page. The lock is free at once, whoever still holds this one.
      await store.suspend()
      store = try fixture.store()
    }
    // One page of many: what a start looks at stays whole.
    try fixture.damage { bytes in
      let place = bytes.range(of: Data("Stop number 1500".utf8))?.lowerBound ?? 0
      for index in 0..<8 { bytes[place / 4096 * 4096 + index] = 0xA5 }
    }
    var openings = store.openings.makeAsyncIterator()
    #expect(try await store.prepare().version.number == 3)
    _ = await openings.next()
    #expect(try await store.stops() == ["Two"])
    #expect(await openings.next()?.version.number == 2)
    if isConfirmed {
      try await store.update()
      #expect(try await store.stops().count == 3001)
    } else {
      #expect(await code { try await store.update() } == .rejected)
    }
  }

  // MARK: On the app's wish

  @Test func `an app goes back, and what it went back from does not come again`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    try fixture.publishGeneration(["a": "Bad"])
    try await store.update()
    #expect(try await store.rollBack().version == .first)
    #expect(try await store.stops() == ["One"])
    #expect(await code { try await store.update() } == .rejected)
    // Neither by a snapshot in another encoding.
    try fixture.publisher.publishSnapshot(.xz)
    #expect(await code { try await store.update() } == .rejected)
    try fixture.publishGeneration(["a": "Good"])
    try await store.update()
    #expect(try await store.stops() == ["Good"])
  }

  @Test func `a way back leads over a restart, and only once`() async throws {
    try await swapped(isRead: true)
    let store = try fixture.store()
    #expect(try await store.rollBack().version == .first)
    #expect(await code { try await store.rollBack() } == .noPrevious)
    #expect(try await store.stops() == ["One"])
  }

  @Test func `without a generation before there is no way back`() async throws {
    let store = try fixture.store()
    try await store.prepare()
    #expect(await code { try await store.rollBack() } == .noPrevious)
    #expect(try await store.stops() == ["One"])
    let state = await store.state
    #expect(state.lastError == nil && !state.isStale, "it was no look that failed")
  }
}
