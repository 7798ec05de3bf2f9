import SeedDatabase
import SeedSystem

extension SeedStore {
  /// Verifies the data on this device: the file's structure, and its digest, recomputed from all rows.
  ///
  /// Starts and updates skip this, because reading a large file takes seconds. Call it if you doubt the data. Runs on
  /// a library thread; reads continue, updates wait, and ``suspend()`` ends it. A no-op without data.
  ///
  /// Fails with ``SeedError/Code/damaged`` if the file has changed since it was verified, and stops reading it, even
  /// after a restart. The previous file replaces it if it passes the check, and the next update takes a snapshot.
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

  /// Goes back to the previous file, for an app whose own check of the new data failed.
  ///
  /// Possible once after a snapshot has replaced older data. Updates then fail with ``SeedError/Code/rejected`` until
  /// the publisher has newer data. Fails with ``SeedError/Code/noPrevious`` without a previous file.
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

  /// Applies later deltas through the app's own writer, so that its observers see them. `nil` ends this.
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
  /// The store's own writing connection stays closed, because only one connection may write and checkpoint. Snapshots
  /// still become new generations, and the app reopens its writer on each element of `openings`.
  ///
  /// The connection must come from the same SQLite library as this one (which cannot be checked), and be open on the
  /// file of `seed`, for writing, in WAL mode, outside a transaction, because the delta runs in its own. Any other
  /// connection fails the update with ``SeedError/Code/connection``. During `apply`, foreign keys are not enforced; it
  /// checks them separately and restores the setting. The connection's busy timeout limits the wait for other writers.
  /// With `PRAGMA query_only = 1`, the connection accepts only the library's changes.
  ///
  /// The closure may read from the store and call `prepare`. It must not call `update`, `verify`, `rollBack`,
  /// `suspend` or `lendConnection`, which wait for this update.
  ///
  /// - Parameter lender: Calls `apply` once and rethrows its error. Called once for each delta.
  public func lendConnection(_ lender: SeedConnectionLender?) async {
    // Waits for a running update, which may hold the other connection.
    await turns.takeThroughCancellation()
    defer { turns.end() }
    await writer.borrow(lender)
  }
}
