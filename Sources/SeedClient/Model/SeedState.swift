public import SeedFormat
import SeedSystem
public import SeedTrust

public import struct Foundation.Date

/// A store's data and its last update, for a settings screen.
///
/// It outlives a restart, but for errors: the first ``SeedStore/prepare()``, read or update loads what an earlier run
/// knew.
public struct SeedState: Sendable {
  /// What the app was built for.
  public let model: SeedModel
  /// The version of the data on this device, if there is any.
  public internal(set) var version: Version?
  /// The newest version that the publisher is known to have.
  public var newestVersion: Version? {
    // Another store on the directory may have heard of more than this one.
    guard let head else { return version }
    return version.map { max($0, head) } ?? head
  }
  var head: Version?
  /// When the newest version was published.
  public internal(set) var publishedAt: Date?
  /// Where the file came from, if there is one; deltas may have changed it since.
  public internal(set) var origin: SeedOrigin?
  /// When the server was last asked successfully. After a restart this may be up to an hour too early.
  public internal(set) var lastChecked: Date?
  /// When the data on this device last changed.
  public internal(set) var lastUpdated: Date?
  /// Why the last update or look for one failed; `nil` after one that succeeded.
  public internal(set) var lastError: SeedError?
  /// Why the seed that the app brought along could not be used; a download takes its place.
  public internal(set) var bundleError: SeedError?
  /// How long the series will go on, as last heard.
  public internal(set) var lifecycle: Lifecycle?
  /// The data's license, as the operator wrote it.
  public internal(set) var license: String?
  /// Whom to name beside the data.
  public internal(set) var attribution: String?
  /// Where the data comes from.
  public internal(set) var source: String?

  /// True where the data may be older than what is published: the last update failed, or there was none yet.
  public var isStale: Bool { !hasLooked || lastError != nil }
  var hasLooked = false

  init(_ model: SeedModel) { self.model = model }
}

extension UTCTime {
  var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) }
}
