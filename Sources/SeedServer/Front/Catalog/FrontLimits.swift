enum FrontLimits {
  /// Milliseconds between two looks for a new publication. A look costs a few microseconds.
  static let lookMilliseconds = 20
  /// The same where this process publishes, and says so itself: others do it seldom.
  static let lookBesidePublisherMilliseconds = 250
  /// Milliseconds between two looks for replaced files, as a restored backup does, and expired signatures.
  static let slowLookMilliseconds = 1000
  /// Seconds between two attempts to load a publication that could not be loaded.
  static let retrySeconds = 1
  /// Seconds for which a metadata file is served after metadata last named it, for refreshes under way.
  static let retiredMetadataSeconds = 60
  /// Seconds for which an object is served after metadata last named it: as long as the publisher keeps it by default.
  static let retiredObjectSeconds = 3600
  /// Versions by which a client may be ahead of a copy, where other fronts are newer; beyond that it has another history.
  static let versionsAhead = 1000
  static let pageBytes = 1024 * 1024
  static let pageFiles = 64
}

enum CacheRule {
  /// An object is named by its hash: the name never stands for other content.
  static let object = "max-age=31536000, immutable"
  /// Versioned metadata does not change, except when a lost publication is begun anew under the same names.
  static let versionedMetadata = "max-age=3600"
  /// Changes with each publication: long enough for a cache in front to take the load off. For some more seconds the
  /// cache may answer with the old response while it fetches the new one, so that no client waits.
  static let current = "max-age=1, stale-while-revalidate=5"
  /// The first page as this process renders it, at most once a second.
  static let rendered = "max-age=1"
  /// The web page's files keep their names when they change.
  static let page = "max-age=60"
  static let never = "no-store"
}
