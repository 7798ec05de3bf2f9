import SeedDatabase
import SeedSystem

/// Where a generation's files lie.
struct GenerationFolder: Hashable, Sendable {
  /// The folder's name.
  let name: String
  let path: String

  static let fileName = "seed.sqlite"

  /// The SQLite file.
  var file: String { "\(path)/\(Self.fileName)" }
  /// Says where the generation came from. Leases are locks on it: it is made once, and goes before all else.
  var record: String { "\(path)/generation.json" }
  /// Is there once a read of the generation has succeeded.
  var confirmation: String { "\(path)/CONFIRMED" }

  /// Is there once a read of the generation, or a proof, has found damage.
  var refutation: String { "\(path)/DAMAGED" }

  var isConfirmed: Bool { Folder.exists(confirmation) }
  var isRefuted: Bool { Folder.exists(refutation) }

  /// Notes durably that the generation can be read.
  func confirm() throws(FileError) { try note(confirmation) }

  /// Notes durably that the generation is damaged.
  func refute() throws(FileError) { try note(refutation) }

  private func note(_ mark: String) throws(FileError) {
    try File(mark, for: .replacing, mode: 0o600).sync()
    try Folder.sync(path)
  }

  /// Removes the folder unless someone has a lease on it; what a crash leaves of it cannot be leased any more.
  func removeIfFree() throws(FileError) {
    guard Folder.exists(record) else { return try Folder.removeAll(path) }
    let lock = try File(record, for: .reading)
    guard try lock.tryLock() else { return }
    defer { lock.unlock() }
    try Folder.remove(record)
    try Folder.removeAll(path)
  }
}
