import SeedDatabase
import SeedSystem

extension SeedStore {
  /// Verifies the data on this device: the file's structure, the digest (recomputed from all rows) and the search tables
  /// (in a temporary copy of the file).
  ///
  /// Starts and updates skip this, because reading a large file takes seconds. Call it if you doubt the data. Runs on
  /// a library thread; reads continue, updates wait, and ``suspend()`` ends it. A no-op without data.
  ///
  /// If the file is damaged, fails with ``SeedError/Code/damaged``, and the store never reads that file again. The
  /// previous file replaces it if it passes the check, and the next update downloads a snapshot.
  public func verify() async throws {
    try await inTurn(isUpdate: false) { store in
      let proof = GenerationProof()
      // `adopt()` sets it again if the current file cannot be opened.
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

  /// Goes back to the previous file, for an app whose own check of the new data failed.
  ///
  /// Possible once after a snapshot has replaced older data. Updates then fail with ``SeedError/Code/rejected`` until
  /// the publisher has newer data. Fails with ``SeedError/Code/noPrevious`` without a previous file.
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
          .damaged, "the file before \(newer.folder.file) cannot be read: update again")
      }
      return try await store.open(found)
    }
  }
}
