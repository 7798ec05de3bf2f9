public import SeedFormat

extension SeedStore {
  /// One element per generation: the current one first, then each new one. Open the new file on each.
  ///
  /// Every use is a listener of its own, hears the latest if it was busy, and ends with the store.
  public nonisolated var openings: some AsyncSequence<Seed, Never> & Sendable { openingsSender.stream() }

  /// What each apply changed, from now on.
  ///
  /// For a listener that is busy the newest 1000 wait; of more the oldest are left out, so that one who never takes
  /// them costs no memory without a bound.
  ///
  /// A new generation may differ anywhere and yields no element here, but one of ``openings``.
  public nonisolated var changes: some AsyncSequence<SeedChanges, Never> & Sendable { changesSender.stream() }

  /// A live query: its rows now, and again after every change and every new generation.
  ///
  /// The statement is one that only reads, with a value for each parameter. The first rows come when there is data. A
  /// statement that fails ends the sequence with
  /// ``SeedError/Code/query``. Where the file turns out to be damaged the next rows are those of the generation before,
  /// if there is one, and the next update takes a snapshot. The sequence ends with the store.
  public nonisolated func rows(_ sql: String, _ values: SeedValue...) -> AsyncThrowingStream<
    [SeedRow], any Error
  > {
    rows(sql, values: values)
  }

  /// The same, for values whose number is known at run time alone.
  public nonisolated func rows(_ sql: String, values: [SeedValue]) -> AsyncThrowingStream<
    [SeedRow], any Error
  > {
    LiveRows(sql: sql, values: values) { [weak self] damaged in
      _ = try await self?.replacement(of: damaged)
    }
    .stream(at: moments.stream())
  }

  /// Runs `body` with a read-only connection to the current generation, in one transaction.
  ///
  /// It prepares the data first if that was not done. `body` runs on a thread of the library's. A few reads run at once,
  /// further ones wait for these; once the task is cancelled, the statement under way ends with
  /// ``SeedError/Code/cancelled``. Where the file turns
  /// out to be damaged, `body` runs once more with the generation before, if there is one, and the next update takes a
  /// snapshot.
  public func read<Result: Sendable>(
    _ body: @Sendable (borrowing SeedReader) throws -> Result
  ) async throws -> Result {
    let generation = try await prepare().generation
    do {
      return try await generation.reader.read(body)
    } catch let error as SeedError {
      guard error.code == .damaged, let other = try await replacement(of: generation) else { throw error }
      return try await other.reader.read(body)
    }
  }
}
