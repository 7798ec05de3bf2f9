import SeedDatabase
import SeedFormat
import SeedSystem

/// Held by one process at a time, while it changes what is published; the kernel releases it with the process, so it
/// cannot go stale.
enum PublicationLock {
  /// What to do while another has a lock.
  enum Patience {
    case refusing
    case waiting
  }

  /// Runs `body` under the lock, or says that another process has it.
  static func hold<Result>(
    _ directory: PublicationDirectory, _ patience: Patience = .refusing, _ body: () throws -> Result
  ) throws -> Result {
    let result = try hold("\(directory.path)/.lock", patience, body)
    guard let result else { throw PublicationError.locked(path: directory.path) }
    return result
  }

  /// Runs `body` while nobody else makes snapshots of the series; `nil` where another does, and is not waited for.
  ///
  /// Whoever holds the lock above must never wait for this one: it is held for as long as files are compressed, and
  /// its holder waits for the other.
  static func holdSnapshots<Result>(
    of series: Series, _ directory: PublicationDirectory, _ patience: Patience, _ body: () throws -> Result
  ) throws -> Result? {
    try hold("\(directory.path)/.\(series.roleName).snapshots.lock", patience, body)
  }

  private static func hold<Result>(
    _ path: String, _ patience: Patience, _ body: () throws -> Result
  ) throws -> Result? {
    let file = try File(path, for: .updating)
    switch patience {
    case .refusing: guard try file.tryLock() else { return nil }
    case .waiting: try file.lock()
    }
    defer { file.unlock() }
    return try body()
  }
}
