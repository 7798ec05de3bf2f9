import SeedFormat

/// Finds the generation to read: the current one, or the previous one if the current is unreadable.
struct GenerationSearch: Sendable {
  let layout: StoreLayout
  let model: SeedModel

  struct Result: Sendable {
    var generation: Generation?
    /// The current generation, if the app can read it only after deltas have raised it to the app's minor.
    var outdated: Generation?
    var damaged: (folder: GenerationFolder, reason: String)?
    var isRejected = false
  }

  /// A retry is needed only if a different generation became current during the attempt.
  private static let mostAttempts = 100

  /// Reuses an open generation from `known` if possible. Skips generations that are in `damaged` or marked as damaged.
  func run(
    known: [Generation], damaged: Set<String>, onEnd: @escaping @Sendable () -> Void
  ) throws -> Result {
    for _ in 0..<Self.mostAttempts {
      if let result = try open(known, damaged, onEnd) { return result }
    }
    throw SeedError(
      .io, "the current data in \(layout.directory) keeps changing before it can be opened: try again later")
  }

  /// Returns nil if another generation became current.
  private func open(
    _ known: [Generation], _ damaged: Set<String>, _ onEnd: @escaping @Sendable () -> Void
  ) throws -> Result? {
    guard let pointer = try layout.pointer() else { return Result() }
    var result = Result()
    for name in pointer.names {
      result.generation = known.first {
        $0.name == name && !damaged.contains(name) && !$0.folder.has(.damaged)
      }
      if result.generation != nil { return result }
      let folder = layout.folder(name)
      let lease = try Lease(folder, onEnd: onEnd)
      // If `CURRENT` is unchanged, the generation was not about to be removed when the lease was taken.
      guard try layout.pointer() == pointer else { return nil }
      let record = try GenerationRecord(of: folder)
      switch try check(lease, record, folder, damaged) {
      case .usable:
        guard let lease, let record else { continue }
        result.generation = Generation(folder, record, lease)
        return result
      case .damaged(let reason): if name == pointer.current { result.damaged = (folder, reason) }
      case .outdated:
        guard let lease, let record, name == pointer.current else { continue }
        result.outdated = Generation(folder, record, lease)
      case .otherModel: break
      }
    }
    return result
  }

  private func check(
    _ lease: Lease?, _ record: GenerationRecord?, _ folder: GenerationFolder, _ damaged: Set<String>
  ) throws -> GenerationCheck.Outcome {
    guard lease != nil, let record else { return .damaged(reason: "\(folder.path) is incomplete") }
    guard !damaged.contains(folder.name), !folder.has(.damaged) else {
      return .damaged(reason: "an earlier read found damage")
    }
    // A crash may have happened between recording the rejection and rolling back.
    guard try !layout.rejected().contains(record.snapshot) else { return .damaged(reason: "it was rejected") }
    return try GenerationCheck.run(folder, model)
  }
}

final class Generation: Sendable {
  let folder: GenerationFolder
  let record: GenerationRecord
  let reader: GenerationReader
  let lease: Lease

  init(_ folder: GenerationFolder, _ record: GenerationRecord, _ lease: Lease) {
    (self.folder, self.record, self.lease) = (folder, record, lease)
    reader = GenerationReader(folder, lease)
  }

  var name: String { folder.name }

  func seed(at version: SeedVersion) -> Seed { Seed(file: folder.file, version: version, keeper: self) }
}
