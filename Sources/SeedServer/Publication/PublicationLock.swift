import SeedDatabase

/// Held by one process at a time, for one step; the kernel releases it with the process, so it cannot go stale.
enum PublicationLock {
  /// Runs `body` under the lock, or says that another process has it.
  static func hold<Result>(_ directory: PublicationDirectory, _ body: () throws -> Result) throws -> Result {
    let file = try File("\(directory.path)/.lock", for: .updating)
    guard try file.tryLock() else { throw PublicationError.locked(path: directory.path) }
    defer { file.unlock() }
    return try body()
  }
}
