import SeedFormat

/// What a dataset's folder says: its dataset.json and its models.
struct DatasetConfiguration: Hashable, Sendable {
  /// The folder's name, too.
  let name: DatasetName
  /// Absolute.
  let folder: String
  var origin: OriginConfiguration
  var schedule = ScheduleConfiguration()
  var retention = RetentionConfiguration()
  var shrink = ShrinkConfiguration()
  /// Gzip is always among them: it is what every client can read.
  var encodings: [SnapshotEncoding] = [.gzip]
  var indexes = SnapshotIndexes.snapshot
  /// How long metadata is good that nobody signs anew; at least ``ScheduleConfiguration/shortestExpiry``.
  var expirySeconds = Self.usualExpiry
  /// How often clients should ask.
  var pollSeconds = 60
  /// By major; a series that is not named is active.
  var lifecycle: [Int: SeriesLifecycle] = [:]
  var license: String?
  var attribution: String?
  var source: String?
  /// In the order of their versions.
  var models: [ModelFolder]

  static let fileName = "dataset.json"
  /// Seven days.
  static let usualExpiry = 604_800
  /// Up to a year.
  static let expiries = 1...31_536_000
  static let polls = 1...86_400
}

/// Where the operator keeps the data.
enum OriginConfiguration: Hashable, Sendable {
  /// A SQLite file, by its absolute path.
  case sqlite(path: String)
}

/// How often the publisher works.
struct ScheduleConfiguration: Hashable, Sendable {
  /// Between two looks at the origin.
  var checkSeconds = 2
  /// Between two snapshots.
  var snapshotSeconds = 3600

  static let checks = 1...86_400
  static let snapshots = 60...2_592_000

  /// Three times the longer of the two: metadata must outlive a publisher that missed its turn.
  var shortestExpiry: Int { 3 * max(checkSeconds, snapshotSeconds) }
}

/// What stays published for how long.
struct RetentionConfiguration: Hashable, Sendable {
  /// How many snapshots of a series are kept.
  var snapshots = 3
  /// How old a snapshot becomes, but the newest; none goes by its age where this is not said.
  var snapshotAgeSeconds: Int?
  /// How long a file stays that no current metadata names.
  var graceSeconds = 3600

  static let counts = 1...1000
  static let ages = 60...315_360_000
  static let graces = 60...604_800
}

/// Where the indexes are that only make queries fast: in the snapshot, or left to the client.
enum SnapshotIndexes: String, Hashable, Sendable, CaseIterable {
  case snapshot, client
}

/// What holds a dataset back until an operator accepts it.
struct ShrinkConfiguration: Hashable, Sendable {
  /// A table that loses more than this share of its rows; at 100 none does.
  var percent = 50
  /// Tables that had fewer rows are not looked at.
  var minimumRows = 100

  static let percents = 1...100
  static let counts = 1...1_000_000_000
}

/// How a snapshot is compressed.
enum SnapshotEncoding: String, Hashable, Sendable, CaseIterable {
  case gzip, xz
}
