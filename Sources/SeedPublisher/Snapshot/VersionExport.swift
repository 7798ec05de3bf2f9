package import SeedDatabase
package import SeedFormat
import SeedSystem

extension SeriesRecall {
  /// Writes a version to `path` as the snapshot that clients would get, verified and synced, with indexes and
  /// statistics. `scratch` is a path for a temporary file of the same size, which the caller removes.
  package func export(_ version: SeedVersion, to path: String, by scratch: String) throws -> SeedMeta {
    try naming(version) {
      // The checks below read every row of the finished file, so the copy is not checked here.
      let copy = try make(try chain(to: version), at: scratch, isDurable: false)
      let file = SnapshotFile(schema: copy.schema, indexes: .snapshot)
      try file.draw(copy, at: path)
      try file.complete(path)
      for check in file.checks(of: path) { try check() }
      try File(path, for: .reading).sync()
      return try copy.meta()
    }
  }
}
