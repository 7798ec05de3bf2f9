package import SeedDatabase
package import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

/// A series' database to which deltas are applied: the publisher's own, at the newest version, or an expanded snapshot.
package struct WorkingCopy {
  package let connection: Connection
  package private(set) var schema: DatabaseSchema
  let path: String

  package static func path(of series: SeedSeries, in stateFolder: String) -> String {
    "\(stateFolder)/\(series.roleName).sqlite"
  }

  /// The page cache for writing many rows. With a smaller one, SQLite would write pages early and read them again.
  static let cacheKibibytes = 32 * 1024

  init(_ path: String) throws {
    connection = try Connection(path, .writer)
    schema = try SchemaReader(connection).schema()
    self.path = path
  }

  /// Builds a committed copy of the origin, replacing a file left by a crash. Without a path, builds a scratch
  /// database.
  init(
    building path: String?, _ origin: any Origin, _ plan: SeriesPlan, _ types: TypeGuard, _ meta: SeedMeta
  ) throws {
    if let path { try WorkingCopy.remove(path) }
    connection = try path.map { try Connection($0, .creator) } ?? Connection("scratch", .scratch)
    schema = plan.schema
    self.path = connection.path
    try connection.execute("PRAGMA cache_size = -\(Self.cacheKibibytes)")
    try connection.transaction { [connection] in
      try connection.execute(plan.newest.schemaSQL)
      try SeedTables.create(meta, plan.schema.tables, connection)
      var meta = meta
      do {
        meta.digest = try Self.fill(connection, origin, plan, types).digest
      } catch { throw ViolationSurvey.explained(error, origin, plan, types) }
      try SeedTables.store(meta, connection)
    }
  }

  /// Expands a published snapshot and verifies its schema and digest against the signed ones.
  init(expanding snapshot: PublishedObject, in publication: PublicationDirectory, to path: String) throws {
    try WorkingCopy.remove(path)
    try publication.expand(snapshot, to: path)
    self.path = path
    do {
      connection = try Connection(path, .seed)
      schema = try OmittedIndexes.build(in: connection, signed: snapshot.schema)
      guard try SeedTables.meta(connection).digest == snapshot.digest else {
        throw NotASeed("its rows have a different digest")
      }
    } catch  where !error.saysHindrance && !Task.isCancelled {
      throw PublicationError.damaged(file: publication.file(snapshot))
    }
  }

  package func meta() throws -> SeedMeta { try SeedTables.meta(connection) }

  func sums() throws(CopyDamaged) -> [String: TableSum] {
    do {
      return try SeedTables.sums(connection)
    } catch { throw CopyDamaged(table: ReservedTable.table, reason: error.cause) }
  }

  /// Applies a delta, which may be a draft, in the open transaction. `signed` gives the expected result.
  @discardableResult
  mutating func apply(
    _ document: @escaping DocumentPieces.Source, signed: PublishedObject? = nil
  ) throws -> ImportResult {
    let applier = DeltaApplier(connection, schema)
    let result = try applier.apply(document, signed: signed)
    schema = applier.schema
    return result
  }

  mutating func apply(_ deltas: [PublishedObject], from publication: PublicationDirectory) throws {
    for delta in deltas {
      let document = try publication.pieces(delta)
      _ = try connection.transaction { try apply(document, signed: delta) }
    }
  }

  /// Also removes SQLite's journal files: a stale journal would corrupt the next copy.
  static func remove(_ path: String) throws(FileError) {
    for suffix in ["", "-journal", "-wal", "-shm"] { try Folder.remove(path + suffix) }
  }

  private static func fill(
    _ connection: Connection, _ origin: any Origin, _ plan: SeriesPlan, _ types: TypeGuard
  ) throws -> ImportResult {
    // Building an index after the rows needs one sort. Maintaining it while rows are inserted needs a search per row.
    let indexes = try SecondaryIndexes(connection)
    try indexes.drop(from: connection)
    let writer = try SeedWriter(connection, plan.schema)
    for table in plan.schema.tables {
      let rows = try origin.rows(table, plan.projection(table), isOrdered: false)
      let target = try writer.rows(of: table)
      while try rows.next() {
        try rows.validate(types)
        try target.write(lent: rows.row, isNew: true)
      }
    }
    try indexes.build(in: connection)
    return try writer.finish()
  }
}
