import SeedDatabase
import SeedFormat

/// The store's own reading of a generation: a few connections for what the app reads, so that a slow read holds up no
/// other, and one for what the store wants to know itself, which never takes long and waits for no read of the app's.
actor GenerationReader: TurnTaking {
  /// Reads of the app's at once; further ones wait. Each takes a connection, that is a thread and three open files.
  static let mostReads = 4
  /// Connections that stay open while nobody reads.
  private static let mostIdle = 1

  private nonisolated let executor = QueueExecutor(label: "seedbank.reader")
  private let folder: GenerationFolder
  private let own: ReadingConnection
  private var idle: [ReadingConnection] = []
  private var busy: [ReadingConnection] = []
  // Behind the connections, so that it ends after them.
  private let lease: Lease
  private var access = Access.granted
  private var isConfirmed: Bool
  /// Those who wait for the end of all reads.
  private var waitingForQuiet = Waiters()
  var turns = Turns(atOnce: GenerationReader.mostReads)

  private enum Access { case granted, suspended, gone }

  /// The actor's jobs run on a queue of its own.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ folder: GenerationFolder, _ lease: Lease) {
    self.folder = folder
    self.lease = lease
    own = ReadingConnection(folder.file, lease)
    isConfirmed = folder.isConfirmed
  }

  /// Whether the generation still lies in the store's directory; asked here, where no writer is waited for.
  func isInPlace() -> Bool { lease.isInPlace }

  /// What the file says of itself now.
  func meta() async throws -> SeedMeta {
    try checkAccess()
    return try await own.meta()
  }

  /// Runs `body` in one read transaction: all that it reads is of one version. The first that succeeds confirms the
  /// generation.
  func read<Result: Sendable>(
    _ body: @Sendable (borrowing SeedReader) throws -> Result
  ) async throws -> Result {
    guard await takeTurnUnlessCancelled() else { throw SeedError(CancellationError()) }
    defer { turns.end() }
    let connection = try take()
    defer { give(connection) }
    let result = try await connection.read(body)
    confirm()
    return result
  }

  /// Notes that the generation can be read.
  func confirm() {
    guard !isConfirmed else { return }
    // Where nothing can be written, the next read or start tries it again; until then the data is as good.
    isConfirmed = (try? folder.confirm()) != nil
  }

  // MARK: Suspension

  /// Ends the reads that are under way, with ``SeedError/Code/suspended``.
  func endReads() {
    for connection in busy { connection.interrupt.interrupt() }
  }

  /// Ends all reads, closes the connections and drops the lease.
  func suspend() async {
    access = .suspended
    endReads()
    if !busy.isEmpty {
      _ = await withCheckedContinuation { waitingForQuiet.add($0, at: Waiters.Place()) }
    }
    for connection in idle + [own] { await connection.close() }
    idle = []
    lease.drop()
  }

  /// Takes the lease again; false where the generation went in the meantime.
  func resume() -> Bool {
    access = (try? lease.retake()) == true ? .granted : .gone
    return access == .granted
  }

  // MARK: Connections

  private func take() throws(SeedError) -> ReadingConnection {
    try checkAccess()
    let connection = idle.popLast() ?? ReadingConnection(folder.file, lease)
    connection.interrupt.clear()
    busy.append(connection)
    return connection
  }

  private func give(_ connection: ReadingConnection) {
    busy.removeAll { $0 === connection }
    // Who suspends closes all of them before the lease goes.
    if idle.count < Self.mostIdle || access != .granted { idle.append(connection) }
    if busy.isEmpty { waitingForQuiet.resumeAll() }
  }

  private func checkAccess() throws(SeedError) {
    switch access {
    case .granted: return
    case .suspended: throw .suspended
    case .gone:
      throw SeedError(
        .suspended, "\(folder.path) was removed while the store was suspended: open the newest seed")
    }
  }
}
