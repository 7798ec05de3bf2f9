package import SeedDatabase
import SeedFormat
package import SeedTrust

/// What the operator says of how a dataset is published.
package struct PublishingPolicy: Hashable, Sendable {
  /// How snapshots are compressed; gzip is always among them.
  package var encodings: [ContentEncoding] = [.gzip]
  package var indexes = IndexPlace.snapshot
  package var provenance = Provenance()
  /// By major; active where none is given.
  package var lifecycles: [Int: Lifecycle] = [:]
  /// Seconds between two looks of a client.
  package var pollSeconds = 60
  /// Seconds for which the online roles' signatures are valid.
  package var lifetimeSeconds = RepositorySigner.onlineSeconds
  /// When a series that changed gets a new snapshot.
  package var snapshotSchedule = SnapshotSchedule.every(seconds: Self.usualSnapshotSeconds)
  /// Versions of which snapshots are kept; deltas lead on from the oldest of them.
  package var retainedSnapshots = 3
  /// Seconds after which a snapshot goes though there are fewer; the newest stays. `nil` for never.
  package var retainedSnapshotSeconds: Int?
  package var shrinkGuard = ShrinkGuard()
  /// Seconds within which the operator expects a new version; only told. `nil` where nobody knows.
  package var expectedChangeSeconds: Int?
  /// Seconds for which a file stays that metadata does not name any more.
  package var graceSeconds = 3600

  package init() {}

  /// Seconds after which a series that changed gets a new snapshot, where nothing else is said.
  package static let usualSnapshotSeconds = 3600
}

/// Who builds the secondary indexes of a snapshot.
package enum IndexPlace: String, Hashable, Sendable, CaseIterable {
  /// They are in the file.
  case snapshot
  /// The client, from their SQL: the file is smaller by a third or so.
  case client
}
