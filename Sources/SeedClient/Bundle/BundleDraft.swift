import SeedDatabase
import SeedSystem

/// The folder in which a bundle is made, in the hands of one maker; it goes with its owner.
final class BundleDraft {
  private let path: String
  private let lock: File

  private static let lockName = "LOCK"

  /// Takes the folder, and removes what another maker left in it.
  init(_ place: BundlePlace) throws {
    path = place.draft
    try Folder.create(path)
    let lock = try File("\(path)/\(Self.lockName)", for: .updating, mode: 0o600)
    // Whoever had it may have removed the folder since it was opened.
    guard try lock.tryLock(), try lock.isNamed() else {
      throw SeedError(.storeLocked, "another process makes a bundle in \(place.directory): try again later")
    }
    for name in try Folder.names(in: path) where name != Self.lockName {
      try Folder.removeAny("\(path)/\(name)")
    }
    // Last: whoever fails above must not remove what is another's.
    self.lock = lock
  }

  deinit {
    // What stays here, the next maker takes.
    try? Folder.removeAll(path)
    lock.unlock()
  }
}
