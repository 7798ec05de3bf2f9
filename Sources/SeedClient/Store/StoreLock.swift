import SeedDatabase

/// The right to write to a store's directory; the kernel takes it back with the process.
final class StoreLock {
  private let file: File

  init(_ layout: StoreLayout) throws {
    file = try File(layout.lock, for: .updating, mode: 0o600)
    guard try file.tryLock() else {
      throw SeedError(
        .storeLocked,
        "another store writes to \(layout.directory): keep one store per directory, or try again later")
    }
  }

  deinit { file.unlock() }
}
