import SeedDatabase
import SeedFormat

/// The store's one reading connection of a generation, opened when it is first needed.
actor GenerationReader {
  private nonisolated let executor = QueueExecutor(label: "seedbank.reader")
  private let path: String
  private var connection: Connection?

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ path: String) { self.path = path }

  /// What the file says of itself now.
  func meta() throws -> SeedMeta { try SeedTables.meta(open()) }

  /// Runs `body` in one read transaction: all that it reads is of one version.
  func read<Result: Sendable>(
    _ body: @Sendable (borrowing SeedReader) throws -> Result
  ) throws -> Result {
    let connection = try translating { try open() }
    try translating { try connection.execute("BEGIN") }
    defer { connection.rollBack() }
    return try body(SeedReader(connection))
  }

  private func open() throws -> Connection {
    if let connection { return connection }
    let opened = try Connection(path, .reader)
    connection = opened
    return opened
  }
}
