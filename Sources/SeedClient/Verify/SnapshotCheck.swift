import SeedDatabase
import SeedFormat
import SeedTrust

/// Whether a snapshot's file says of itself what signed metadata says of it.
enum SnapshotCheck {
  /// Looks at the file with nothing but reading, before anything else opens it.
  static func run(_ path: String, _ object: PublishedObject, epoch: Epoch) throws {
    let connection = try Connection(path, .snapshot)
    let meta = try SeedTables.meta(connection)
    let userVersion = try connection.integer("PRAGMA user_version")
    let signed = SeedMeta(
      series: object.series, model: object.model, epoch: epoch, version: object.version,
      schema: object.schema,
      digest: object.digest, provenance: meta.provenance)
    // Deltas go on from the sums. Whether they are those of the rows only a proof can say, which reads all rows.
    let digest = StateDigest.of(try SeedTables.sums(connection))
    guard meta == signed, digest == signed.digest, userVersion == Int64(object.model.userVersion) else {
      throw SeedError(.damaged, "\(object.fileName) does not say of itself what was signed of it")
    }
  }
}
