import SeedDatabase
import SeedFormat
import SeedSystem

/// Turns a working copy into the file that clients open, and proves it before anyone signs it.
struct SnapshotFile {
  let schema: DatabaseSchema
  let indexes: IndexPlace

  /// Rows of an index that its statistics are made from; SQLite's documentation advises so few.
  private static let analysedRows = 1000
  /// Ends the name of the file that still has the indexes which the snapshot will not have.
  private static let indexedSuffix = ".indexed"

  /// Copies the committed state, for ``complete(_:)``; only meanwhile must nobody write to the working copy.
  func draw(_ copy: WorkingCopy, at path: String) throws { try vacuum(copy.connection, into: drawn(path)) }

  private func drawn(_ path: String) -> String { indexes == .client ? path + Self.indexedSuffix : path }

  /// Makes the file of what was drawn, analysed, with its search tables compared with their rows.
  func complete(_ path: String) throws {
    try checkSchema(drawn(path))
    if indexes == .client { try leaveOutIndexes(path) }
    let file = try writer(path)
    if indexes == .snapshot { try analyse(file) }
    try SeedCheck(file, schema).checkSearchTables()
  }

  /// An edit by hand may have added to the working copy what no client expects, or removed what all do.
  private func checkSchema(_ drawn: String) throws {
    guard try SchemaReader(Connection(drawn, .snapshot)).schema().hash == schema.hash else {
      throw NotASeed("its tables, indexes or views do not match its model")
    }
  }

  /// The jobs that prove the finished file, the longest first; each only reads it, on any thread.
  func checks(of path: String) -> [WorkerPool.Job] {
    [
      { [schema] in try SeedCheck(Connection(path, .snapshot), schema).checkStructure() },
      { [schema] in try SeedCheck(Connection(path, .snapshot), schema).checkContent() },
    ]
  }

  static func remove(_ path: String) throws(FileError) {
    for file in [path, path + indexedSuffix] { try WorkingCopy.remove(file) }
  }

  static func exists(_ path: String) -> Bool { [path, path + indexedSuffix].contains { Folder.exists($0) } }

  private func leaveOutIndexes(_ path: String) throws {
    let indexed = path + Self.indexedSuffix
    defer { try? WorkingCopy.remove(indexed) }
    let file = try writer(indexed)
    try analyse(file)
    try LeftOutIndexes.leaveOut(of: file)
    try vacuum(file, into: path)
  }

  /// Nothing is synced: what a crash leaves is thrown away, and a finished file is synced while it is compressed.
  private func vacuum(_ source: Connection, into path: String) throws {
    try WorkingCopy.remove(path)
    try source.execute("PRAGMA synchronous = OFF")
    defer { try? source.execute("PRAGMA synchronous = FULL") }
    try source.vacuum(into: path)
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
