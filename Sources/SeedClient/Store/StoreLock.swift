import SeedDatabase
import SeedSystem

/// The right to write to a store's directory; the kernel takes it back with the process.
final class StoreLock {
  private let file: File

  init(_ layout: StoreLayout) throws {
    file = try File(layout.lock, for: .updating, mode: 0o600)
    guard try file.tryLock() else {
      throw SeedError(
        .storeLocked,
        "another store writes to \(layout.directory): keep one store per directory, give this one another by "
          + "`directory:`, or try again later")
    }
  }

  /// Whether it is still the lock of the store's directory: who removes that takes the lock from under its holder, and
  /// who makes it anew gets another. A disk that does not tell leaves things as they are.
  var isInPlace: Bool { (try? file.hasItsName()) ?? true }

  deinit { file.unlock() }
}
