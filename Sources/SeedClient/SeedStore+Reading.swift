package import SeedFormat
import SeedSystem

extension SeedStore {
  /// Returns the data to start with: the newest on the device or in the app's bundle, otherwise a download.
  ///
  /// Works offline after the first download, and never returns an empty database. Policies of updates do not limit this
  /// download. (A live query never downloads: it waits for an update, which a policy can limit.) If another store updates the
  /// directory, `prepare` also picks up that store's changes.
  @discardableResult
  public func prepare() async throws -> Seed { try await preparedGeneration().seed }

  /// The current data file, followed by each new one. Open the new file at each element.
  ///
  /// Each stream is independent, and ends when the store is closed or deallocated. A busy listener receives only the
  /// latest element.
  public nonisolated var files: AsyncStream<Seed> { fileSender.stream() }

  /// The changes made by each delta from now on.
  ///
  /// Buffers the newest 1000 for a busy listener, and drops older ones, so that an unread stream has bounded memory.
  ///
  /// A new file, in which any row may differ, is an element of ``files`` instead. Only the store that updates the
  /// data reports changes. With a read-only store, use live queries.
  public nonisolated var changes: AsyncStream<SeedChanges> { changesSender.stream() }

  /// Starts a live query: yields its rows now, after each change to the tables that it reads, and with each new file.
  ///
  /// The statement must be read-only. The first rows come from the data on the device or in the app's bundle; without
  /// either, the query waits for an update. Each update that changes the query's tables yields rows once. If the
  /// statement fails, the sequence ends with ``SeedError/Code/query``. If the file stays unreadable for half a
  /// minute, as on a locked device, the sequence ends with ``SeedError/Code/io``: call `observe` again. If the file
  /// is damaged, the next rows come from the previous file, if any, and the next update downloads a snapshot. The
  /// sequence also ends when the store is closed or deallocated, so keep a reference to the store.
  ///
  /// The query starts with this call. Call `observe` in the loop, because only one loop can iterate the sequence.
  public nonisolated func observe(_ query: SeedQuery) -> AsyncThrowingStream<[SeedRow], any Error> {
    live { try $0.rows(query) }
  }

  /// Starts a live query that decodes rows by column name; `routeName` also matches the column `route_name`.
  ///
  /// ```swift
  /// nonisolated struct Stop: Decodable { let id: String, name: String, zone: String? }
  /// for try await stops in seeds.observe("SELECT * FROM stop WHERE zone = \(zone)", as: Stop.self) { show(stops) }
  /// ```
  ///
  /// Lists and objects are decoded from JSON text, dates from ISO 8601 or seconds since 1970. A row that does not fit
  /// the type ends the sequence with ``SeedError/Code/decoding``. Rows are decoded on a library thread.
  public nonisolated func observe<Row: Decodable & Sendable>(
    _ query: SeedQuery, as type: Row.Type = Row.self
  ) -> AsyncThrowingStream<[Row], any Error> { live { try $0.rows(query, as: type) } }

  /// Starts a live query that can skip results equal to the last one.
  public nonisolated func observe<Row: Decodable & Equatable & Sendable>(
    _ query: SeedQuery, as type: Row.Type = Row.self, removingDuplicates: Bool
  ) -> AsyncThrowingStream<[Row], any Error> {
    live(isSame: removingDuplicates ? (==) : nil) { try $0.rows(query, as: type) }
  }

  /// Observes several queries together: yields `read`'s result now and after each change to their tables.
  ///
  /// ```swift
  /// for try await (stops, lines) in seeds.observe({ reader in
  ///   try (reader.rows("SELECT * FROM stop", as: Stop.self), reader.rows("SELECT * FROM line", as: Line.self))
  /// }) { show(stops, lines) }
  /// ```
  ///
  /// `read` runs in one transaction on a library thread. Its errors end the sequence.
  public nonisolated func observe<Value: Sendable>(
    _ read: @escaping @Sendable (borrowing SeedReader) throws -> Value
  ) -> AsyncThrowingStream<Value, any Error> { live(read) }

  /// The store's state now and after each change, to show on a settings screen.
  ///
  /// A busy listener receives only the latest state. The sequence ends when the store is closed or deallocated.
  public nonisolated var states: AsyncStream<SeedState> {
    Task { [weak self] in await self?.beginStates() }
    return stateSender.stream()
  }

  private func beginStates() async {
    await loadState()
    if stateSender.latest == nil { stateSender.send(currentState) }
  }

  /// The version that live queries show, which may be older than the state's. Does not wait for an update.
  package nonisolated var latestVersion: SeedVersion? { editionSender.latest?.version }

  /// Waits until live queries show a version other than `version`. Returns false if the task or the store ends first.
  package nonisolated func follows(otherThan version: SeedVersion?) async -> Bool {
    for await edition in editionSender.stream() where edition.version != version { return true }
    return false
  }

  /// The phases of all updates from now on; see ``update(_:onPhase:)`` for those of one update.
  ///
  /// A phase yields at most ten elements a second. If an update fails, the stream has no element for
  /// its end, but ``SeedState/isUpdating`` becomes false.
  public nonisolated var phases: AsyncStream<UpdatePhase> { phaseSender.stream() }

  private nonisolated func live<Value: Sendable>(
    isSame: (@Sendable (Value, Value) -> Bool)? = nil,
    _ read: @escaping @Sendable (borrowing SeedReader) throws -> Value
  ) -> AsyncThrowingStream<Value, any Error> {
    Task { [weak self] in await self?.openForQuery() }
    return LiveRows(isSame: isSame) { edition in
      try await edition.generation.reader.read { reader in
        (try read(reader), try reader.reading(at: edition.version))
      }
    } onDamage: { [weak self] damaged in
      _ = try await self?.replacement(of: damaged)
    } sleep: { [environment] wait in
      try await environment.sleep(wait)
    } onFailure: { [log] error in
      log.error("a live query ended: \(error)")
    }
    .stream(at: editionSender)
  }

  /// Opens the data if no other call has done so. Without this, an app that never updates would show nothing
  /// and get no error.
  private func openForQuery() async {
    await openData()
    guard fetcher != nil, access == .open, current == nil, !currentState.isUpdating, !hasNotedWaiting else {
      return
    }
    hasNotedWaiting = true
    log.info("a live query waits for the first data, which update() or keepUpdated() downloads")
  }

  /// Returns the current rows of a query; waits and fails like ``read(_:)``.
  public nonisolated func rows(_ query: SeedQuery) async throws -> [SeedRow] {
    try await read { reader in try reader.rows(query) }
  }

  /// Returns the current rows of a query, decoded like those of ``observe(_:as:)``.
  public nonisolated func rows<Row: Decodable & Sendable>(
    _ query: SeedQuery, as type: Row.Type = Row.self
  ) async throws -> [Row] { try await read { reader in try reader.rows(query, as: type) } }

  /// Returns the current first row of a query, if any.
  public nonisolated func first(_ query: SeedQuery) async throws -> SeedRow? {
    try await read { reader in try reader.first(query) }
  }

  /// Returns the current first row of a query, if any, decoded like those of ``observe(_:as:)``.
  public nonisolated func first<Row: Decodable & Sendable>(
    _ query: SeedQuery, as type: Row.Type = Row.self
  ) async throws -> Row? { try await read { reader in try reader.first(query, as: type) } }

  /// Returns the single value of a query such as `SELECT max(name) FROM stop`; `nil` for NULL or if there are no rows.
  public nonisolated func value<Value: Decodable & Sendable>(
    _ query: SeedQuery, as type: Value.Type = Value.self
  ) async throws -> Value? { try await read { reader in try reader.value(query, as: type) } }

  /// Runs `body` with a read-only connection to the current data, in one transaction.
  ///
  /// Prepares the data first if necessary. `body` runs on a library thread. A few reads run concurrently, and others
  /// wait. If the task is cancelled, the running statement ends with ``SeedError/Code/cancelled``. If the file is
  /// damaged, `body` runs again with the previous file, if there is one, and the next update downloads a snapshot.
  public func read<Result: Sendable>(
    _ body: @Sendable (borrowing SeedReader) throws -> Result
  ) async throws -> Result {
    let generation = try await preparedGeneration().generation
    do {
      return try await generation.reader.read(body)
    } catch let error as SeedError {
      try access.check()
      guard error.code == .damaged, let other = try await replacement(of: generation) else { throw error }
      return try await other.reader.read(body)
    }
  }

  private func preparedGeneration() async throws(SeedError) -> (generation: Generation, seed: Seed) {
    // While this store holds the lock, no other store changes the generation, so this read need not wait for an update.
    if isWriting, access == .open, let current, await current.reader.isInPlace(),
      let version = currentState.version
    {
      return (current, current.seed(at: version))
    }
    return try await inTurn { store in
      try Task.checkCancellation()
      if let generation = try await store.withBundle(over: store.adoptAndWatch()) {
        return (generation, try await store.seed(of: generation))
      }
      if store.fetcher == nil { try store.failForNoData() }
      let seed = try await store.performUpdate().seed
      return (try store.requireCurrent(), seed)
    }
  }

  private func replacement(of generation: Generation) async throws(SeedError) -> Generation? {
    guard await updateLock.acquire() else { throw SeedError(CancellationError()) }
    defer { updateLock.release() }
    // A suspended store has released all locks and takes none before it resumes.
    try access.check()
    do { return try await leave(generation) } catch { throw SeedError(error) }
  }
}
