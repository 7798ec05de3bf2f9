public import SeedFormat
public import SeedTrust

public import struct Foundation.Date

/// What a settings screen shows of a store.
public struct SeedState: Sendable {
  /// What the app was built for.
  public let model: SeedModel
  /// The version of the data on this device, if there is any.
  public internal(set) var version: Version?
  /// The newest version that the publisher is known to have.
  public internal(set) var newestVersion: Version?
  /// When the newest version was published.
  public internal(set) var publishedAt: Date?
  /// When a look at the server last succeeded, since the store was made.
  public internal(set) var lastChecked: Date?
  /// When the data on this device last changed, since the store was made.
  public internal(set) var lastUpdated: Date?
  /// Why the last look failed; nothing after one that succeeded.
  public internal(set) var lastError: SeedError?
  /// Why the seed that the app brought along could not be used; a download stands in for it.
  public internal(set) var bundleError: SeedError?
  /// How long the series will go on, as last heard.
  public internal(set) var lifecycle: Lifecycle?
  /// The data's license, as the operator wrote it.
  public internal(set) var license: String?
  /// Whom to name beside the data.
  public internal(set) var attribution: String?
  /// Where the data comes from.
  public internal(set) var source: String?

  /// Whether the data may be older than what is published: the last look failed, or there was none yet.
  public var isStale: Bool { lastChecked == nil || lastError != nil }

  init(_ model: SeedModel) { self.model = model }
}

extension UTCTime {
  var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) }
}
