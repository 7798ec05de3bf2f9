import SeedDatabase
public import SeedFormat

extension SeedStore {
  /// The data to start with: the device's own or the app's bundle, else what the server has.
  ///
  /// Works offline once there was a first download, and never yields an empty database. Where another store updates
  /// the same directory, this is also the way to notice its changes.
  @discardableResult
  public func prepare() async throws(SeedError) -> Seed { try await preparedGeneration().seed }

  /// One element per file: the current one first, then each new one. Open the new file on each.
  ///
  /// Every use is a listener of its own, hears the latest if it was busy, and ends with the store.
  public nonisolated var openings: AsyncStream<Seed> { openingsSender.stream() }

  /// The changes of each delta, from now on.
  ///
  /// For a listener that is busy the newest 1000 wait; of more the oldest are left out, so that a listener who never
  /// takes them costs no memory without a bound.
  ///
  /// A new file may differ anywhere and yields no element here, but one of ``openings``. Only the store that updates
  /// hears of changes: one that reads what another updates has live queries for that.
  public nonisolated var changes: AsyncStream<SeedChanges> { changesSender.stream() }

  /// A live query: its rows now, and again after every change of the tables that it reads, and with every new file.
  ///
  /// The statement is one that only reads, with a value for each parameter, in the text or behind it. The first rows are
  /// those of the data on the device or in the app's bundle; where there is none it waits, and somebody has to update.
  /// After an update that changed what it reads, rows come once. A statement that fails ends the
  /// sequence with ``SeedError/Code/query``. Where the file turns out to be damaged the next rows are those of the file
  /// before, if there is one, and the next update takes a snapshot. The sequence ends with the store, so keep that.
  public nonisolated func rows(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?...
  ) -> AsyncThrowingStream<[SeedRow], any Error> {
    live(query, values.seedValues, isSame: nil) { $0.seedRows() }
  }

  /// A live query whose rows become values of a type, whose members have the columns' names; `routeName` also takes the
  /// column `route_name`.
  ///
  /// ```swift
  /// struct Stop: Decodable { let id: String, name: String, zone: String? }
  /// for try await stops in seeds.rows("SELECT id, name, zone FROM stop WHERE zone = \(zone)", as: Stop.self) { show(stops) }
  /// ```
  ///
  /// Lists and objects are read from JSON in a text, dates from ISO 8601 or seconds since 1970. Rows that do not fit
  /// the type end the sequence, but not the store, with ``SeedError/Code/decoding``.
  public nonisolated func rows<Row: Decodable & Sendable>(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?..., as type: Row.Type
  ) -> AsyncThrowingStream<[Row], any Error> {
    live(query, values.seedValues, isSame: nil) { $0.decoded(as: type) }
  }

  /// The same, without rows that are equal to those before.
  public nonisolated func distinctRows<Row: Decodable & Equatable & Sendable>(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?..., as type: Row.Type
  ) -> AsyncThrowingStream<[Row], any Error> {
    live(query, values.seedValues, isSame: ==) { $0.decoded(as: type) }
  }

  /// The store's state: as it is now, then after each change, for a settings screen that stays up to date.
  ///
  /// A listener that is busy hears the latest. The sequence ends with the store.
  public nonisolated var states: AsyncStream<SeedState> { stateSender.stream() }

  /// The phases of all updates from now on, whoever began them; see ``updatePhases(_:)`` for those of one update.
  ///
  /// A phase yields at most ten elements a second. An update that fails has no last phase: ``SeedState/isUpdating`` says
  /// when it is over.
  public nonisolated var phases: AsyncStream<UpdatePhase> { phaseSender.stream() }

  private nonisolated func live<Row: Sendable>(
    _ query: SeedQuery, _ values: [SeedValue], isSame: (@Sendable ([Row], [Row]) -> Bool)?,
    _ rows: @escaping @Sendable (Statement) -> StatementRows<Row>
  ) -> AsyncThrowingStream<[Row], any Error> {
    // Nobody needs to have asked for the data before.
    Task { [weak self] in await self?.look() }
    return LiveRows(isSame: isSame) { generation in
      try await generation.reader.read { reader in
        let reading = TablesRead()
        let all = try reader.all(query.with(values), reading, rows)
        return (all, DataEdition.Reading(reading, ordinary: try reader.ordinaryTables()))
      }
    } onDamage: { [weak self] damaged in
      _ = try await self?.replacement(of: damaged)
    } sleep: { [environment] wait in
      try await environment.sleep(wait)
    }
    .stream(at: editionSender.stream())
  }

  /// The first row of a query, as it is now, where there is one; ``read(_:)`` says when it waits and fails.
  public nonisolated func first<Row: Decodable & Sendable>(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?..., as type: Row.Type
  ) async throws -> Row? {
    let query = try query.with(values.seedValues)
    return try await read { reader in try reader.first(query, as: type) }
  }

  /// The one value of a query such as `SELECT count(*) FROM stop`, as it is now; `nil` where it has no row.
  public nonisolated func value<Value: Decodable & Sendable>(
    _ query: SeedQuery, _ values: (any SeedValueConvertible)?..., as type: Value.Type
  ) async throws -> Value? {
    try await first(query.with(values.seedValues), as: type)
  }

  /// Runs `body` with a read-only connection to the current data, in one transaction.
  ///
  /// It prepares the data first if that was not done. `body` runs on a thread of the library's. A few reads run at once,
  /// further ones wait for these; once the task is cancelled, the statement under way ends with
  /// ``SeedError/Code/cancelled``. Where the file turns out to be damaged, `body` runs once more with the file before,
  /// if there is one, and the next update takes a snapshot.
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
    // No other store makes another generation current, so there is nothing to wait for.
    if isWriting, access == .open, let current, await current.reader.isInPlace(),
      let version = state.version
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

  /// The generation to read instead of one in which a read found damage; `nil` where there is none.
  private func replacement(of generation: Generation) async throws -> Generation? {
    guard await turns.take() else { throw SeedError(CancellationError()) }
    defer { turns.end() }
    // A suspension has given back all locks: none is taken before its end.
    try access.check()
    return try await leave(generation)
  }
}
