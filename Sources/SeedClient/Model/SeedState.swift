package import SeedSystem

public import struct Foundation.Date

/// A store's data and its last update, for a settings screen.
///
/// It survives a restart, except for errors: the first ``SeedStore/prepare()``, read or update loads it.
public struct SeedState: Hashable, Sendable {
  /// What the app was built for.
  public let model: SeedModel
  /// The version of the data on this device, if there is any.
  public package(set) var version: Version?
  /// The newest version that the publisher is known to have.
  public var newestVersion: Version? {
    // Another store on the directory may have heard of more than this one.
    [version, record.newestVersion].compactMap(\.self).max()
  }
  /// When the newest version was published.
  public var publishedAt: Date? { record.publishedAt?.date }
  /// Where the file came from, if there is one; deltas may have changed it since.
  public package(set) var origin: SeedOrigin?
  /// When the server was last asked successfully. After a restart this may be up to an hour too early.
  public var lastChecked: Date? { record.lastChecked?.date }
  /// When the data on this device last changed.
  public var lastUpdated: Date? { record.lastUpdated?.date }
  /// Why the last update or look for one failed; `nil` after one that succeeded.
  public package(set) var lastError: SeedError?
  /// Why the seed that the app brought along could not be used; a download takes its place.
  public package(set) var bundleError: SeedError?
  /// Whether an update is under way.
  public package(set) var isUpdating = false
  /// How long the series will go on, as last heard.
  public var lifecycle: Lifecycle? { record.lifecycle }
  /// The data's license, as the operator wrote it.
  public package(set) var license: String?
  /// Whom to name beside the data.
  public package(set) var attribution: String?
  /// Where the data comes from.
  public package(set) var source: String?

  /// True where the data may be older than what is published: the last update failed, or there was none yet. A store
  /// that only reads does not know of the updates of others: there it says whether the data could be read.
  public var isStale: Bool { !hasLooked || lastError != nil }
  /// Whether the server was asked successfully since the start.
  package var hasLooked = false
  /// What outlives a restart.
  package var record = StateRecord()

  /// The state before anything was read.
  package init(_ model: SeedModel) { self.model = model }
}

/// The part of ``SeedState`` that outlives a restart and that no file of the data says.
package struct StateRecord: Hashable, Sendable {
  package var lastChecked: UTCTime?
  package var lastUpdated: UTCTime?
  package var publishedAt: UTCTime?
  package var newestVersion: Version?
  package var lifecycle: Lifecycle?
}

extension UTCTime { var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) } }
