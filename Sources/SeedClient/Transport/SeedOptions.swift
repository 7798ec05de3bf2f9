/// A store's settings.
public struct SeedOptions: Sendable {
  /// Receives log entries. The default writes them to `os.Logger` (subsystem `seedbank`) on Apple platforms, and
  /// drops them on others.
  public var log: @Sendable (SeedLogEntry) -> Void
  /// Seconds between checks for new publisher keys while there is no new data. Each check is one additional request.
  /// New data always triggers a check; 0 checks at every update.
  public var rootCheckSeconds: Int

  /// See `configureSession`, `prepareRequest` and `answerChallenge`.
  var session: SessionOptions

  /// Checks a new snapshot's structure, references, indexes and search tables before using it, and recomputes
  /// the digest from all rows. The snapshot's bytes are always compared with the signed hash, so this only
  /// detects a damaged file that the publisher signed. It makes a first start several times slower. Meant for
  /// servers; `seedbank pull` always does it, also for bundles.
  public var provesRows: Bool

  /// Maximum number of changed keys per table in an element of `changes`. If a table has more, only the counts are
  /// reported. `nil` reports no keys.
  public var reportedKeysPerTable: Int?

  /// Protection of the store's files while the device is locked; `nil` keeps the volume's default.
  ///
  /// Applies only on Apple's mobile systems, and when the directory is created. Anything stricter than
  /// ``FileProtection/afterFirstUnlock`` prevents background updates on a locked device.
  public var fileProtection: FileProtection?

  /// Excludes the store from backups, as Apple's app review requires for downloadable data. Apple platforms only.
  public var isExcludedFromBackup: Bool

  package var timeouts = DownloadTimeouts()

  /// Rejects a directory with another major of the dataset. An app with a new major takes over its own directory, but
  /// a tool that was given a wrong directory must not do that.
  package var isBoundToMajor = false

  /// Called synchronously with the phases of all updates, for tools; apps have ``SeedStore/phases``.
  package var onPhase: @Sendable (UpdatePhase) -> Void = { _ in }

  /// When files can be read on a device with a passcode.
  public enum FileProtection: Hashable, Sendable {
    /// After the first unlock since boot.
    case afterFirstUnlock
    /// While the device is unlocked; files that are already open stay usable.
    case unlessOpen
    /// While the device is unlocked; SQLite statements fail as soon as it locks.
    case whileUnlocked
  }
}

/// Time limits of a download. They exclude the time during which the device sleeps.
package struct DownloadTimeouts: Hashable, Sendable {
  /// In each window of this length, ``minimumBytes`` must arrive.
  package var window = Duration.seconds(30)
  /// Bytes required per window; every usable network is faster.
  let minimumBytes = 8 * 1024
  /// The limit for one file, including retries.
  package var total = Duration.seconds(6 * 3600)
}
