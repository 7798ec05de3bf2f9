import SeedDatabase
import SeedFormat
import SeedSystem

enum GenerationCheck {
  enum Outcome: Hashable {
    case usable
    /// It is whole, and of a model that the app's queries do not fit.
    case otherModel
    case damaged(reason: String)
  }

  /// Reads the description, and a row of every table. An obstacle that may pass, as a locked device, is thrown.
  static func run(_ folder: GenerationFolder, _ model: SeedModel) throws -> Outcome {
    guard Folder.exists(folder.file) else { return .damaged(reason: "\(folder.file) is missing") }
    do {
      let connection = try Connection(folder.file, .reader)
      guard try SeedTables.meta(connection).opens(for: model) else { return .otherModel }
      for table in try SeedTables.sums(connection).keys.sorted() {
        _ = try connection.value("SELECT 1 FROM \(quoted(table)) LIMIT 1")
      }
      return .usable
    } catch {
      guard isDamage(error) else { throw error }
      return .damaged(reason: String(describing: error))
    }
  }

  /// True where SQLite, asked anew for all pages, finds damage in bytes that the disk does give back: then the snapshot
  /// was never good. A disk that failed, now or a moment ago, says nothing about the snapshot.
  static func provesDamage(_ folder: GenerationFolder) -> Bool {
    do {
      return try !StructureCheck(Connection(folder.file, .reader)).complaints(.quick).isEmpty
    } catch { return isDamage(error) }
  }

  fileprivate static func isDamage(_ error: any Error) -> Bool {
    switch error {
    case let error as DatabaseError: error.saysDamage || error.saysMisfit
    case is NotASeed, is InvalidName, is InvalidText: true
    default: false
    }
  }
}

extension SeedMeta {
  func opens(for app: SeedModel) -> Bool {
    guard series == app.series, model.opens(for: app.model) else { return false }
    // The file does not tell the hash of an older minor within it; signed metadata did when it was taken in.
    return model != app.model || app.pin.admits(schema)
  }
}

/// Proves a generation from its rows, on a queue of its own: reads and writes meanwhile do not wait for it.
actor GenerationProof: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.proof")

  /// Describes the file's damage; `nil` where its rows are those that it names. An obstacle that may pass is thrown.
  func damage(in generation: Generation) throws -> String? {
    do {
      let connection = try Connection(generation.folder.file, .reader)
      connection.endWithTask()
      _ = try Self.run(connection)
      return nil
    } catch {
      // An interrupted check reports damage that is none.
      try Task.checkCancellation()
      guard GenerationCheck.isDamage(error) || SeedError(error).code == .damaged else { throw error }
      return SeedError(error).message
    }
  }

  /// The file's own description, and its number of rows. In one transaction, so that a writer at work does not show
  /// the rows of one version and the digest of another.
  static func run(_ connection: Connection) throws -> (meta: SeedMeta, rows: Int) {
    try connection.execute("BEGIN")
    defer { connection.rollBack() }
    let meta = try SeedTables.meta(connection)
    let schema = try SchemaReader(connection).schema()
    guard schema.hash == meta.schema else {
      throw NotASeed("its tables do not match the schema that it names")
    }
    try SeedCheck(connection, schema).run()
    return (meta, try SeedTables.sums(connection).values.reduce(0) { $0 + $1.rows })
  }
}
