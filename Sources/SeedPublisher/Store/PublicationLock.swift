import SeedFormat
import SeedPublication
import SeedSystem

/// A lock for the one process that changes the publication. The kernel releases it when the process ends.
enum PublicationLock {
  enum IfHeld {
    case fail
    /// Waits without limit for another holder in this process, and up to `seconds` for another process.
    case wait(seconds: Int)

    /// For steps with little work.
    static let wait = IfHeld.wait(seconds: 10)
    /// For steps whose work is lost if the lock is not obtained.
    static let waitLong = IfHeld.wait(seconds: 600)
  }

  /// Tests shorten it.
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

  /// Returns `nil` if another process makes snapshots of the series and `ifHeld` does not wait. Never wait for this
  /// lock while holding the publication's lock, because its holder waits for that one.
  static func withSnapshotLock<Result>(
    of series: Series, _ directory: PublicationDirectory, _ ifHeld: IfHeld, _ body: () throws -> Result
  ) throws -> Result? {
    try withLock("\(directory.path)/.\(series.roleName).snapshots.lock", of: directory, ifHeld, body)
  }

  /// Protects collecting and writing facts, so older facts never replace newer ones.
  static func withFactsLock(_ directory: PublicationDirectory, _ body: () throws -> Void) throws {
    _ = try withLock("\(directory.path)/.facts.lock", of: directory, .wait, body)
  }

  private static func withLock<Result>(
    _ path: String, of directory: PublicationDirectory, _ ifHeld: IfHeld, _ body: () throws -> Result
  ) throws -> Result? {
    // Only the owner may open the file, because opening is enough to lock it.
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
