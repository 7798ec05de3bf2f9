import SeedSystem

/// The right to read a generation's files, for as long as this lives: a lock that its readers share. The kernel takes
/// it back with the process, however that ends. Only a process that has the lock alone removes the files, so a lease
/// that was taken holds. Whether it was taken in time shows only afterwards: see ``GenerationSearch``.
final class Lease: Sendable {
  private let path: String
  private let lock: Mutex<FileLock?>
  private let onEnd: @Sendable () -> Void

  /// `nil` where the generation is gone or about to go. `onEnd` is called on any thread once the lease is over.
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

  /// False where the generation's folder was removed or replaced, and while the lease is dropped.
  var isInPlace: Bool { lock.withLock { $0?.isInPlace ?? false } }

  func retake() throws(FileError) -> Bool {
    try lock.withLock { lock throws(FileError) in
      if lock == nil { lock = try FileLock.shared(path) }
      return lock != nil
    }
  }
}

/// A lock on a file, for as long as this lives; the kernel takes it back with the process.
final class FileLock: Sendable {
  private let file: File

  private init(_ file: consuming File) { self.file = file }

  deinit { file.unlock() }

  /// True while the locked file still has its name: removing it takes the lock from its holder, for whoever makes it
  /// anew gets another. A disk that does not tell leaves things as they are.
  var isInPlace: Bool { (try? file.hasItsName()) ?? true }

  /// Takes the lock alone, in a file that is made where there is none; `nil` where another has it.
  static func exclusive(_ path: String) throws(FileError) -> FileLock? {
    let file = try File(path, for: .updating, mode: 0o600)
    // The holder before may have removed the file since it was opened.
    guard try file.tryLock(), try file.isNamed() else { return nil }
    return FileLock(file)
  }

  /// The same, asked for again until `patience` is over. Blocks.
  static func exclusive(_ path: String, within patience: Duration) throws(FileError) -> FileLock? {
    let deadline = ContinuousClock.now + patience
    repeat {
      if let lock = try exclusive(path) { return lock }
      usleep(10_000)
    } while ContinuousClock.now < deadline
    return nil
  }

  /// A lock that several may hold at once; `nil` where the file is gone, or another has the lock alone.
  static func shared(_ path: String) throws(FileError) -> FileLock? {
    do {
      let file = try File(path, for: .reading)
      // A process that had it alone has removed it by the time that it can be shared.
      guard try file.tryShare(), try file.isNamed() else { return nil }
      return FileLock(file)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }
}
