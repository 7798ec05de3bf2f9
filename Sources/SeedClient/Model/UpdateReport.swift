public import SeedFormat
public import SeedTrust

/// What one look at the server led to.
public struct UpdateReport: Sendable {
  /// The kind of what was done.
  public enum Action: String, Hashable, Sendable {
    /// Nothing: the data is the newest.
    case upToDate
    /// Deltas changed rows in the file that was there.
    case applied
    /// A snapshot came as a new file.
    case replaced
  }

  /// What was decided, and why; the last decision where a first one came to nothing.
  public let plan: UpdatePlan
  /// The version before, if there was one.
  public let from: Version?
  /// The data as it is now.
  public let seed: Seed
  /// Bytes of the snapshot and deltas that were used, each counted once.
  public let bytes: Int
  /// What went over the network, metadata and repetitions included.
  public let traffic: UpdateTraffic
  /// Rows that deltas changed, by table. A new file may differ anywhere: then there are none.
  public let rows: [String: SeedChanges.Table]
  /// How long the series will go on: an app may tell its users to update it in time.
  public let lifecycle: Lifecycle
  /// How long it took, without the time in which the device slept.
  public let duration: Duration

  /// What was done.
  public var action: Action { plan.action }

  /// The version now.
  public var to: Version { seed.version }
}

/// What an update cost on the network.
public struct UpdateTraffic: Hashable, Sendable {
  /// Requests that were sent; redirects do not count.
  public internal(set) var requests = 0
  /// Bytes of answers' bodies.
  public internal(set) var bytes = 0
  /// Requests that were sent again because an earlier one failed.
  public internal(set) var retries = 0
  /// Files that were begun anew because the server had something else than before.
  public internal(set) var restarts = 0
}

extension SeedChanges.Table {
  static func + (left: Self, right: Self) -> Self {
    Self(
      inserted: left.inserted + right.inserted, updated: left.updated + right.updated,
      deleted: left.deleted + right.deleted, keys: nil)
  }
}
