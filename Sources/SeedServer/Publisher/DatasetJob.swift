package import SeedDatabase
package import SeedFormat
package import SeedTrust

/// What the operator says of how a dataset is published.
package struct PublishingPolicy: Hashable, Sendable {
  /// How snapshots are compressed; gzip is always among them.
  package var encodings: [ContentEncoding] = [.gzip]
  /// Who builds the secondary indexes of snapshots.
  package var indexes = IndexPlace.snapshot
  package var provenance = Provenance()
  /// By major; active where nothing is said.
  package var lifecycles: [Int: Lifecycle] = [:]
  /// Seconds that clients wait between two looks.
  package var pollSeconds = 60
  /// Seconds for which the online roles' signatures are valid.
  package var lifetimeSeconds = RepositorySigner.onlineSeconds
  /// Seconds after which a series that changed gets a new snapshot.
  package var snapshotSeconds = 3600
  /// Versions of which snapshots are kept; deltas lead on from the oldest of them.
  package var retainedSnapshots = 3
  /// Seconds after which a snapshot goes though there are fewer; the newest stays. `nil` for never.
  package var retainedSnapshotSeconds: Int?
  /// What holds the dataset back when a table loses many rows.
  package var shrinkGuard = ShrinkGuard()
  /// Seconds for which a file stays that metadata does not name any more.
  package var graceSeconds = 3600

  package init() {}
}

/// All that a publish step of one dataset needs to know from its configuration.
@dynamicMemberLookup
package struct DatasetJob: Sendable {
  package let name: DatasetName
  package let originPath: String
  package let plans: [SeriesPlan]
  package var policy: PublishingPolicy
  /// Seconds for which a locked origin is waited for.
  package var originPatienceSeconds = SQLiteOrigin.patienceSeconds

  package init(
    name: DatasetName, originPath: String, plans: [SeriesPlan], policy: PublishingPolicy = PublishingPolicy()
  ) {
    (self.name, self.originPath, self.plans, self.policy) = (name, originPath, plans, policy)
  }

  package subscript<Value>(dynamicMember field: WritableKeyPath<PublishingPolicy, Value>) -> Value {
    get { policy[keyPath: field] }
    set { policy[keyPath: field] = newValue }
  }

  func lifecycle(_ series: Series) -> Lifecycle { policy.lifecycles[series.major] ?? .active }

  /// Whether no series will ever change again.
  var isRetired: Bool { plans.allSatisfy { isRetired($0.series) } }

  func isRetired(_ series: Series) -> Bool { lifecycle(series).isRetired }
}
