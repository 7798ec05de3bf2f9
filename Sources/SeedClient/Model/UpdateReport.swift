public import SeedFormat

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

  /// What was done.
  public let action: Action
  /// The version before, if there was one.
  public let from: Version?
  /// The data as it is now.
  public let seed: Seed
  /// Bytes of the snapshot and deltas that were downloaded.
  public let bytes: Int

  /// The version now.
  public var to: Version { seed.version }
}
