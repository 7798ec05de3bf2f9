import Foundation
import SeedFormat
package import SeedSystem
import SeedTrust

/// A store's access to the world: the network, the clocks, waiting, chance and free space. Tests bring their own.
package struct Environment: Sendable {
  package var transport: any Transport
  package var now: @Sendable () -> UTCTime
  /// Time since some start, which setting the clock does not change; it stands still while the device sleeps.
  package var uptime: @Sendable () -> Duration
  package var sleep: @Sendable (Duration) async throws -> Void
  /// Yields a number from 0 to 1.
  package var chance: @Sendable () -> Double
  /// Bytes that can be written in a folder; `nil` where the system does not tell.
  package var freeBytes: @Sendable (_ folder: String) -> Int?

  package init(
    transport: any Transport,
    now: @escaping @Sendable () -> UTCTime = { .now() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    chance: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    uptime: @escaping @Sendable () -> Duration = Environment.uptimeClock(),
    freeBytes: @escaping @Sendable (_ folder: String) -> Int? = { Environment.freeBytes(in: $0) }
  ) {
    (self.transport, self.now, self.sleep) = (transport, now, sleep)
    (self.chance, self.uptime, self.freeBytes) = (chance, uptime, freeBytes)
  }

  static func device(_ model: SeedModel, _ options: SeedOptions) -> Environment {
    let agent = "Seedbank/\(Release.version) (\(model.dataset); \(model.model))"
    return Environment(transport: URLSessionTransport(userAgent: agent, options.configureSession))
  }

  /// A clock that starts now.
  package static func uptimeClock() -> @Sendable () -> Duration {
    let start = SuspendingClock.now
    return { start.duration(to: .now) }
  }

  /// On Apple's systems with the caches that the system would empty for what the user asked for.
  package static func freeBytes(in folder: String) -> Int? {
    #if canImport(Darwin)
    let url = URL(fileURLWithPath: folder, isDirectory: true)
    let values = try? url.resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
    return values?.volumeAvailableCapacityForImportantUsage.map { Int($0) }
    #else
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    #endif
  }
}
