package enum FrontLimits {
  static let lookMilliseconds = 20
  /// The interval of checks for expired signatures and for files replaced, for example, by a restored backup.
  static let slowLookMilliseconds = 1000
  static let retrySeconds = 1
  /// How long metadata is served after it was replaced, for refreshes in progress.
  static let retiredMetadataSeconds = 60
  /// The publisher's default grace period.
  package static let usualObjectGraceSeconds = 3600
  /// If this front serves a copy, a client that used a more current front may be up to this many versions ahead. A
  /// client that is further ahead has a different history.
  static let versionsAhead = 1000
  static let pageBytes = 1024 * 1024
}

enum CacheRule {
  /// Objects are named by their hash, so the content never changes.
  static let object = "max-age=31536000, immutable"
  /// Versioned metadata changes only if a lost publication is recreated.
  static let versionedMetadata = "max-age=3600"
  /// Long enough for a cache to absorb the load. A cache may serve a stale response while it gets the new one.
  static let current = "max-age=1, stale-while-revalidate=5"
  /// The index page is rendered at most once per second, except after a change.
  static let rendered = "max-age=1"
  /// The web page's files keep their names when they change.
  static let page = "max-age=60"
  /// Pages ignore unknown parameters, so proxies must not keep a copy for each.
  static let query = "private, max-age=1"
  static let never = "no-store"
}
