#if canImport(Glibc)
package import Glibc
#else
package import Darwin
#endif

/// An open file descriptor, closed with its owner. The one door for file system calls, with Folder.
package struct File: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// What a file is opened for.
  package enum Purpose: Sendable {
    /// Reading what is there.
    case reading
    /// Writing a new file; one that is there is emptied.
    case replacing
    /// Reading and writing; made where it is not there, kept where it is.
    case updating
  }

  /// Opens `path`; a new file can be read by all (`mode` 0644) unless told otherwise.
  package init(_ path: String, for purpose: Purpose, mode: mode_t = 0o644) throws(FileError) {
    let flags: Int32 =
      switch purpose {
      case .reading: O_RDONLY
      case .replacing: O_WRONLY | O_CREAT | O_TRUNC
      case .updating: O_RDWR | O_CREAT
      }
    descriptor = try retrying("open", path) { open(path, flags | O_CLOEXEC, mode) }
    self.path = path
  }

  deinit { close(descriptor) }

  /// Fills `buffer` as far as the file goes; returns the bytes read, 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try retrying("read", path) { systemRead(descriptor, rest.baseAddress, rest.count) }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Reads up to `count` bytes; empty at the end.
  package func read(_ count: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FileError) {
        filled = try read(into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads `count` bytes from an offset on; fewer where the file ends.
  package func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
    _ = try retrying("seek", path) { lseek(descriptor, off_t(offset), SEEK_SET) }
    return try read(count)
  }

  /// Writes all of `bytes`.
  package func write(_ bytes: borrowing [UInt8]) throws(FileError) {
    var failure: FileError?
    bytes.withUnsafeBytes { buffer in
      do throws(FileError) {
        try write(buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Writes all of `buffer`.
  package func write(_ buffer: UnsafeRawBufferPointer) throws(FileError) {
    var written = 0
    while written < buffer.count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
      written += try retrying("write", path) { systemWrite(descriptor, rest.baseAddress, rest.count) }
    }
  }

  /// The length in bytes.
  package func length() throws(FileError) -> Int {
    var status = stat()
    _ = try retrying("stat", path) { fstat(descriptor, &status) }
    return Int(status.st_size)
  }

  /// Forces the content to the disk.
  package func sync() throws(FileError) {
    _ = try retrying("sync", path) { fsync(descriptor) }
  }

  /// Gives the lock back. Closing is not enough: a child that was forked meanwhile and has not yet run its
  /// program shares the open file, and with it the lock.
  package func unlock() { flock(descriptor, LOCK_UN) }

  /// Takes the whole-file lock that the kernel releases with the process; false when another holds it.
  package func tryLock() throws(FileError) -> Bool { try tryLock(LOCK_EX) }

  /// As ``tryLock()``, together with all who share it so; false when one has it alone.
  package func tryShare() throws(FileError) -> Bool { try tryLock(LOCK_SH) }

  /// Whether the file still has a name.
  package func isNamed() throws(FileError) -> Bool {
    var status = stat()
    _ = try retrying("stat", path) { fstat(descriptor, &status) }
    return status.st_nlink > 0
  }

  /// Whether the name that the file was opened by is still this file's own, and not that of none or of another.
  package func hasItsName() throws(FileError) -> Bool {
    var status = stat()
    _ = try retrying("stat", path) { fstat(descriptor, &status) }
    return try FileStamp(path)?.isOfSameFile(as: FileStamp(status)) ?? false
  }

  private func tryLock(_ kind: Int32) throws(FileError) -> Bool {
    while flock(descriptor, kind | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw FileError("lock", path) }
    }
    return true
  }

  /// Takes that lock, and waits for as long as another holds it.
  package func lock() throws(FileError) {
    _ = try retrying("lock", path) { flock(descriptor, LOCK_EX) }
  }
}

// Inside the struct the members of the same names would shadow the system's functions.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}

/// Calls again after a signal; throws what else goes wrong.
func retrying<Value: SignedInteger>(
  _ operation: String, _ path: String, _ call: () -> Value
) throws(FileError) -> Value {
  while true {
    let value = call()
    if value >= 0 { return value }
    if errno != EINTR { throw FileError(operation, path) }
  }
}
