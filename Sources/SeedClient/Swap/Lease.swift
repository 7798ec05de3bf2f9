import SeedDatabase
import SeedSystem

/// The right to read a generation's files, for as long as this lives: a lock that its readers share.
///
/// The kernel takes it back with the process, however that ends. Whoever wants to remove the files must have the lock
/// alone, so a lease that was taken holds. That it was taken in time shows only afterwards: see ``GenerationSearch``.
final class Lease: Sendable {
  private let path: String
  private let lock: Mutex<SharedLock?>
  private let onEnd: @Sendable () -> Void

  /// `nil` where the generation is gone or about to go. `onEnd` is called on any thread once the lease is over.
  init?(_ folder: GenerationFolder, onEnd: @escaping @Sendable () -> Void) throws(FileError) {
    guard let lock = try SharedLock.take(folder.record) else { return nil }
    path = folder.record
    self.lock = Mutex(lock)
    self.onEnd = onEnd
  }

  deinit {
    drop()
    onEnd()
  }

  /// Gives the lock back for a while.
  func drop() { lock.withLock { $0 = nil } }

  /// Whether the generation is still there by its name; one that was let go for a while is.
  var isInPlace: Bool { lock.withLock { $0?.isInPlace ?? true } }

  /// Takes the lock again; false where the generation went in the meantime.
  func retake() throws(FileError) -> Bool {
    try lock.withLock { lock throws(FileError) in
      if lock == nil { lock = try SharedLock.take(path) }
      return lock != nil
    }
  }
}

/// A lock that several may have at once.
private final class SharedLock: Sendable {
  private let file: File

  private init(_ file: consuming File) { self.file = file }

  deinit { file.unlock() }

  /// A disk that does not tell leaves things as they are.
  var isInPlace: Bool { (try? file.hasItsName()) ?? true }

  static func take(_ path: String) throws(FileError) -> SharedLock? {
    do {
      let file = try File(path, for: .reading)
      // Whoever had it alone has removed it by the time that it can be shared.
      guard try file.tryShare(), try file.isNamed() else { return nil }
      return SharedLock(file)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }
}
