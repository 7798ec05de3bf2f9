import SeedDatabase
import SeedFormat

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

  /// Writes the copy's committed state to `path`: vacuumed and analysed, its search tables compared with their rows.
  func make(_ copy: WorkingCopy, at path: String) throws {
    switch indexes {
    case .snapshot: try vacuum(copy.connection, into: path) { try analyse($0) }
    case .client:
      let indexed = path + Self.indexedSuffix
      defer { try? WorkingCopy.remove(indexed) }
      try vacuum(copy.connection, into: indexed) { connection in
        try analyse(connection)
        try LeftOutIndexes.leaveOut(of: connection)
      }
      try vacuum(try Connection(indexed, .writer), into: path) { _ in }
    }
    try SeedCheck(try Connection(path, .writer), schema).checkSearchTables()
  }

  /// Proves the finished file on threads of its own, which only read it.
  func startChecks(of path: String, on work: SideWork) {
    let schema = schema
    work.start { try SeedCheck(Connection(path, .snapshot), schema).checkStructure() }
    work.start { try SeedCheck(Connection(path, .snapshot), schema).checkContent() }
  }

  private func vacuum(
    _ source: Connection, into path: String, _ finish: (Connection) throws -> Void
  ) throws {
    try WorkingCopy.remove(path)
    try source.execute("VACUUM INTO ?", .text(path))
    let file = try Connection(path, .writer)
    try file.execute("PRAGMA journal_mode = DELETE")
    try finish(file)
  }

  private func analyse(_ file: Connection) throws {
    try file.execute("PRAGMA analysis_limit = \(Self.analysedRows); ANALYZE")
  }
}

/// Who builds the secondary indexes of a snapshot.
package enum IndexPlace: String, Sendable {
  /// They are in the file.
  case snapshot
  /// The client, from their SQL: the file is smaller by a third or so.
  case client
}
