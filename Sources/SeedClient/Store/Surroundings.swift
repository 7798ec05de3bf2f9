import SeedFormat
package import SeedSystem
import SeedTrust

/// What a store has of the world: the network, the clocks, waiting, chance and room.
package struct Surroundings: Sendable {
  package var transport: any Transport
  package var now: @Sendable () -> UTCTime
  /// Time that passes, whatever is done to the clock; it stands still while the device sleeps.
  package var uptime: @Sendable () -> Duration
  package var sleep: @Sendable (Duration) async throws -> Void
  /// Yields a number from 0 to 1.
  package var chance: @Sendable () -> Double
  /// Bytes that are free for what is in a folder; `nil` where the system does not tell.
  package var freeBytes: @Sendable (_ folder: String) -> Int?

  package init(
    transport: any Transport,
    now: @escaping @Sendable () -> UTCTime = { .now() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    chance: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    uptime: @escaping @Sendable () -> Duration = Surroundings.uptimeClock(),
    freeBytes: @escaping @Sendable (_ folder: String) -> Int? = { FreeSpace.bytes(in: $0) }
  ) {
    self.transport = transport
    self.now = now
    self.sleep = sleep
    self.chance = chance
    self.uptime = uptime
    self.freeBytes = freeBytes
  }

  /// The time since it was asked for.
  package static func uptimeClock() -> @Sendable () -> Duration {
    let start = SuspendingClock.now
    return { start.duration(to: .now) }
  }

  /// The real world, to which an app of that model is known by its name.
  static func device(_ model: SeedModel, _ options: SeedOptions) -> Surroundings {
    let agent = "Seedbank/\(Release.version) (\(model.dataset); \(model.model))"
    return Surroundings(transport: URLSessionTransport(userAgent: agent, options.configureSession))
  }
}
