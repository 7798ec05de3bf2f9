import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

struct DatasetConfiguration: SettingsFile, Hashable {
  let name: DatasetName
  let folder: String
  /// The SQLite file; empty for other origins.
  var originPath: String
  var postgres = PostgresSettings()
  var feed = FeedSettings()
  var stateFolder = ""
  var environment: [String: String] = [:]
  var checkSeconds = 2
  var policy = PublishingPolicy()
  var models: [ModelDefinition] = []
  var knownOrigin: OriginOutline?

  var file: String { "\(folder)/\(DeploymentNames.datasetFile)" }
  var prefix: String { "datasets.\(name)." }

  init(name: DatasetName, folder: String, originPath: String) {
    (self.name, self.folder, self.originPath) = (name, folder, originPath)
  }

  init(_ name: DatasetName, readingFolder folder: String, overrides: ConfigurationOverrides) throws(Refusal) {
    self.init(name: name, folder: folder, originPath: "")
    environment = overrides.environment
    try read(overrides)
    models = try ModelFolder.all(inDataset: folder)
    knownOrigin = try KnownOrigin.read(inDataset: folder)
  }

  mutating func becomeFeed(_ said: [FeedTable]) {
    (feed.source, feed.tables) = (.path(originPath), said)
    originPath = ""
  }

  func plans() throws(PlanError) -> [SeriesPlan] {
    try SeriesPlan.plans(name, models, indexes: policy.indexes)
  }

  var series: Set<SeedSeries> { Set(models.map { SeedSeries(name, model: $0.version) }) }

  static var usual: Self { Self(name: "usual", folder: "/", originPath: "/") }

  /// Three times the longer of the two schedules, so that signatures outlive a missed step.
  var shortestExpiry: Int { 3 * max(checkSeconds, policy.snapshotSeconds) }

  static let settings: [Setting<Self>] =
    originSettings + [
      .integer(
        "schedule.checkSeconds", \.checkSeconds, in: 1...86_400, "seconds between two checks of the origin"),
      .integer(
        "schedule.changeSeconds", \.policy.expectedChangeSeconds, in: 60...31_536_000,
        "seconds within which the data usually changes; monitors warn if the newest version is older"),
      .integer(
        "schedule.snapshotSeconds", \.policy.snapshotSeconds, in: 60...2_592_000,
        "seconds after which a series that changed gets a new snapshot. For snapshots at fixed times of day, use a "
          + "timer that starts `regenerate --snapshot`"),
      .integer(
        "retention.snapshots", \.policy.retainedSnapshots, in: 1...1000,
        "how many snapshots stay published, with the deltas since the oldest of them; more may stay while a rollback holds the series"
      ),
      .integer(
        "retention.snapshotAgeSeconds", \.policy.retainedSnapshotSeconds, in: 60...315_360_000,
        "seconds after which a snapshot is removed even if fewer are published; the newest always stays"),
      .integer(
        "retention.graceSeconds", \.policy.graceSeconds, in: 60...604_800,
        "seconds to keep a file that metadata no longer names"),
      .integer(
        "shrink.percent", \.policy.shrinkGuard.percent, in: 1...100,
        "if a table loses more than this share of its rows, or a column loses its values in more than this share, "
          + "the dataset is held back until `regenerate --accept-shrink`; 100 turns this off"),
      .integer(
        "shrink.minimumRows", \.policy.shrinkGuard.minimumRows, in: 1...1_000_000_000,
        "tables that had fewer rows than this are not guarded"),
      Setting(
        "encodings", \.policy.encodings, type: "list of `gzip`, `xz`",
        "compressions of snapshots, and of large deltas that are merged or begin a minor; `gzip` must be among them. "
          + "`init` adds `xz` for an origin of more than 20 MB",
        read: readEncodings, json: { JSONValue(strings: $0.map(\.rawValue)) }),
      .choice(
        "indexes", \.policy.indexes, isSeldom: true,
        "`client` omits non-unique indexes from snapshots. The client library builds these indexes before it uses a "
          + "snapshot, and lets them call only functions that are fast for any value. `init` chooses `client` for an "
          + "origin of more than 20 MB that has such an index"),
      Setting(
        key: "expirySeconds", type: Setting<Self>.words(1...31_536_000),
        usual: "\(PublishingPolicy().lifetimeSeconds), or three times the longest schedule", isSeldom: true,
        meaning: "seconds for which signatures are valid without a renewal; at least three times the longest "
          + "schedule", read: readExpiry, json: { JSONValue($0.policy.lifetimeSeconds) }),
      .integer(
        "pollSeconds", \.policy.pollSeconds, in: 1...86_400,
        "seconds that clients wait between two updates. `init` writes 2, so that a change shows at once"),
      Setting(
        "lifecycle", \.policy.lifecycles,
        type:
          "by major: `state` (`active`, `deprecated`, `retired`), `sunset` (`YYYY-MM-DD`), `message` (string)",
        usual: "`active`", isSeldom: true,
        "the state of each model's major, such as `{\"1\": {\"state\": \"deprecated\", \"sunset\": "
          + "\"2027-06-30\"}}`; `retired` ends its updates, and the message is for the app's users",
        read: readLifecycles,
        json: { .object($0.sorted { $0.key < $1.key }.map { JSONMember(String($0.key), $0.value.json) }) }),
      .text(
        "license", \.policy.provenance.license,
        "the data's license. The next step signs it with the metadata, like `attribution` and `source`, and apps "
          + "read it with their next update"),
      .text("attribution", \.policy.provenance.attribution, "the credit that the data requires"),
      .text("source", \.policy.provenance.source, "the source of the data"),
    ]

  @Sendable private static func readEncodings(
    _ value: ConfigurationValue
  ) throws(Refusal) -> [ContentEncoding]? {
    let encodings = try value.list { value throws(Refusal) -> ContentEncoding? in
      try value.choice()
    }
    guard encodings?.contains(.gzip) == false else { return encodings }
    throw value.error("expected \"gzip\" in this list, because every client can read it")
  }

  /// Read after the schedule, because the expiry must be at least ``shortestExpiry``. A lower default is raised to it.
  @Sendable private static func readExpiry(
    _ dataset: inout Self, _ value: ConfigurationValue
  ) throws(Refusal) {
    let shortest = dataset.shortestExpiry
    let given = try value.integer(in: 1...31_536_000)
    if let given, given < shortest {
      throw value.error("expected at least \(shortest), three times the longest schedule, found \(given)")
    }
    dataset.policy.lifetimeSeconds = given ?? max(dataset.policy.lifetimeSeconds, shortest)
  }

  @Sendable private static func readLifecycles(
    _ value: ConfigurationValue
  ) throws(Refusal) -> [Int: SeedLifecycle]? {
    guard try value.listed() != nil else { return nil }
    var lifecycles: [Int: SeedLifecycle] = [:]
    for (name, inner) in try value.members() {
      guard let major = canonicalDecimal(name, in: 1...Limits.modelNumber) else {
        throw inner.error("expected a model's major as the key, such as \"2\", found \"\(name.clipped)\"")
      }
      let members = try inner.members(["state", "sunset", "message"]).map(\.value)
      lifecycles[major] = try readLifecycle(members[0], members[1], members[2])
    }
    return lifecycles
  }

  private static func readLifecycle(
    _ state: ConfigurationValue, _ sunset: ConfigurationValue, _ message: ConfigurationValue
  ) throws(Refusal) -> SeedLifecycle {
    let (name, day) = (try state.text(), try sunset.text())
    if let day, UTCTime(day: day) == nil {
      throw sunset.error("expected a day as YYYY-MM-DD, found \"\(day.clipped)\"")
    }
    if let name, let lifecycle = SeedLifecycle(name, sunset: day, message: try message.text()) {
      return lifecycle
    }
    throw state.error(
      "expected \(alternatives(SeedLifecycle.states)), found \(name.map { "\"\($0.clipped)\"" } ?? "nothing")"
    )
  }
}
