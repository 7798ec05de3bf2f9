import SeedDatabase
import SeedFormat

/// Turns a working copy into the file that clients open, and proves it before anyone signs it.
struct SnapshotMaker {
  private let schema: DatabaseSchema

  init(_ schema: DatabaseSchema) { self.schema = schema }

  /// Writes the copy's committed state to `path`: vacuumed, analysed, checked, synced.
  func make(_ copy: WorkingCopy, at path: String) throws {
    try WorkingCopy.remove(path)
    try copy.connection.execute("VACUUM INTO ?", .text(path))
    let snapshot = try Connection(path, .writer)
    try snapshot.execute("PRAGMA journal_mode = DELETE; ANALYZE")
    try SeedCheck(snapshot, schema).run()
  }
}
