import SeedFormat
import SeedSystem

/// Held by one process at a time that changes what is published; the kernel releases it with the process.
enum PublicationLock {
  enum IfHeld {
    case fail
    case wait
  }

  static func withLock<Result>(
    _ directory: PublicationDirectory, _ ifHeld: IfHeld = .fail, _ body: () throws -> Result
  ) throws -> Result {
    let result = try withLock("\(directory.path)/.lock", ifHeld, body)
    guard let result else { throw PublicationError.locked(path: directory.path) }
    return result
  }

  /// `nil` where another makes snapshots of the series, and is not waited for. The holder of the lock above must
  /// never wait for this one: it is held for as long as files are compressed, and its holder waits for the other.
  static func withSnapshotLock<Result>(
    of series: Series, _ directory: PublicationDirectory, _ ifHeld: IfHeld, _ body: () throws -> Result
  ) throws -> Result? {
    try withLock("\(directory.path)/.\(series.roleName).snapshots.lock", ifHeld, body)
  }

  /// Facts are gathered and written under it, so that older ones never replace newer ones.
  static func withFactsLock(_ directory: PublicationDirectory, _ body: () throws -> Void) throws {
    _ = try withLock("\(directory.path)/.facts.lock", .wait, body)
  }

  private static func withLock<Result>(
    _ path: String, _ ifHeld: IfHeld, _ body: () throws -> Result
  ) throws -> Result? {
    let file = try File(path, for: .updating)
    switch ifHeld {
    case .fail: guard try file.tryLock() else { return nil }
    case .wait: try file.lock()
    }
    defer { file.unlock() }
    return try body()
  }
}
