import SeedDatabase
import SeedFormat

/// A connection that reads a generation's file, on a queue of its own: a statement that takes long holds up nobody else.
actor ReadingConnection {
  private nonisolated let executor = QueueExecutor(label: "seedbank.reading")
  private let file: String
  private var connection: Connection?
  // Behind the connection, so that it ends after it.
  private let lease: Lease
  /// Ends the read that is under way.
  nonisolated let interrupt = InterruptHandle()

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A connection that is opened when it is first needed.
  init(_ file: String, _ lease: Lease) {
    self.file = file
    self.lease = lease
  }

  /// What the file says of itself now.
  func meta() throws -> SeedMeta { try SeedTables.meta(open()) }

  /// Runs `body` in one read transaction: all that it reads is of one version.
  func read<Result: Sendable>(
    _ body: @Sendable (borrowing SeedReader) throws -> Result
  ) throws -> Result {
    let connection = try translating { try open() }
    connection.endWithTask(or: interrupt)
    try translating { try connection.execute("BEGIN") }
    defer { connection.rollBack() }
    return try body(SeedReader(connection, interrupt))
  }

  /// Closes it; the next use opens it anew.
  func close() { connection = nil }

  private func open() throws -> Connection {
    if let connection { return connection }
    let opened = try Connection(file, .reader)
    connection = opened
    return opened
  }
}
