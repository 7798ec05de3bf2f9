import SeedSystem

/// A file lock that one thread of one process can hold. The kernel releases the lock when the process ends.
package struct LockFile {
  /// The longest wait for another process, in seconds.
  package enum Patience: Int {
    case short = 10
    /// For steps whose work is lost if the lock is not obtained.
    case long = 600
  }

  /// Tests shorten it.
  @TaskLocal package static var secondLength = Duration.seconds(1)
  private static let pause = Duration.milliseconds(50)
  private static let own = Mutex<Set<String>>([])

  private let path: String
  /// The folder that the lock protects.
  private let folder: String

  package init(_ path: String, of folder: String) { (self.path, self.folder) = (path, folder) }

  /// Waits up to `patience` for another process, and indefinitely for another thread of this one.
  package func hold<Result>(
    _ patience: Patience, isOver: () -> Bool = { false }, _ body: () throws -> Result
  ) throws -> Result {
    let file = try opened()
    var foreign = Duration.zero
    while try !file.tryLock() {
      try Task.checkCancellation()
      if isOver() { throw CancellationError() }
      guard foreign < Self.secondLength * patience.rawValue else {
        throw PublicationError.locked(
          path: folder, by: LockHolder.name(of: path), waitedSeconds: patience.rawValue)
      }
      if !Self.own.withLock({ $0.contains(path) }) { foreign += Self.pause }
      usleep(UInt32(Self.pause / .microseconds(1)))
    }
    return try use(file, body)
  }

  /// Returns `nil` at once if the lock is held.
  package func holdIfFree<Result>(_ body: () throws -> Result) throws -> Result? {
    let file = try opened()
    return try file.tryLock() ? use(file, body) : nil
  }

  private func opened() throws(FileError) -> File {
    // Only the owner may open the file, because opening is enough to lock it.
    let file = try File(path, for: .updating, mode: 0o600)
    try file.closeToOthers()
    return file
  }

  private func use<Result>(_ file: borrowing File, _ body: () throws -> Result) throws -> Result {
    defer { file.unlock() }
    Self.own.withLock { _ = $0.insert(path) }
    defer { Self.own.withLock { _ = $0.remove(path) } }
    return try body()
  }
}
