import SeedDatabase
import SeedFormat
import SeedSystem

enum GenerationCheck {
  enum Outcome: Hashable {
    case usable
    /// Intact, but of an older minor than the app's, so columns that the app's queries read may be missing.
    case outdated
    /// Intact, but from a model that does not fit the app's queries.
    case otherModel
    case damaged(reason: String)
  }

  /// Reads the metadata and one row of every table. Throws transient errors, such as those of a locked device.
  static func run(_ folder: GenerationFolder, _ model: SeedModel) throws -> Outcome {
    guard Folder.exists(folder.file) else { return .damaged(reason: "\(folder.file) is missing") }
    do {
      let connection = try Connection(folder.file, .reader)
      let meta = try SeedTables.meta(connection)
      guard meta.opens(for: model) else { return meta.isOutdated(for: model) ? .outdated : .otherModel }
      for table in try SeedTables.sums(connection).keys.sorted() {
        _ = try connection.value("SELECT 1 FROM \(quoted(table)) LIMIT 1")
      }
      return .usable
    } catch {
      guard isDamage(error) else { throw error }
      return .damaged(reason: String(describing: error))
    }
  }

  /// True if SQLite can read all pages and finds damage in them, which proves that the snapshot was never valid. A disk
  /// error proves nothing about the snapshot.
  static func provesDamage(_ folder: GenerationFolder) -> Bool {
    do {
      return try !StructureCheck(Connection(folder.file, .received)).complaints(.quick).isEmpty
    } catch { return isDamage(error) }
  }

  static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case let error as DatabaseError: error.saysDamage || error.saysMisfit
    case is NotASeed, is InvalidName, is InvalidText: true
    default: false
    }
  }
}

extension SeedMeta {
  func opens(for app: SeedModel) -> Bool {
    guard series == app.series, model.opens(for: app.version) else { return false }
    // If the app's minor is older than the file's, the file lacks the hash of the app's schema. That hash was compared
    // with the signed metadata when the file was installed.
    return model != app.version || app.accepts(schema)
  }

  fileprivate func isOutdated(for app: SeedModel) -> Bool { series == app.series && model < app.version }
}

/// Verifies a generation's rows on a separate queue, so that reads and writes do not wait.
actor GenerationProof: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.proof")

  /// Describes the file's damage; `nil` if its rows match its digests. Throws transient errors.
  func damage(in generation: Generation) throws -> String? {
    do {
      let connection = try Connection(generation.folder.file, .received)
      _ = try Self.run(connection)
      return nil
    } catch {
      // A cancelled check may report damage that does not exist.
      try Task.checkCancellation()
      guard GenerationCheck.isDamage(error) || SeedError(error).code == .damaged else { throw error }
      return SeedError(error).message
    }
  }

  /// Returns the metadata and row count, read in one transaction so that a concurrent write cannot mix two versions.
  static func run(_ connection: Connection) throws -> (meta: SeedMeta, rows: Int) {
    try connection.execute("BEGIN")
    defer { connection.rollBack() }
    let meta = try SeedTables.meta(connection)
    let schema = try SchemaReader(connection).schema()
    guard schema.hash == meta.schema else {
      throw NotASeed("its tables do not match the schema that it names")
    }
    let check = SeedCheck(connection, schema)
    try check.run()
    try check.checkSearchTablesOfCopy()
    return (meta, try SeedTables.sums(connection).values.reduce(0) { $0 + $1.rows })
  }
}
