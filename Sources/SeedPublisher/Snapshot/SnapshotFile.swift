import SeedDatabase
import SeedFormat
import SeedSystem

struct SnapshotFile {
  let schema: DatabaseSchema
  let indexes: IndexPlace

  /// The number of rows sampled per index for statistics, as SQLite's documentation recommends.
  private static let analysedRows = 1000
  private static let indexedSuffix = ".indexed"

  /// Copies the committed state for ``complete(_:)``. The working copy must not be written to during the call.
  func draw(_ copy: WorkingCopy, at path: String) throws { try vacuum(copy.connection, into: drawn(path)) }

  private func drawn(_ path: String) -> String { indexes == .client ? path + Self.indexedSuffix : path }

  /// Finishes the drawn file: removes or analyses its indexes and compares search tables with their rows.
  func complete(_ path: String) throws {
    let drawn = drawn(path)
    // A manual edit of the working copy may have added or removed tables, indexes or views.
    guard try SchemaReader(Connection(drawn, .snapshot)).schema().hash == schema.hash else {
      throw NotASeed("its tables, indexes or views do not match its model")
    }
    if indexes == .client { try omitIndexes(path) }
    let file = try writer(path)
    if indexes == .snapshot { try analyse(file) }
    try SeedCheck(file, schema).checkSearchTables()
  }

  /// The jobs that verify the finished file, longest first. Each job only reads, and can run on any thread.
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

  private func omitIndexes(_ path: String) throws {
    let indexed = path + Self.indexedSuffix
    defer { try? WorkingCopy.remove(indexed) }
    let file = try writer(indexed)
    try analyse(file)
    try OmittedIndexes.omit(from: file)
    try vacuum(file, into: path)
    // Builds the indexes as a device does, because only this detects a value that is too long for an index.
    do {
      _ = try OmittedIndexes.build(in: file, signed: schema.hash)
    } catch let error as ForeignDefinition {
      // Does not throw NotASeed, because that would rebuild the working copy, which is sound.
      throw PlanError("\(error): change the index, or set \"indexes\" to \"snapshot\"")
    }
  }

  /// Does not sync: files left by a crash are discarded, and a finished file is synced during compression.
  private func vacuum(_ source: Connection, into path: String) throws {
    try WorkingCopy.remove(path)
    try source.execute("PRAGMA synchronous = OFF")
    defer { try? source.execute("PRAGMA synchronous = FULL") }
    try source.vacuum(into: path)
  }

  private func writer(_ path: String) throws -> Connection {
    let file = try Connection(path, .seed)
    // The first mode is stored in the file. The second belongs to the connection and avoids a journal file.
    try file.execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    return file
  }

  private func analyse(_ file: Connection) throws {
    try file.execute("PRAGMA analysis_limit = \(Self.analysedRows); ANALYZE")
  }
}
