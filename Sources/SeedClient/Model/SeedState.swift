package import SeedDatabase
public import SeedFormat
package import SeedSystem
public import SeedTrust

public import struct Foundation.Date

#if canImport(os)
import os
#endif

/// A store's data and last update, for a settings screen.
///
/// Persists across restarts, except for errors. Loaded on first use, even if no data has been opened.
public struct SeedState: Hashable, Sendable {
  /// The model that the app was built for.
  public let model: SeedModel
  /// The version of the data on this device, if there is any.
  public package(set) var version: SeedVersion?
  /// The publisher's newest known version.
  public var newestVersion: SeedVersion? {
    // Another store on the same directory may have found a newer version.
    [version, record.newestVersion].compactMap(\.self).max()
  }
  /// When the newest version was published.
  public var publishedAt: Date? { record.publishedAt?.date }
  /// The origin of the data file, if there is one. Deltas may have changed the file since.
  public package(set) var origin: SeedOrigin?
  /// The time of the last successful check. After a restart, it may be up to an hour too early.
  public var lastChecked: Date? { record.lastChecked?.date }
  /// The time of the last change to this device's data.
  public var lastUpdated: Date? { record.lastUpdated?.date }
  /// The error of the last update or check; `nil` if it succeeded.
  public package(set) var lastError: SeedError?
  /// The reason why the app's bundled seed was unusable; the store downloads data instead.
  public package(set) var bundleError: SeedError?
  /// Whether an update is running.
  public package(set) var isUpdating = false
  /// Whether the series is active, deprecated or retired, as of the last check.
  public var lifecycle: SeedLifecycle? { record.lifecycle }
  /// The data's license, as the operator wrote it.
  public var license: String? { provenance?.license }
  /// The name to show with the data.
  public var attribution: String? { provenance?.attribution }
  /// The data's source, as the operator wrote it.
  public var source: String? { provenance?.source }

  /// True if the data may be outdated: the last update failed, or the last check is older than three of the
  /// publisher's intervals plus an hour. In a read-only store, true if the data could not be read.
  public var isStale: Bool { isOld || lastError != nil }
  package var isOld = false
  package var record = StateRecord()
  package var fileProvenance = Provenance()

  /// Prefers the provenance in signed metadata, because deltas do not update the one in the file.
  private var provenance: Provenance? { version == nil ? nil : record.provenance ?? fileProvenance }

  package init(_ model: SeedModel) { self.model = model }

  mutating func note(_ meta: SeedMeta) {
    (version, fileProvenance) = (meta.version, meta.provenance)
  }

  /// Sets both at once, because each assignment to a store's state is sent to listeners.
  mutating func loseData() { (version, origin) = (nil, nil) }
}

/// The part of ``SeedState`` that survives a restart and is not in the data file.
package struct StateRecord: Hashable, Sendable {
  package var lastChecked: UTCTime?
  package var lastUpdated: UTCTime?
  package var publishedAt: UTCTime?
  package var newestVersion: SeedVersion?
  package var lifecycle: SeedLifecycle?
  package var pollSeconds: Int?
  package var provenance: Provenance?
}

extension Provenance {
  init(_ series: SeriesState) {
    self.init(license: series.license, attribution: series.attribution, source: series.source)
  }
}

extension UTCTime { var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) } }

/// A log entry for developers: opened data, finished updates, failures, and waiting or ended live queries.
public struct SeedLogEntry: Hashable, Sendable, CustomStringConvertible {
  /// The importance of an entry.
  public enum Level: String, Hashable, Sendable {
    case info
    /// A failure; the existing data stays intact.
    case error
  }

  /// The importance of the entry.
  public let level: Level
  /// The series that the entry is about.
  public let series: SeedSeries
  /// One sentence.
  public let message: String

  /// The series and the message, such as `transit/2: opened version 42 (downloaded) in …`.
  public var description: String { "\(series): \(message)" }
}

package struct SeedLog: Sendable {
  private let series: SeedSeries
  private let write: @Sendable (SeedLogEntry) -> Void

  init(_ series: SeedSeries, _ write: @escaping @Sendable (SeedLogEntry) -> Void) {
    (self.series, self.write) = (series, write)
  }

  func info(_ message: String) { write(SeedLogEntry(level: .info, series: series, message: message)) }

  func error(_ message: String) { write(SeedLogEntry(level: .error, series: series, message: message)) }

  static let toSystem: @Sendable (SeedLogEntry) -> Void = { writeToSystem($0.level, $0.description) }

  package static func writeToSystem(_ level: SeedLogEntry.Level, _ text: String) {
    #if canImport(os)
    Logger(subsystem: "seedbank", category: "SeedStore")
      .log(level: level == .error ? .error : .info, "\(text, privacy: .public)")
    #endif
  }
}
