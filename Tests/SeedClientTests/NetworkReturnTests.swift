import Foundation
import SeedSystem
import Support
import Testing

@testable import SeedClient

/// When the network comes back nobody waits on.
@Suite struct NetworkReturnTests {
  @Test func `a look at the path is a return where a usable one is another than before`() {
    let wifi = NetworkPath(interfaces: ["en0"])
    let phone = NetworkPath(interfaces: ["pdp_ip0"], isExpensive: true)
    let none = NetworkPath(isUsable: false)
    var looks = NetworkLooks()
    let returns = [wifi, wifi, none, none, phone, wifi, wifi].map { looks.isReturn($0) }
    #expect(returns == [false, false, false, false, true, true, false])
  }

  @Test(arguments: [
    (SeedError.Code.network, true), (.timedOut, true), (.waitingForNetwork, true), (.serverBusy, false),
    (.server, false), (.serverRefused, false), (.untrusted, false),
  ])
  func `only what another network may mend waits for one`(_ code: SeedError.Code, _ waits: Bool) {
    #expect(SeedError(code, "It failed.").mayPassWithNetwork == waits)
  }

  @Test func `keepUpdated tries again as soon as the network comes back`() async throws {
    let fixture = try StoreFixture()
    let publisher = fixture.publisher
    try publisher.publish(["a": "Alexanderplatz"])
    publisher.withServed { $0.isOffline = true }
    let returns = AsyncStream.makeStream(of: Void.self)
    let failures = AsyncStream.makeStream(of: SeedError.self)
    let store = try fixture.store { environment in
      environment.networkReturns = { returns.stream }
      environment.chance = { 1 }
      environment.sleep = { duration in
        // Between the attempts of one update it waits two seconds at most; all other waits never end by themselves.
        if duration > .seconds(2) { try await Task.sleep(for: .seconds(100_000)) }
      }
    }
    let task = Task { try await store.keepUpdated { failures.continuation.yield($0) } }
    var failed = failures.stream.makeAsyncIterator()
    #expect(await failed.next()?.code == .network)
    // It comes back, but the server is still away; and once more.
    returns.continuation.yield()
    #expect(await failed.next()?.code == .network)
    publisher.withServed { $0.isOffline = false }
    returns.continuation.yield()
    for await _ in store.openings { break }
    #expect(try await store.stops() == ["Alexanderplatz"])
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `devices that have data spread over ten seconds when the network comes back`() async throws {
    #expect(Pace(pollSeconds: 60).waitAfterReturn(chance: 1) == .seconds(10))
    #expect(Pace(pollSeconds: 15).waitAfterReturn(chance: 0.5) == .seconds(2.5))
    let fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "Alexanderplatz"])
    let returns = AsyncStream.makeStream(of: Void.self)
    let rests = AsyncStream.makeStream(of: Duration.self)
    let failures = AsyncStream.makeStream(of: SeedError.self)
    let store = try fixture.store { environment in
      environment.networkReturns = { returns.stream }
      environment.chance = { 0.25 }
      environment.sleep = { duration in
        if duration == .seconds(2.5) {
          rests.continuation.yield(duration)
        } else if duration > .seconds(2) {
          try await Task.sleep(for: .seconds(100_000))
        }
      }
    }
    try await store.update()
    fixture.publisher.withServed { $0.isOffline = true }
    let task = Task { try await store.keepUpdated { failures.continuation.yield($0) } }
    var failed = failures.stream.makeAsyncIterator()
    for _ in 0..<2 {
      #expect(await failed.next()?.code == .network)
      returns.continuation.yield()
    }
    var rested = rests.stream.makeAsyncIterator()
    #expect(await rested.next() == .seconds(2.5))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
