import SeedFormat
import SeedSystem

/// Held by one process at a time that changes what is published; the kernel releases it with the process.
enum PublicationLock {
  enum IfHeld {
    case fail
    /// Waits while this process holds the lock. Another process gets so many seconds.
    case wait(seconds: Int)

    /// Long enough for a step that has little to do.
    static let wait = IfHeld.wait(seconds: 10)
    /// Behind work that would have to be done again.
    static let waitLong = IfHeld.wait(seconds: 600)
  }

  /// Shorter in tests.
  @TaskLocal static var secondLength = Duration.seconds(1)
  private static let pause = Duration.milliseconds(50)
  private static let own = Mutex<Set<String>>([])

  static func withLock<Result>(
    _ directory: PublicationDirectory, _ ifHeld: IfHeld = .fail, _ body: () throws -> Result
  ) throws -> Result {
    let path = "\(directory.path)/.lock"
    if let result = try withLock(path, of: directory, ifHeld, body) { return result }
    throw PublicationError.locked(path: directory.path, by: LockHolder.name(of: path))
  }

  /// `nil` where another makes snapshots of the series, and is not waited for. The holder of the lock above must
  /// never wait for this one: it is held for as long as files are compressed, and its holder waits for the other.
  static func withSnapshotLock<Result>(
    of series: Series, _ directory: PublicationDirectory, _ ifHeld: IfHeld, _ body: () throws -> Result
  ) throws -> Result? {
    try withLock("\(directory.path)/.\(series.roleName).snapshots.lock", of: directory, ifHeld, body)
  }

  /// Facts are gathered and written under it, so that older ones never replace newer ones.
  static func withFactsLock(_ directory: PublicationDirectory, _ body: () throws -> Void) throws {
    _ = try withLock("\(directory.path)/.facts.lock", of: directory, .wait, body)
  }

  private static func withLock<Result>(
    _ path: String, of directory: PublicationDirectory, _ ifHeld: IfHeld, _ body: () throws -> Result
  ) throws -> Result? {
    // To open a file is enough to lock it, so only its owner may.
    let file = try File(path, for: .updating, mode: 0o600)
    try file.closeToOthers()
    switch ifHeld {
    case .fail: guard try file.tryLock() else { return nil }
    case .wait(let seconds): try take(file, path, of: directory, seconds)
    }
    defer { file.unlock() }
    own.withLock { _ = $0.insert(path) }
    defer { own.withLock { _ = $0.remove(path) } }
    return try body()
  }

  private static func take(
    _ file: borrowing File, _ path: String, of directory: PublicationDirectory, _ seconds: Int
  ) throws {
    var foreign = Duration.zero
    while try !file.tryLock() {
      try Task.checkCancellation()
      if !own.withLock({ $0.contains(path) }) { foreign += pause }
      guard foreign < secondLength * seconds else {
        throw PublicationError.locked(
          path: directory.path, by: LockHolder.name(of: path), waitedSeconds: seconds)
      }
      usleep(UInt32(pause / .microseconds(1)))
    }
  }
}
