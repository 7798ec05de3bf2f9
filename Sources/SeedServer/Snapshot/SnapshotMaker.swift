import SeedDatabase
import SeedFormat
import SeedSystem

/// Turns a working copy into the file that clients open, and proves it before anyone signs it.
struct SnapshotMaker {
  private let schema: DatabaseSchema
  private let indexes: IndexPlace

  init(_ schema: DatabaseSchema, _ indexes: IndexPlace) {
    self.schema = schema
    self.indexes = indexes
  }

  /// Rows of an index that its statistics are made from: what SQLite's documentation advises, for the planner needs
  /// orders of magnitude only.
  private static let analysedRows = 1000
  /// Ends the name of the file that still has the indexes which the snapshot will not have.
  private static let indexedSuffix = ".indexed"

  /// Draws the copy's committed state, of which ``complete(_:)`` makes the file at `path`. Only for this must nobody
  /// write to the copy.
  func draw(_ copy: WorkingCopy, at path: String) throws {
    try vacuum(copy.connection, into: indexes == .client ? path + Self.indexedSuffix : path)
  }

  /// Makes the file of what was drawn: vacuumed and analysed, its search tables compared with their rows.
  func complete(_ path: String) throws {
    try checkSchema(indexes == .client ? path + Self.indexedSuffix : path)
    if indexes == .client { try leaveOutIndexes(path) }
    let file = try writer(path)
    if indexes == .snapshot { try analyse(file) }
    try SeedCheck(file, schema).checkSearchTables()
  }

  /// Whoever edited the copy by hand may have added what no client expects, or taken away what all do.
  private func checkSchema(_ drawn: String) throws {
    guard try SchemaReader(Connection(drawn, .snapshot)).schema().hash == schema.hash else {
      throw NotASeed("its tables, indexes or views are not those of its model")
    }
  }

  /// What proves the finished file, the longest first; each only reads it, on whatever thread.
  func checks(of path: String) -> [Crew.Job] {
    let schema = schema
    return [
      { try SeedCheck(Connection(path, .snapshot), schema).checkStructure() },
      { try SeedCheck(Connection(path, .snapshot), schema).checkContent() },
    ]
  }

  /// Removes the file at `path` and all that was written on the way to it.
  static func remove(_ path: String) throws(FileError) {
    for file in [path, path + indexedSuffix] { try WorkingCopy.remove(file) }
  }

  /// Whether anything of a file at `path` is there.
  static func exists(_ path: String) -> Bool {
    [path, path + indexedSuffix].contains { Folder.exists($0) }
  }

  private func leaveOutIndexes(_ path: String) throws {
    let indexed = path + Self.indexedSuffix
    defer { try? WorkingCopy.remove(indexed) }
    let file = try writer(indexed)
    try analyse(file)
    try LeftOutIndexes.leaveOut(of: file)
    try vacuum(file, into: path)
  }

  /// Nothing waits for the disk here: what a crash leaves is thrown away, and a finished file is synced while it is
  /// compressed.
  private func vacuum(_ source: Connection, into path: String) throws {
    try WorkingCopy.remove(path)
    try source.execute("PRAGMA synchronous = OFF")
    defer { try? source.execute("PRAGMA synchronous = FULL") }
    try source.execute("VACUUM INTO ?", .text(path))
  }

  private func writer(_ path: String) throws -> Connection {
    let file = try Connection(path, .writer)
    // The first one is written into the file; the second is the connection's, and spares a journal's file.
    try file.execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    return file
  }

  private func analyse(_ file: Connection) throws {
    try file.execute("PRAGMA analysis_limit = \(Self.analysedRows); ANALYZE")
  }
}

/// Who builds the secondary indexes of a snapshot.
package enum IndexPlace: String, Hashable, Sendable, CaseIterable {
  /// They are in the file.
  case snapshot
  /// The client, from their SQL: the file is smaller by a third or so.
  case client
}
