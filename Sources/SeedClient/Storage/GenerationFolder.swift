import SeedDatabase
import SeedSystem

/// The files of one generation.
struct GenerationFolder: Hashable, Sendable {
  let name: String
  let path: String

  static let fileName = "seed.sqlite"

  var file: String { "\(path)/\(Self.fileName)" }
  /// Says where the generation came from. Leases are locks on it, so it is made once, and removed before all else.
  var record: String { "\(path)/generation.json" }

  /// A file that is there once something is known of the generation.
  enum Mark: String {
    /// A read has succeeded.
    case confirmed = "CONFIRMED"
    /// A read or a proof has found damage.
    case damaged = "DAMAGED"
  }

  func has(_ mark: Mark) -> Bool { Folder.exists("\(path)/\(mark.rawValue)") }

  func set(_ mark: Mark) throws(FileError) {
    try File("\(path)/\(mark.rawValue)", for: .replacing, mode: 0o600).sync()
    try Folder.sync(path)
  }

  /// Removes the folder unless it is leased; what a crash leaves of it cannot be leased any more.
  func removeIfFree() throws(FileError) {
    guard Folder.exists(record) else { return try Folder.removeAll(path) }
    let lock = try File(record, for: .reading)
    guard try lock.tryLock() else { return }
    defer { lock.unlock() }
    try Folder.remove(record)
    try Folder.removeAll(path)
  }
}
