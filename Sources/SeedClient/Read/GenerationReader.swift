import SeedDatabase
import SeedSystem

/// Reads a generation. The app's reads use a few connections with their own queues, so a slow read does not block others.
/// The store's own short reads use another connection, so they never wait for the app's.
actor GenerationReader: BlockingActor {
  /// Maximum concurrent reads by the app; others wait. Each uses a connection, with a thread and three open files.
  static let mostReads = 4
  private static let mostIdle = 1

  nonisolated let executor = QueueExecutor(label: "seedbank.reader")
  private let folder: GenerationFolder
  private var own: Connection?
  private var idle: [ReadingConnection] = []
  private var busy: [ReadingConnection] = []
  // Declared after the connections, so that it is released after them.
  private let lease: Lease
  private var access = Access.granted
  private var isConfirmed: Bool
  private let readLimit = AsyncLock(holders: GenerationReader.mostReads)

  private enum Access { case granted, suspended, gone }

  init(_ folder: GenerationFolder, _ lease: Lease) {
    (self.folder, self.lease) = (folder, lease)
    isConfirmed = folder.has(.confirmed)
  }

  /// False if the generation's folder was removed; checked here because this actor does not wait for writers.
  func isInPlace() -> Bool { lease.isInPlace }

  func meta() throws -> SeedMeta { try SeedTables.meta(openOwn()) }

  /// Returns nil if the file is damaged or missing. Throws if it is only temporarily unreadable.
  func metaUnlessDamaged() throws -> SeedMeta? {
    guard Folder.exists(folder.file) else { return nil }
    do { return try meta() } catch  where GenerationCheck.isDamage(error) { return nil }
  }

  func sums() throws -> [String: TableSum] { try SeedTables.sums(openOwn()) }

  private func openOwn() throws -> Connection {
    try checkAccess()
    let opened = try own ?? Connection(folder.file, .reader)
    own = opened
    return opened
  }

  /// Runs `body` in one transaction, so it reads only one version. The first success marks the generation as confirmed.
  func read<Result: Sendable>(
    _ body: @Sendable (borrowing SeedReader) throws -> Result
  ) async throws -> Result {
    guard await readLimit.acquire() else { throw SeedError(CancellationError()) }
    defer { readLimit.release() }
    let connection = try take()
    defer { give(connection) }
    let result = try await connection.read(body)
    confirm()
    return result
  }

  func confirm() {
    guard !isConfirmed else { return }
    isConfirmed = (try? folder.set(.confirmed)) != nil
  }

  // MARK: Suspension

  /// Ends all reads, closes the connections and drops the lease. Only one call at a time.
  func suspend() async {
    access = .suspended
    for connection in busy { connection.interrupt.interrupt() }
    // Once this function has taken all slots of `readLimit`, no read is running.
    for _ in 0..<Self.mostReads { await readLimit.acquireIgnoringCancellation() }
    defer { for _ in 0..<Self.mostReads { readLimit.release() } }
    for connection in idle { await connection.close() }
    (idle, own) = ([], nil)
    lease.drop()
  }

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
    // During suspension, connections are kept so that `suspend()` can close them before it drops the lease.
    if idle.count < Self.mostIdle || access != .granted { idle.append(connection) }
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

private actor ReadingConnection: BlockingActor {
  nonisolated let executor = QueueExecutor(label: "seedbank.reading")
  private let file: String
  private var connection: Connection?
  // Declared after the connection, so that it is released after it.
  private let lease: Lease
  nonisolated let interrupt = InterruptHandle()

  init(_ file: String, _ lease: Lease) { (self.file, self.lease) = (file, lease) }

  func read<Result: Sendable>(_ body: @Sendable (borrowing SeedReader) throws -> Result) throws -> Result {
    // Rolls back even if BEGIN failed, because the next read uses the same connection.
    defer { connection?.rollBack() }
    let opened: Connection
    do {
      opened = try connection ?? Connection(file, .reader)
      if connection == nil { try opened.allowViews() }
      connection = opened
      opened.endWithTask(or: interrupt)
      // Reads the schema, because a delta may have extended it. Statements would otherwise report the former columns.
      try opened.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
    } catch { throw SeedError(error) }
    return try body(SeedReader(opened, interrupt))
  }

  func close() { connection = nil }
}
