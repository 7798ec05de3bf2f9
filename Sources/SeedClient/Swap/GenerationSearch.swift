import SeedDatabase
import SeedFormat
import SeedTrust

/// Finds the generation to read: the current one, or the previous one where that cannot be read.
struct GenerationSearch: Sendable {
  let layout: StoreLayout
  let model: SeedModel

  /// What was found, with a lease on it.
  struct Found: Sendable {
    var pointer: GenerationPointer?
    var generation: Generation?
    /// The current generation, where it cannot be read, and why.
    var damaged: (folder: GenerationFolder, reason: String)?
    /// Whether the damaged one's snapshot is not to be taken again.
    var isRejected = false
  }

  /// Each further attempt means that another generation was made current since the last one.
  private static let mostAttempts = 100

  /// Looks at what counts now. `known` is used again where it is what was looked for; those in `damaged` are not
  /// tried, nor those of which it is noted.
  func run(
    known: [Generation], damaged: Set<String>, onEnd: @escaping @Sendable () -> Void
  ) throws -> Found {
    for _ in 0..<Self.mostAttempts {
      guard let pointer = try layout.pointer() else { return Found() }
      if let result = try look(pointer, known, damaged, onEnd) { return result }
    }
    throw SeedError(.io, "the current generation in \(layout.directory) changes too fast to be opened")
  }

  /// `nil` where what counts has changed meanwhile.
  private func look(
    _ pointer: GenerationPointer, _ known: [Generation], _ damaged: Set<String>,
    _ onEnd: @escaping @Sendable () -> Void
  ) throws -> Found? {
    var result = Found(pointer: pointer)
    for name in pointer.names {
      if let found = known.first(where: { $0.name == name && !damaged.contains(name) }) {
        result.generation = found
        return result
      }
      let folder = layout.folder(name)
      let lease = try Lease(folder, onEnd: onEnd)
      // Only what still counts now was not yet up for removal when the lease was taken.
      guard try layout.pointer() == pointer else { return nil }
      let record = try GenerationRecord(of: folder)
      switch try finding(lease, record, folder, damaged) {
      case .usable:
        guard let lease, let record else { continue }
        result.generation = Generation(folder, record, lease)
        return result
      case .damaged(let reason): if name == pointer.current { result.damaged = (folder, reason) }
      case .foreign: break
      }
    }
    return result
  }

  private func finding(
    _ lease: Lease?, _ record: GenerationRecord?, _ folder: GenerationFolder, _ damaged: Set<String>
  ) throws -> GenerationCheck.Finding {
    guard lease != nil, let record else { return .damaged(reason: "\(folder.path) is not whole") }
    guard !damaged.contains(folder.name), !folder.isRefuted else {
      return .damaged(reason: "a read of it found damage")
    }
    // A crash may come between noting a rejection and going back.
    guard try !layout.rejected().contains(record.snapshot) else { return .damaged(reason: "it was rejected") }
    return try GenerationCheck.run(folder, model)
  }
}
