import SeedDatabase
import SeedFormat

extension SeedStore {
  /// Proves the data on this device: the file's structure, and its digest, recomputed from all rows.
  ///
  /// Nothing of it is done at a start or at an update, for it reads the whole file: seconds where that is large. Call
  /// it where the data is in doubt. It runs on a thread of the library's; reads go on meanwhile, updates wait, and
  /// ``suspend()`` ends it. Without data there is nothing to prove.
  ///
  /// Fails with ``SeedError/Code/damaged`` where the file is not what it was when it was verified. It is read no
  /// more then, not after a restart either: the generation before takes its place, if there is one and it can be
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
    try await inTurn(isLook: false) { store in try await store.verifying() }
  }

  private func verifying() async throws {
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
}
