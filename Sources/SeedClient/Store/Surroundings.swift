package import SeedTrust

/// What a store has of the world: the network, the clock, waiting and chance.
package struct Surroundings: Sendable {
  package var transport: any Transport
  package var now: @Sendable () -> UTCTime
  package var sleep: @Sendable (Duration) async throws -> Void
  /// Yields a number from 0 to 1.
  package var chance: @Sendable () -> Double

  package init(
    transport: any Transport,
    now: @escaping @Sendable () -> UTCTime = { .now() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.transport = transport
    self.now = now
    self.sleep = sleep
    self.chance = chance
  }

  /// The real world, to which an app of that model is known by its name.
  static func device(_ model: SeedModel) -> Surroundings {
    let agent = "Seedbank/\(ClientRelease.version) (\(model.dataset); \(model.model))"
    return Surroundings(transport: URLSessionTransport(userAgent: agent))
  }
}
