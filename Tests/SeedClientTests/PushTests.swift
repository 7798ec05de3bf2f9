import SeedClientTesting
import Support
import Testing

@testable import SeedClient

/// A push notification of an update, sent to many devices at once.
@Suite struct PushTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
  }

  /// A device, and the delays that it starts.
  private func device() async throws -> (store: SeedStore, waits: Shared<[Duration]>) {
    let waits = Shared<[Duration]>([])
    let store = try fixture.store { environment in
      environment.chance = { 0.5 }
      environment.sleep = { duration in
        // The timeout of each request also sleeps.
        guard duration < .seconds(20) else { return try await Task.sleep(for: duration) }
        waits.withLock { $0.append(duration) }
        await Task.yield()
      }
    }
    try await store.update()
    return (store, waits)
  }

  @Test
  func
    `an update on a push message waits for a random delay, and throws if the store is suspended or closed`()
    async throws
  {
    let (store, waits) = try await device()
    try fixture.publisher.publish(["a": "Alex"])
    let report = try await store.updateOnPush()
    #expect(report?.action == .applied && waits.withLock { $0 } == [.seconds(8.5)])
    #expect(try await store.stops() == ["Alex"])
    await store.suspend()
    #expect(await code { try await store.updateOnPush() } == .suspended)
    await store.resume()
    await store.close()
    #expect(await code { try await store.updateOnPush() } == .closed)
  }

  @Test func `a second push message during the delay is merged and a later one causes another update`()
    async throws
  {
    let gate = AsyncStream.makeStream(of: Void.self)
    let waiting = AsyncStream.makeStream(of: Void.self)
    let store = try fixture.store { environment in
      environment.sleep = { duration in
        guard duration < .seconds(20) else { return try await Task.sleep(for: duration) }
        waiting.continuation.yield()
        for await _ in gate.stream { return }
      }
    }
    let first = Task { try await store.updateOnPush() }
    for await _ in waiting.stream { break }
    #expect(try await store.updateOnPush() == nil)
    gate.continuation.yield()
    #expect(try await first.value?.action == .replaced)
    gate.continuation.finish()
    #expect(try await store.updateOnPush()?.action == .upToDate)
  }

  @Test func `a cancelled push message causes no update and the next one does`() async throws {
    let waiting = AsyncStream.makeStream(of: Void.self)
    let sleeps = Shared(true)
    let store = try fixture.store { environment in
      environment.sleep = { duration in
        waiting.continuation.yield()
        if sleeps.withLock({ $0 }) || duration > .seconds(20) { try await Task.sleep(for: .seconds(100_000)) }
      }
    }
    let update = Task { try await store.updateOnPush() }
    for await _ in waiting.stream { break }
    update.cancel()
    let error = await #expect(throws: SeedError.self) { try await update.value }
    #expect(error?.code == .cancelled)
    #expect(fixture.publisher.withServed { $0.requests } == [])
    sleeps.withLock { $0 = false }
    #expect(try await store.updateOnPush()?.action == .replaced)
  }
}
