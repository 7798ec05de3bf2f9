import SeedClient
import SeedFormat
import SeedTrust
import Support
import Testing

@Suite struct HistoryTests {
  private static let steps = 60

  @Test(.full, arguments: Stage.seeds(3))
  func `a client at any time has the published rows of head or an error`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let fixture = try StoreFixture()
    try fixture.publisher.publish(["s0": "Start"])
    var store: SeedStore? = try fixture.store()
    for step in 0..<Self.steps {
      try Self.act(on: fixture.publisher, &random)
      if random.chance(20) {
        store = nil
        store = try fixture.store()
      }
      guard random.chance(60) else { continue }
      try await Self.look(try #require(store), fixture.publisher, "seed \(seed), step \(step)", &random)
    }
  }

  private static func act(on publisher: ClientPublisherSimulator, _ random: inout SplitMix) throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: try publisher.startEpoch()
    case 1...3: try publisher.publishSnapshot(random.chance(50) ? .gzip : .xz)
    case 4: try publisher.sign()
    default:
      var upserts: [String: String] = [:]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        upserts["s\(Int.random(in: 0..<12, using: &random))"] = "Name \(random.next())"
      }
      let gone = publisher.stops.keys.sorted().filter { upserts[$0] == nil && random.chance(10) }
      try publisher.publish(upserts, deleting: gone)
    }
  }

  private static func look(
    _ store: SeedStore, _ publisher: ClientPublisherSimulator, _ place: Comment, _ random: inout SplitMix
  ) async throws {
    let before = try? await store.stops()
    publisher.withServed { $0.failure = random.chance(15) ? .offline : nil }
    let failure = await code { try await store.update() }
    guard failure == nil else {
      publisher.withServed { $0.failure = nil }
      #expect(failure == .network, place)
      if let before { #expect(try await store.stops() == before, place) }
      return
    }
    let expected = publisher.stops.sorted { $0.key < $1.key }.map(\.value)
    #expect(try await store.stops() == expected, place)
    #expect(await store.state.version?.number == publisher.head, place)
  }
}
