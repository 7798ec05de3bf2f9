import SeedDatabase

extension SeedStore {
  /// Proves the data on this device: the file's structure, and its digest, recomputed from all rows.
  ///
  /// A start and an update do nothing of this, for it reads the whole file: seconds where that is large. Call
  /// it where the data is in doubt. It runs on a thread of the library's; reads go on meanwhile, updates wait, and
  /// ``suspend()`` ends it. Without data it does nothing.
  ///
  /// Fails with ``SeedError/Code/damaged`` where the file has changed since it was verified. It is read no
  /// more then, not after a restart either: the file before takes its place, if there is one and it can be
  /// proved, and the next update takes a snapshot.
  ///
  /// ```swift
  /// do {
  ///   try await seeds.verify()
  /// } catch where error.code == .damaged {
  ///   try await seeds.update()
  /// }
  /// ```
  public func verify() async throws(SeedError) {
    try await inTurn(isUpdate: false) { store in try await store.performVerification() }
  }

  private func performVerification() async throws {
    let proof = GenerationProof()
    var damage: SeedError?
    var next = try await adopt()
    while let generation = next, let problem = try await proof.damage(in: generation) {
      damage =
        damage
        ?? SeedError(
          .damaged,
          "\(generation.folder.file) is damaged (\(problem)): update() takes a snapshot in its place")
      next = try await leave(generation)
    }
    if let damage { throw damage }
  }

  /// Goes back to the file before the current one: for an app whose own check of the new data failed.
  ///
  /// The way back is there after a snapshot has replaced older data, once. The rows of the current file
  /// are remembered and not taken again: updates fail with ``SeedError/Code/rejected`` until the publisher has
  /// something newer. Fails with ``SeedError/Code/noPrevious`` where there is no way back.
  @discardableResult
  public func rollBack() async throws(SeedError) -> Seed {
    try await inTurn(isUpdate: false) { store in try await store.performRollBack() }
  }

  private func performRollBack() async throws -> Seed {
    guard let held = try await beginWriting() else {
      throw SeedError(.noPrevious, "there is no data in \(layout.directory): update first")
    }
    try await writer.rollBack(from: held, holding: held.reader.meta().digest)
    guard let found = try await writer.find(known: self.held.inPlace).generation else {
      throw SeedError(
        .damaged, "the generation before \(held.name) in \(layout.directory) cannot be read: update again")
    }
    return try await open(found)
  }

  /// Applies deltas through the app's own writer from now on, so that whatever observes its connection sees the
  /// changes; with `nil`, through the store's own again.
  ///
  /// ```swift
  /// await seeds.lendConnection { seed, apply in
  ///   let pool = try await pool(for: seed)   // GRDB
  ///   let changes = try await pool.writeWithoutTransaction { db in
  ///     guard let handle = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
  ///     return try apply(handle)
  ///   }
  ///   try await Task {
  ///     try await pool.write { db in
  ///       for table in changes.tables.keys { try db.notifyChanges(in: Table(table)) }
  ///     }
  ///   }.value
  /// }
  /// ```
  ///
  /// The store's own writing connection stays closed meanwhile: one connection writes and checkpoints. Snapshots
  /// become new generations as ever, and the app opens its writer anew on each element of `openings`.
  ///
  /// The connection must be of the same copy of SQLite that this library is linked with, which nobody can check; open
  /// on the file of `seed`, for writing, in WAL mode, and not in a transaction, for the delta is one of its own. Any
  /// other connection fails the update with ``SeedError/Code/connection``. Foreign keys are not enforced during
  /// `apply`, whose own check covers them, and are as before afterwards; the connection's busy timeout says how long
  /// another writer is waited for. With `PRAGMA query_only = 1` it takes the library's changes and no others.
  ///
  /// The closure may read from the store and prepare it. All else that changes the store waits for this update, so it
  /// must not wait for that: another update, `verify`, `rollBack`, `suspend`, `lendConnection`.
  ///
  /// - Parameter lender: Calls `apply` once, and rethrows its error. It is called once for each delta.
  public func lendConnection(_ lender: SeedConnectionLender?) async {
    // Not in the midst of an update, which may hold the other connection.
    await turns.takeThroughCancellation()
    defer { turns.end() }
    await writer.borrow(lender)
  }
}
