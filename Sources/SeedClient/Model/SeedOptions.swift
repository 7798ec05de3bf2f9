/// What an app can choose about its store.
public struct SeedOptions: Sendable {
  /// Is told how a download goes on, about a hundred times per file, on a thread of the library's.
  public var onProgress: @Sendable (SeedProgress) -> Void = { _ in }

  /// The defaults.
  public init() {}
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
