package import SeedDatabase
import SeedFormat
import SeedSigning
package import SeedTrust

package struct PublishingPolicy: Hashable, Sendable {
  /// The encodings of snapshots, which always include gzip.
  package var encodings: [ContentEncoding] = [.gzip]
  package var indexes = IndexPlace.snapshot
  package var provenance = Provenance()
  /// The lifecycle of each major. A major without an entry is active.
  package var lifecycles: [Int: SeedLifecycle] = [:]
  package var pollSeconds = 60
  /// The validity of online signatures.
  package var lifetimeSeconds = RepositorySigner.onlineSeconds
  /// A changed series gets a new snapshot when its newest one reaches this age.
  package var snapshotSeconds = 3600
  /// The number of versions whose snapshots are kept. Deltas start at the oldest of these versions.
  package var retainedSnapshots = 3
  /// Snapshots older than this are removed, except the newest; `nil` for no limit.
  package var retainedSnapshotSeconds: Int?
  package var shrinkGuard = ShrinkGuard()
  package var changes = ChangeFinding.comparison
  /// The interval at which all rows are compared, even if the dataset uses a change log.
  package var auditSeconds = 86_400
  /// The longest time that the operator expects between two versions; `nil` if unknown. Used only for reports.
  package var expectedChangeSeconds: Int?
  /// How long files are kept once no metadata names them.
  package var graceSeconds = 3600

  package init() {}
}

package enum ChangeFinding: String, Hashable, Sendable, CaseIterable {
  case comparison = "compare"
  /// Reads the keys of changed rows from a log written by triggers.
  case log
}

/// Where a snapshot's secondary indexes are built.
package enum IndexPlace: String, Hashable, Sendable, CaseIterable {
  case snapshot
  /// The client builds the indexes from their SQL. The snapshot is about a third smaller.
  case client
}
