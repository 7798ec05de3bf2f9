import Foundation
import SeedFormat
import SeedSystem
import SeedTrust

/// A store's access to the world: the network, the clocks, waiting, chance and free space. Tests bring their own.
package struct Environment: Sendable {
  var transport: any Transport
  var now: @Sendable () -> UTCTime = { .now() }
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Yields a number from 0 to 1.
  var chance: @Sendable () -> Double = { .random(in: 0...1) }
  /// Time since some start, which setting the clock does not change; it stands still while the device sleeps.
  var uptime: @Sendable () -> Duration = Environment.uptimeClock()
  /// Where stores lie whose directory the app has not named.
  var dataFolder: @Sendable () -> String = { StoreDirectory.dataFolder }
  /// Bytes that can be written in a folder; `nil` where the system does not tell.
  var freeBytes: @Sendable (_ folder: String) -> Int? = { Environment.freeBytes(in: $0) }

  static func device(_ model: SeedModel, _ options: SeedOptions) -> Environment {
    let agent = "Seedbank/\(Release.version) (\(model.dataset); \(model.model))"
    return Environment(transport: URLSessionTransport(userAgent: agent, options.configureSession))
  }

  static func uptimeClock() -> @Sendable () -> Duration {
    let start = SuspendingClock.now
    return { start.duration(to: .now) }
  }

  /// On Apple's systems with the caches that the system would empty for what the user asked for.
  static func freeBytes(in folder: String) -> Int? {
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
