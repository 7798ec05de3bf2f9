/// What an app can choose about its store.
public struct SeedOptions: Sendable {
  /// Is told how a download goes on, about a hundred times per file, on a thread of the library's.
  public var onProgress: @Sendable (SeedProgress) -> Void = { _ in }

  /// How many changed keys an element of `changes` has for each table at most; none unless this is raised.
  ///
  /// A table with more changed rows than this yields counts alone.
  public var changedKeyLimit = 0

  /// How the system protects the store's files while the device is locked; `nil` leaves that to the volume.
  ///
  /// Has a meaning on Apple's mobile systems alone, and is set when the directory is made. Anything stricter than
  /// ``FileProtection/afterFirstUnlock`` keeps background tasks from updating on a locked device.
  public var fileProtection: FileProtection? = .afterFirstUnlock

  /// Whether the user's backups leave the store out: what can be downloaded again has no place there, and app
  /// reviews insist on it. Has a meaning on Apple's systems alone.
  public var isExcludedFromBackup = true

  /// The defaults.
  public init() {}

  /// When the files can be read on a device that has a passcode.
  public enum FileProtection: Hashable, Sendable {
    /// From the first unlocking after a start on.
    case afterFirstUnlock
    /// While the device is unlocked; a file that was open before can be used on.
    case unlessOpen
    /// While the device is unlocked. SQLite's statements then fail as soon as it is locked.
    case whileUnlocked
  }
}

/// How far the download of one file is.
public struct SeedProgress: Hashable, Sendable {
  /// The file, such as `snapshot-102.sqlite.gz`.
  public let file: String
  /// Bytes that have arrived.
  public let bytes: Int
  /// Bytes that the file has, as signed.
  public let totalBytes: Int
}
