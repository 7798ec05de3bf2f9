import SeedClientTesting
import Support
import Testing

@testable import SeedClient

/// A message that there is news, sent to many devices at once.
@Suite struct HintTests {
  @Test func `hints spread, and lead to one look in ten seconds at most`() {
    var rule = HintRule()
    #expect(rule.wait(for: .hint, now: .seconds(100), chance: 0) == .seconds(2))
    #expect(rule.wait(for: .hint, now: .seconds(101), chance: 0) == nil)
    rule.begin(at: .seconds(102))
    #expect(rule.wait(for: .hint, now: .seconds(103), chance: 0) == .seconds(9))
    rule.giveUp()
    #expect(rule.wait(for: .hint, now: .seconds(103), chance: 1) == .seconds(15))
    rule.begin(at: .seconds(118))
    #expect(rule.wait(for: .hint(within: .seconds(600)), now: .seconds(140), chance: 0.5) == .seconds(302))
  }

  @Test func `a million devices that hear of it at once need fifteen seconds`() {
    var random = SplitMix(seed: 7)
    var seconds = Array(repeating: 0, count: 20)
    let devices = 100_000
    for _ in 0..<devices {
      var rule = HintRule()
      let wait = rule.wait(for: .hint, now: .zero, chance: .random(in: 0...1, using: &random)) ?? .zero
      seconds[Int(wait / .seconds(1))] += 1
    }
    #expect(seconds[..<2].allSatisfy { $0 == 0 } && seconds[16...].allSatisfy { $0 == 0 })
    #expect(seconds.allSatisfy { $0 < devices / 10 })
  }

  /// A device, and the waits that it begins.
  private func device() async throws -> (fixture: StoreFixture, store: SeedStore, waits: Shared<[Duration]>) {
    let fixture = try StoreFixture(inMemory: true)
    try fixture.publisher.publish(["a": "Alexanderplatz"])
    let waits = Shared<[Duration]>([])
    let store = try fixture.store { environment in
      environment.chance = { 0.5 }
      environment.sleep = { duration in
        // The watch over each request sleeps as well.
        guard duration < .seconds(20) else { return try await Task.sleep(for: duration) }
        waits.withLock { $0.append(duration) }
        await Task.yield()
      }
    }
    try await store.update()
    return (fixture, store, waits)
  }

  @Test func `a look for a hint waits for a moment of its own, and takes what is new`() async throws {
    let (fixture, store, waits) = try await device()
    try fixture.publisher.publish(["a": "Alex"])
    let report = try await store.look(because: .hint)
    #expect(report?.action == .applied && waits.withLock { $0 } == [.seconds(8.5)])
    #expect(try await store.stops() == ["Alex"])
  }

  @Test func `a second hint is told that a look is to come, and one after it leads to another`() async throws
  {
    let fixture = try StoreFixture(inMemory: true)
    try fixture.publisher.publish(["a": "Alexanderplatz"])
    let gate = AsyncStream.makeStream(of: Void.self)
    let waiting = AsyncStream.makeStream(of: Void.self)
    let store = try fixture.store { environment in
      environment.sleep = { duration in
        guard duration < .seconds(20) else { return try await Task.sleep(for: duration) }
        waiting.continuation.yield()
        for await _ in gate.stream { return }
      }
    }
    let first = Task { try await store.look(because: .hint) }
    for await _ in waiting.stream { break }
    #expect(try await store.look(because: .hint) == nil)
    gate.continuation.yield()
    #expect(try await first.value?.action == .replaced)
    gate.continuation.finish()
    #expect(try await store.look(because: .hint)?.action == .upToDate)
  }

  @Test func `a hint that nobody waits for any more leads to no look, and the next one does`() async throws {
    let fixture = try StoreFixture(inMemory: true)
    try fixture.publisher.publish(["a": "Alexanderplatz"])
    let waiting = AsyncStream.makeStream(of: Void.self)
    let sleeps = Shared(true)
    let store = try fixture.store { environment in
      environment.sleep = { duration in
        waiting.continuation.yield()
        if sleeps.withLock({ $0 }) || duration > .seconds(20) { try await Task.sleep(for: .seconds(100_000)) }
      }
    }
    let look = Task { try await store.look(because: .hint) }
    for await _ in waiting.stream { break }
    look.cancel()
    let error = await #expect(throws: SeedError.self) { try await look.value }
    #expect(error?.code == .cancelled)
    #expect(fixture.publisher.withServed { $0.requests } == [])
    sleeps.withLock { $0 = false }
    #expect(try await store.look(because: .hint)?.action == .replaced)
  }

  @Test func `a store that is closed or suspended meanwhile says so`() async throws {
    let (_, store, _) = try await device()
    await store.suspend()
    #expect(await code { try await store.look(because: .hint) } == .suspended)
    await store.resume()
    await store.close()
    #expect(await code { try await store.look(because: .hint) } == .closed)
  }
}
