package import SeedDatabase
package import SeedFormat
import SeedSystem

extension SeriesRecall {
  /// Writes a version to `path` as the file that a snapshot of it would be, indexes and statistics included, and answers what
  /// it says of itself. Then its rows are those that were signed, and it is on the disk.
  ///
  /// `scratch` is a path for another file of the same size, which the caller removes.
  package func export(_ version: Version, to path: String, by scratch: String) throws -> SeedMeta {
    // What is read of every row is read of the file itself, below.
    let copy = try make(try chain(to: version), at: scratch, isDurable: false)
    let file = SnapshotFile(schema: copy.schema, indexes: .snapshot)
    try file.draw(copy, at: path)
    try file.complete(path)
    for check in file.checks(of: path) { try check() }
    try File(path, for: .reading).sync()
    return try copy.meta()
  }
}
