public import SeedFormat
import SeedSystem
public import SeedTrust

public import struct Foundation.Date

/// What a settings screen shows of a store.
///
/// Of what an earlier run knew, nothing is here until the first ``SeedStore/prepare()``, read or update; its errors are
/// never.
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
  /// The newest version that this store has heard of.
  var head: Version?
  /// When the newest version was published.
  public internal(set) var publishedAt: Date?
  /// Whether the app brought the file along or a server sent it, if there is one; deltas may have changed it since.
  public internal(set) var origin: SeedOrigin?
  /// When a look at the server last succeeded. After a restart it may tell of a look up to an hour before the last.
  public internal(set) var lastChecked: Date?
  /// When the data on this device last changed.
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

  /// Whether the data may be older than what is published: the last look failed, or this store took none yet.
  public var isStale: Bool { !hasLooked || lastError != nil }
  /// Whether a look has succeeded since the store was made.
  var hasLooked = false

  init(_ model: SeedModel) { self.model = model }
}

extension SeedState {
  /// What of it a restart must not lose.
  var record: StateRecord {
    StateRecord(
      lastChecked: lastChecked?.seconds, lastUpdated: lastUpdated?.seconds, publishedAt: publishedAt?.seconds,
      newestVersion: head?.number, lifecycle: lifecycle)
  }

  /// Takes over what the last store on the directory knew.
  mutating func restore(_ record: StateRecord) {
    lastChecked = lastChecked ?? record.lastChecked.map(Date.init(seconds:))
    lastUpdated = lastUpdated ?? record.lastUpdated.map(Date.init(seconds:))
    publishedAt = publishedAt ?? record.publishedAt.map(Date.init(seconds:))
    head = head ?? record.newestVersion.flatMap { try? Version($0) }
    lifecycle = lifecycle ?? record.lifecycle
  }
}

extension Date {
  fileprivate init(seconds: Int) { self.init(timeIntervalSince1970: Double(seconds)) }
  fileprivate var seconds: Int { Int(timeIntervalSince1970) }
}

extension UTCTime {
  var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) }
}
