/// Every bound of the front, each with its unit.
enum FrontLimits {
  /// Milliseconds between two looks at whether another process published: what an operator publishes shows at
  /// once, and a look costs a few microseconds.
  static let lookMilliseconds = 20
  /// Milliseconds between two looks at whether files of answers that are kept were replaced: by a restored backup,
  /// and by whoever mends a damaged file. A look costs a microsecond for each of them.
  static let fileLookMilliseconds = 1000
  /// Milliseconds between two looks at whether the signatures of what is published have expired.
  static let expiryLookMilliseconds = 1000
  /// Seconds between two attempts to load a publication that could not be loaded.
  static let retrySeconds = 1
  /// Seconds for which a metadata file is served that no current metadata names, for refreshes under way.
  static let retiredMetadataSeconds = 60
  /// Seconds for which an object is served that no current metadata names: as long as the publisher keeps it
  /// by default.
  static let retiredObjectSeconds = 3600
  /// Bytes of answers to `changes` that are kept for the next client that asks the same.
  static let changesCacheBytes = 32 * 1024 * 1024
  /// The share of the cache that one answer may take: a quarter.
  static let changesCacheShare = 4
  /// Bytes of one file of the web page.
  static let pageBytes = 1024 * 1024
  /// Files of the web page.
  static let pageFiles = 64
}

/// What `Cache-Control` says, by what is served.
enum CacheRule {
  /// An object is named by its hash: the name never means anything else.
  static let object = "max-age=31536000, immutable"
  /// Versioned metadata does not change, except when a lost publication is begun anew under the same names.
  static let versionedMetadata = "max-age=3600"
  /// What changes with each publication: long enough for a cache in front to take the load off. For some seconds
  /// more it may give what it has while it asks for the new one, so that nobody waits for that.
  static let current = "max-age=1, stale-while-revalidate=5"
  /// The web page's files keep their names when they change.
  static let page = "max-age=60"
  /// Health.
  static let never = "no-store"

  /// Seconds after which to try again what is not there yet.
  static let retryAfterSeconds = "2"
}
