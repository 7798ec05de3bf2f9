import Foundation
import SeedFormat
package import SeedSystem

/// A store's dependencies: network, clocks, sleep, randomness and free space. Tests replace them.
package struct Environment: Sendable {
  var transport: any Transport
  var now: @Sendable () -> UTCTime = { .now() }
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Returns a number from 0 to 1.
  var chance: @Sendable () -> Double = { .random(in: 0...1) }
  /// Monotonic time, unaffected by clock changes; it pauses while the device sleeps.
  var uptime: @Sendable () -> Duration = { [start = SuspendingClock.now] in start.duration(to: .now) }
  var freeBytes: @Sendable (_ folder: String) -> Int? = { Environment.freeBytes(in: $0) }
  var watch: @Sendable (_ folder: String, _ onChange: @escaping @Sendable () -> Void) -> FolderWatch? = {
    FolderWatch($0, onChange: $1)
  }
}

extension Environment {
  package init(
    transport: any Transport, now: @escaping @Sendable () -> UTCTime,
    sleep: @escaping @Sendable (Duration) async throws -> Void, chance: @escaping @Sendable () -> Double,
    uptime: @escaping @Sendable () -> Duration,
    freeBytes: @escaping @Sendable (_ folder: String) -> Int?
  ) {
    self.init(transport: transport)
    (self.now, self.sleep, self.chance) = (now, sleep, chance)
    (self.uptime, self.freeBytes) = (uptime, freeBytes)
  }

  static func device(_ model: SeedModel, _ options: SeedOptions) -> Environment {
    Environment(
      transport: options.session.transport(
        userAgent: "Seedbank/\(Release.version) (\(model.dataset); \(model.version))"))
  }

  /// Returns the free bytes. On Apple platforms, includes caches that the system would purge for a user's request.
  package static func freeBytes(in folder: String) -> Int? {
    #if os(macOS) || os(iOS) || os(visionOS)
    let url = URL(fileURLWithPath: folder, isDirectory: true)
    let values = try? url.resourceValues(
      forKeys: [.volumeAvailableCapacityForImportantUsageKey, .volumeAvailableCapacityKey])
    // The first is 0 on some volumes, such as external disks.
    return [
      values?.volumeAvailableCapacityForImportantUsage.map { Int($0) }, values?.volumeAvailableCapacity,
    ].compactMap(\.self).max()
    #else
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    #endif
  }
}
