import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// The publisher's own file of a series, holding its head: the first client of its own deltas.
struct WorkingCopy {
  let connection: Connection
  let schema: DatabaseSchema
  let path: String

  /// Where a series' copy lies.
  static func path(of series: Series, in stateFolder: String) -> String {
    "\(stateFolder)/\(series.roleName).sqlite"
  }

  /// Memory for pages while a copy is built: one that is written back too early is read again.
  private static let buildingCacheKibibytes = 32 * 1024

  /// Opens the copy at `path`.
  init(_ path: String, _ schema: DatabaseSchema) throws {
    connection = try Connection(path, .writer)
    self.schema = schema
    self.path = path
  }

  /// Makes a new copy at `path` out of the origin, committed; one that a crash left there goes first.
  init(building path: String, _ origin: SQLiteOrigin, _ plan: SeriesPlan, _ meta: SeedMeta) throws {
    try WorkingCopy.remove(path)
    try self.init(filling: try Connection(path, .creator), origin, plan, meta)
  }

  /// As ``init(building:_:_:_:)``, in a database without a name that nobody will find.
  init(trying origin: SQLiteOrigin, _ plan: SeriesPlan, _ meta: SeedMeta) throws {
    try self.init(filling: try Connection("scratch", .scratch), origin, plan, meta)
  }

  private init(
    filling connection: Connection, _ origin: SQLiteOrigin, _ plan: SeriesPlan, _ meta: SeedMeta
  ) throws {
    self.connection = connection
    schema = plan.schema
    path = connection.path
    try connection.execute("PRAGMA cache_size = -\(Self.buildingCacheKibibytes)")
    try connection.transaction {
      try connection.execute(plan.newest.schemaSQL)
      try SeedTables.create(meta, plan.schema.tables, connection)
      let result = try ViolationSurvey.surveying(origin, plan) {
        try Self.fill(connection, origin, plan)
      }
      var meta = meta
      meta.digest = result.digest
      try SeedTables.store(meta, connection)
    }
  }

  /// Makes a new copy at `path` out of a published snapshot's file.
  init(adopting snapshot: String, as path: String, _ schema: DatabaseSchema) throws {
    try WorkingCopy.remove(path)
    try Folder.rename(snapshot, to: path)
    try self.init(path, schema)
    try LeftOutIndexes.build(in: connection)
    // Published files carry statistics; in a copy they would go stale and be vacuumed into later snapshots.
    try connection.execute("DROP TABLE IF EXISTS sqlite_stat1; DROP TABLE IF EXISTS sqlite_stat4")
  }

  /// Whether what is in the file is what its schema says, and nothing else.
  var hasItsSchema: Bool { (try? SchemaReader(connection).schema().hash) == schema.hash }

  /// What the copy says of itself.
  func meta() throws -> SeedMeta { try SeedTables.meta(connection) }

  /// The stored sums of all tables.
  func sums() throws(CopyDamaged) -> [String: TableSum] {
    do {
      return try SeedTables.sums(connection)
    } catch {
      throw CopyDamaged(table: ReservedTable.table, reason: "\(error)")
    }
  }

  /// One table's rows in the order of its key.
  func rows(_ table: TableSchema) throws(CopyDamaged) -> Statement {
    do {
      return try connection.prepare(TableSQL(table).allInKeyOrder)
    } catch {
      throw CopyDamaged(table: table.name, reason: "\(error)")
    }
  }

  /// Applies a delta in the open transaction: the publisher's own draft, or what was published as `signed`.
  func apply(
    _ document: @escaping DocumentPieces.Source, signed: PublishedObject? = nil
  ) throws -> ImportResult {
    try DeltaApplier(connection, schema).apply(document, signed: signed)
  }

  /// Removes the file with what SQLite may have left beside it: a stale journal would undo the next copy.
  static func remove(_ path: String) throws(FileError) {
    for suffix in ["", "-journal", "-wal", "-shm"] { try Folder.remove(path + suffix) }
  }

  private static func fill(
    _ connection: Connection, _ origin: SQLiteOrigin, _ plan: SeriesPlan
  ) throws -> ImportResult {
    // An index over rows that are there is sorted once; one that grows with them is searched for each.
    let indexes = try SecondaryIndexes(connection)
    try indexes.drop(from: connection)
    let importer = try BatchImporter(connection, plan.schema)
    for table in plan.schema.tables {
      let rows = try origin.unorderedRows(table, plan.projection(table))
      let target = try importer.rows(of: table)
      while try rows.next() {
        try rows.validate()
        try target.insert(lent: rows.row)
      }
    }
    try indexes.build(in: connection)
    return try importer.finish()
  }
}
