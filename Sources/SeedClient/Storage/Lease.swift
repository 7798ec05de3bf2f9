import SeedSystem

/// A shared lock that protects a generation's files from removal. The kernel releases it when the process
/// ends. Files are removed only under the exclusive lock. After taking a lease, ``GenerationSearch`` checks
/// that the generation was not already being removed.
final class Lease: Sendable {
  private let path: String
  private let lock: Mutex<FileLock?>
  private let onEnd: @Sendable () -> Void

  /// Fails if the generation is gone or being removed. `onEnd` is called on any thread when the lease ends.
  init?(_ folder: GenerationFolder, onEnd: @escaping @Sendable () -> Void) throws(FileError) {
    guard let lock = try FileLock.shared(folder.record) else { return nil }
    path = folder.record
    self.lock = Mutex(lock)
    self.onEnd = onEnd
  }

  deinit {
    drop()
    onEnd()
  }

  func drop() { lock.withLock { $0 = nil } }

  /// False if the generation's folder was removed or replaced, or if the lease is currently dropped.
  var isInPlace: Bool { lock.withLock { $0?.isInPlace ?? false } }

  func retake() throws(FileError) -> Bool {
    try lock.withLock { lock throws(FileError) in
      if lock == nil { lock = try FileLock.shared(path) }
      return lock != nil
    }
  }
}

/// A lock on a file, held while this value lives; the kernel releases it when the process ends.
final class FileLock: Sendable {
  private let file: File

  private init(_ file: consuming File) { self.file = file }

  deinit { file.unlock() }

  /// False if the locked file was removed or replaced, so that its path has a different lock. True after a disk error.
  var isInPlace: Bool { (try? file.hasItsName()) ?? true }

  /// Takes an exclusive lock on a file, which is created if missing; `nil` if the lock is held elsewhere. Blocks the
  /// thread and retries until `patience` is over.
  static func exclusive(_ path: String, within patience: Duration = .zero) throws(FileError) -> FileLock? {
    let deadline = ContinuousClock.now + patience
    while true {
      let file = try File(path, for: .updating, mode: 0o600)
      // The previous holder may have removed the file after this function opened it.
      if try file.tryLock(), try file.isNamed() { return FileLock(file) }
      guard ContinuousClock.now < deadline else { return nil }
      usleep(10_000)
    }
  }

  /// Takes a shared lock; `nil` if the file is missing or exclusively locked.
  static func shared(_ path: String) throws(FileError) -> FileLock? {
    do {
      let file = try File(path, for: .reading)
      // A process with the exclusive lock may have removed the file before the shared lock succeeded.
      guard try file.tryShare(), try file.isNamed() else { return nil }
      return FileLock(file)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }
}
