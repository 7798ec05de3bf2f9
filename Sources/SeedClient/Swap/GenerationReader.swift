import SeedDatabase
import SeedFormat

/// The store's one reading connection of a generation, opened when it is first needed.
actor GenerationReader {
  private nonisolated let executor = QueueExecutor(label: "seedbank.reader")
  private let folder: GenerationFolder
  private var connection: Connection?
  // Behind the connection, so that it ends after it.
  private let lease: Lease
  private var access = Access.granted
  private var isConfirmed: Bool

  private enum Access { case granted, suspended, gone }

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ folder: GenerationFolder, _ lease: Lease) {
    self.folder = folder
    self.lease = lease
    isConfirmed = folder.isConfirmed
  }

  /// What the file says of itself now.
  func meta() throws -> SeedMeta { try SeedTables.meta(open()) }

  /// Runs `body` in one read transaction: all that it reads is of one version. The first that succeeds confirms the
  /// generation.
  func read<Result: Sendable>(
    _ body: @Sendable (borrowing SeedReader) throws -> Result
  ) throws -> Result {
    let connection = try translating { try open() }
    try translating { try connection.execute("BEGIN") }
    defer { connection.rollBack() }
    let result = try body(SeedReader(connection))
    confirm()
    return result
  }

  /// Notes that the generation can be read.
  func confirm() {
    guard !isConfirmed else { return }
    // Where nothing can be written, the next read or start tries it again; until then the data is as good.
    isConfirmed = (try? folder.confirm()) != nil
  }

  /// Closes the connection and drops the lease.
  func suspend() {
    connection = nil
    lease.drop()
    access = .suspended
  }

  /// Takes the lease again; false where the generation went in the meantime.
  func resume() -> Bool {
    access = (try? lease.retake()) == true ? .granted : .gone
    return access == .granted
  }

  private func open() throws -> Connection {
    switch access {
    case .granted: break
    case .suspended: throw SeedError.suspended
    case .gone:
      throw SeedError(
        .suspended, "\(folder.path) was removed while the store was suspended: open the newest seed")
    }
    if let connection { return connection }
    let opened = try Connection(folder.file, .reader)
    connection = opened
    return opened
  }
}
