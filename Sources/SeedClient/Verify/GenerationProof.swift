import SeedDatabase
import SeedFormat

/// Proves a generation from its rows, on a queue of its own: whoever reads or writes meanwhile does not wait for it.
actor GenerationProof {
  private nonisolated let executor = QueueExecutor(label: "seedbank.proof")

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What is wrong with the file; `nil` where it is what it says of itself. What keeps it from being read now is
  /// thrown.
  func damage(in generation: Generation) throws -> String? {
    do {
      _ = try Self.run(Connection(generation.folder.file, .reader))
      return nil
    } catch {
      guard GenerationCheck.isDamage(error) || SeedError(error).code == .damaged else { throw error }
      return SeedError(error).message
    }
  }

  /// What the file says of itself, and how many rows it has. In one transaction, so that a writer at work does not show
  /// the rows of one version and the digest of another.
  static func run(_ connection: Connection) throws -> (meta: SeedMeta, rows: Int) {
    try connection.execute("BEGIN")
    defer { connection.rollBack() }
    let meta = try SeedTables.meta(connection)
    let schema = try SchemaReader(connection).schema()
    guard schema.hash == meta.schema else {
      throw NotASeed("its tables are not those of the schema that it names")
    }
    try SeedCheck(connection, schema).run()
    return (meta, try SeedTables.sums(connection).values.reduce(0) { $0 + $1.rows })
  }
}
