import Foundation
import SeedClient
import SeedClientTesting
import Support
import Testing

@Suite struct FailureTests {
  private static let cases: [(TestFailure, SeedError.Code)] = [
    (.offline, .network), (.slow, .timedOut), (.busy(), .serverBusy), (.signInPage, .server),
    (.missingFiles, .missingFile), (.damagedFiles, .damaged), (.badSignatures, .untrusted),
    (.expired, .stale),
    (.fullDisk, .insufficientSpace),
  ]

  @Test(arguments: cases) func `after a failed update the data stays and the next update works`(
    failure: TestFailure, expected: SeedError.Code
  ) async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    try await store.update()
    try seeds.publish { $0.put(["id": "b", "name": "Bahnhof"], in: "stop") }
    #expect(await code { try await seeds.failing(failure) { _ = try await store.update() } } == expected)
    #expect(await store.state.lastError?.code == expected)
    #expect(try await store.stops == ["Alexanderplatz"])
    try await store.update()
    #expect(try await store.stops == ["Alexanderplatz", "Bahnhof"])
  }

  @Test func `a busy server reports how long to wait`() async throws {
    let seeds = try Stops.publisher()
    seeds.failure = .busy(retryAfter: .seconds(90))
    let error = await #expect(throws: SeedError.self) { try await seeds.store().update() }
    #expect(error?.retryAfter == .seconds(90))
  }

  @Test func `a restarted app has its data without a network`() async throws {
    let seeds = try Stops.publisher()
    let place = FileManager.default.temporaryDirectory.appending(path: "seeds-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: place) }
    var store: SeedStore? = try seeds.store(in: place)
    try await store?.update()
    store = nil
    seeds.failure = .offline
    #expect(try await seeds.store(in: place).stops == ["Alexanderplatz"])
  }

  @Test func `an app extension reads and follows the app's store`() async throws {
    let seeds = try Stops.publisher()
    let place = FileManager.default.temporaryDirectory.appending(path: "seeds-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: place) }
    let store = try seeds.store(in: place)
    try await store.update()
    let widget = try seeds.store(reading: place)
    #expect(try await widget.stops == ["Alexanderplatz"])
    #expect(await !widget.state.isStale)
    #expect(await code { try await widget.update() } == .readOnly)
    try seeds.publish { $0.put(["id": "b", "name": "Bahnhof"], in: "stop") }
    try await store.update()
    for try await names in widget.observe("SELECT name FROM stop ORDER BY id", as: String.self)
    where names.count == 2 {
      break
    }
  }

  @Test func `an app extension waits for folders that are not there yet, and no time passes`() async throws {
    let seeds = try Stops.publisher()
    let folder = try TemporaryFolder(inMemory: true)
    defer { withExtendedLifetime(folder) {} }
    let (place, start) = (URL(fileURLWithPath: folder("group/seed")), seeds.clock.now)
    let widget = try seeds.store(reading: place)
    var rows = widget.observe("SELECT name FROM stop", as: String.self).makeAsyncIterator()
    #expect(await code { try await widget.prepare() } == .noData)
    let store = try seeds.store(in: place)
    try await store.update()
    #expect(try await rows.next() == ["Alexanderplatz"])
    #expect(seeds.clock.now == start)
  }

  @Test func `an app with a bundle has data at its first start without a network`() async throws {
    let seeds = try Stops.publisher()
    let bundle = try await seeds.makeBundle()
    seeds.failure = .offline
    let store = try seeds.store(bundle: bundle)
    #expect(try await store.stops == ["Alexanderplatz"])
    #expect(await store.state.origin == .bundled)
  }

  @Test func `a bundle has the publication time of its snapshot, although deltas followed`() async throws {
    let seeds = try Stops.publisher()
    let published = seeds.clock.now
    seeds.clock.advance(by: .seconds(3600))
    try seeds.publish { $0.put(["id": "b", "name": "Bahnhof"], in: "stop") }
    let bundle = try await seeds.makeBundle()
    seeds.failure = .offline
    let store = try seeds.store(bundle: bundle)
    #expect(try await store.stops == ["Alexanderplatz"])
    #expect(await store.state.publishedAt == published)
  }

  @Test func `a held update shows its progress and continues`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    seeds.hold(.downloading)
    var fractions: [Double] = []
    for try await phase in store.updatePhases() {
      guard case .downloading(let bytes, _) = phase, let fraction = phase.fractionCompleted else { continue }
      fractions.append(fraction)
      guard bytes > 0, fraction < 1 else { continue }
      await seeds.untilHeld()
      #expect(await store.state.version == nil)
      seeds.release()
    }
    #expect(fractions.first == 0 && fractions.last == 1)
    #expect(fractions.contains { abs($0 - 0.5) < 0.01 }, "\(fractions)")
    #expect(await store.state.version == .first)
  }

  @Test(arguments: [TestPublisher.Stop.checking, .downloading])
  func `a held update can be cancelled`(stop: TestPublisher.Stop) async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    seeds.hold(stop)
    let update = Task { try await store.update() }
    await seeds.untilHeld()
    update.cancel()
    #expect(await code { _ = try await update.value } == .cancelled)
    seeds.release()
    #expect(try await store.stops == ["Alexanderplatz"])
  }
}

/// A clock controlled by the test.
@Suite struct ClockTests {
  @Test func `keepUpdated checks again when its time has come`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    let following = Task<Void, any Error> { try await store.keepUpdated() }
    await seeds.clock.untilWaiting()
    #expect(await store.state.version == .first)
    try seeds.publish { $0.change("a", in: "stop", to: ["name": "Alex"]) }
    seeds.clock.advance(by: .seconds(59))
    #expect(await store.state.version == .first)
    seeds.clock.advance(by: .seconds(1))
    await seeds.clock.untilWaiting()
    #expect(try await store.stops == ["Alex"])
    following.cancel()
    #expect(await code { try await following.value } == .cancelled)
  }

  @Test func `signatures expire after a week and a new version renews them`() async throws {
    let seeds = try Stops.publisher()
    let store = try seeds.store()
    try await store.update()
    seeds.clock.advance(by: .seconds(8 * 86_400))
    #expect(await code { try await store.update() } == .stale)
    try seeds.publish { $0.change("a", in: "stop", to: ["name": "Alex"]) }
    try await store.update()
    #expect(await store.state.lastUpdated == seeds.clock.now)
  }
}
