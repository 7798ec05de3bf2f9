import SeedDatabase
import SeedSystem

extension SeedStore {
  /// Verifies the data on this device: the file's structure, the digest (recomputed from all rows) and the search tables
  /// (in a temporary copy of the file).
  ///
  /// Neither an app's start nor an update does this, because reading a large file takes seconds. Call it if you doubt the
  /// data. It runs on a library thread; reads continue, updates wait, and ``suspend()`` ends it. A no-op without data.
  ///
  /// If the file is damaged, the call fails with ``SeedError/Code/damaged``, and the store never reads that file
  /// again. The previous file replaces it if it passes the check, and the next update downloads a snapshot.
  public func verify() async throws {
    try await inTurn(isUpdate: false) { store in
      let proof = GenerationProof()
      // `adopt()` sets `damage` again if the current file cannot be opened.
      store.damage = nil
      var next = try await store.adopt()
      var damage = store.damage
      while let generation = next, let problem = try await proof.damage(in: generation) {
        damage = damage ?? "\(generation.folder.file) is damaged (\(problem))"
        next = try await store.leave(generation)
      }
      if let damage {
        throw SeedError(.damaged, "\(damage): update() downloads a snapshot in its place")
      }
    }
  }

  /// Goes back to the previous file, for example if the app's own check of the new data failed.
  ///
  /// Works once after a snapshot has replaced older data; otherwise fails with ``SeedError/Code/noPrevious``.
  /// After a rollback, updates fail with ``SeedError/Code/rejected`` until the publisher has newer data.
  @discardableResult
  public func rollBack() async throws -> Seed {
    try await inTurn(isUpdate: false) { store in
      let directory = store.layout.directory
      guard let newer = try await store.beginWriting() else {
        throw SeedError(.noPrevious, "there is no data in \(directory): update first")
      }
      try await store.writer.rollBack(from: newer, holding: newer.reader.meta().digest)
      guard let found = try await store.writer.find(known: store.held.inPlace).generation else {
        throw SeedError(
          .damaged, "the file that \(newer.folder.file) replaced cannot be read: update again")
      }
      return try await store.open(found)
    }
  }
}
