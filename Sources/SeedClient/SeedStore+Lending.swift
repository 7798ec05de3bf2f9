extension SeedStore {
  /// Applies deltas through the app's own writer from now on, so that whatever observes its connection sees the
  /// changes; with `nil`, through the store's own again.
  ///
  /// ```swift
  /// await seeds.withConnection { seed, apply in
  ///   try await pool(for: seed).writeWithoutTransaction { db in   // GRDB
  ///     let changes = try apply(db.sqliteConnection!)
  ///     try db.inTransaction {
  ///       for table in changes.tables.keys { try db.notifyChanges(in: Table(table)) }
  ///       return .commit
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The store's own writing connection stays closed meanwhile: one connection writes and checkpoints. Snapshots
  /// become new generations as ever, and the app opens its writer anew on each element of `openings`.
  ///
  /// The connection must be of the same copy of SQLite that this library is linked with, which nobody can check; open
  /// on the file of `seed`, for writing, in WAL mode, and not in a transaction, for the delta is one of its own. What
  /// of this is not so fails the update with ``SeedError/Code/connection``. Foreign keys are not enforced during
  /// `apply`, whose own check covers them, and are as before afterwards; how long to wait for another writer is the
  /// connection's setting.
  ///
  /// The closure may read from the store and prepare it. All else that changes the store waits for this update, and so
  /// for ever where the closure waits for it: another update, `verify`, `rollBack`, `suspend`, `withConnection`.
  ///
  /// - Parameter lender: Calls `apply` once, and rethrows what it throws. Called once for each delta.
  public func withConnection(_ lender: SeedConnectionLender?) async {
    // Not in the midst of an update, which may hold the other connection.
    await takeTurn()
    defer { turns.end() }
    await writer.borrow(lender)
  }
}
