/// An open file descriptor, closed with its owner. All file system calls are in this type and `Folder`. The module's
/// name precedes functions of the system that members with the same names hide.
package struct File: ~Copyable, Sendable {
  private let descriptor: Int32
  private let path: String

  package enum Purpose: Sendable {
    /// Reads a regular file or a folder. Rejects anything else, including a pipe, on which a normal open would block.
    case reading
    case readingRegular(followsLinks: Bool)
    /// Reads anything, including pipes: for files that the operator names.
    case readingAny
    case creating
    /// Writes a file, truncating an existing one.
    case replacing
    /// Writes at the end of a file, creating it if missing.
    case appending
    /// Reads and writes a file, creating it if missing.
    case updating

    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_RDONLY | O_NONBLOCK
      case .readingRegular(let followsLinks): O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
      case .readingAny: O_RDONLY
      case .creating: O_WRONLY | O_CREAT | O_EXCL
      case .replacing: O_WRONLY | O_CREAT | O_TRUNC
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      case .updating: O_RDWR | O_CREAT
      }
    }

    fileprivate func takes(_ kind: mode_t) -> Bool {
      switch self {
      case .reading: kind == S_IFREG || kind == S_IFDIR
      case .readingRegular: kind == S_IFREG
      case .readingAny, .creating, .replacing, .appending, .updating: true
      }
    }
  }

  package init(_ path: String, for purpose: Purpose, mode: mode_t = 0o644) throws(FileError) {
    descriptor = try Self.descriptor(path, purpose, mode)
    self.path = path
  }

  private static func descriptor(
    _ path: String, _ purpose: Purpose, _ mode: mode_t
  ) throws(FileError) -> Int32 {
    let opened = try retrying("open", path) { open(path, purpose.flags | O_CLOEXEC, mode) }
    var status = stat()
    guard fstat(opened, &status) == 0, purpose.takes(status.st_mode & S_IFMT) else {
      close(opened)
      throw FileError("open", path, FileError.notRegular)
    }
    return opened
  }

  deinit { close(descriptor) }

  /// Fills `buffer` up to the end of the file; returns the number of bytes, 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try fill(buffer) { rest, _ in SeedSystem.read(descriptor, rest.baseAddress, rest.count) }
  }

  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, _ read: (UnsafeMutableRawBufferPointer, Int) -> Int
  ) throws(FileError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try retrying("read", path) { read(rest, filled) }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  package func read(_ count: Int) throws(FileError) -> [UInt8] {
    try bytes(count) { buffer throws(FileError) in try read(into: buffer) }
  }

  private func bytes(
    _ count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(FileError) -> Int
  ) throws(FileError) -> [UInt8] {
    // For 0 bytes, the initializer would write a count into the empty array's storage, which all threads share.
    guard count > 0 else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled throws(FileError) in
      filled = try fill(UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Reads the available bytes, up to `count`; empty at the end. Waits only while a pipe is empty.
  package func readSome(_ count: Int) throws(FileError) -> [UInt8] {
    try bytes(count) { buffer throws(FileError) in
      var filled = 0
      while filled < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let more = try retrying("read", path) { SeedSystem.read(descriptor, rest.baseAddress, rest.count) }
        filled += more
        guard more > 0, try isReadable(within: 0) else { break }
      }
      return filled
    }
  }

  /// Whether a read would return within `milliseconds`; also true at the end of the file.
  package func isReadable(within milliseconds: Int32) throws(FileError) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let count = try retrying("poll", path) { Int(poll(&request, 1, milliseconds)) }
    return count > 0
  }

  /// Reads `count` bytes at an offset, fewer at the end. Does not move the file position, so it is thread-safe.
  package func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
    try bytes(count) { buffer throws(FileError) in
      try fill(buffer) { rest, filled in
        pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
      }
    }
  }

  /// Reads the whole file; throws if it has more than `limit` bytes.
  package func readAll(limit: Int) throws(FileError) -> [UInt8] {
    let stamp = try stamp()
    // A pipe does not report its size in advance.
    let bytes = try read(stamp.isRegular ? min(stamp.size, limit + 1) : limit + 1)
    guard bytes.count <= limit else { throw FileError("read", path, EFBIG) }
    return bytes
  }

  package func write(_ bytes: borrowing [UInt8]) throws(FileError) {
    try bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      try write(UnsafeRawBufferPointer(buffer))
    }
  }

  package func write(_ buffer: UnsafeRawBufferPointer) throws(FileError) {
    var written = 0
    while written < buffer.count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
      written += try retrying("write", path) { SeedSystem.write(descriptor, rest.baseAddress, rest.count) }
    }
  }

  package func length() throws(FileError) -> Int { Int(try status().st_size) }

  package func stamp() throws(FileError) -> FileStamp { FileStamp(try status()) }

  private func status() throws(FileError) -> stat {
    var status = stat()
    _ = try retrying("stat", path) { fstat(descriptor, &status) }
    return status
  }

  package func sync() throws(FileError) { _ = try retrying("sync", path) { systemSync(descriptor) } }

  /// Returns a descriptor with the same position, for a C library that closes it; `nil` if too many files are open.
  package func duplicateDescriptor() -> Int32? {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return duplicate >= 0 ? duplicate : nil
  }

  /// False if all names of the file were removed.
  package func isNamed() throws(FileError) -> Bool { try status().st_nlink > 0 }

  /// False if the file's path is gone or names another file.
  package func hasItsName() throws(FileError) -> Bool {
    let own = try stamp()
    return try FileStamp(path)?.isOfSameFile(as: own) ?? false
  }
}

// MARK: Whole-file locks, which the kernel releases when the process ends
extension File {
  /// Takes an exclusive lock; false if another process holds it.
  package func tryLock() throws(FileError) -> Bool { try tryLock(LOCK_EX) }

  package func tryShare() throws(FileError) -> Bool { try tryLock(LOCK_SH) }

  private func tryLock(_ kind: Int32) throws(FileError) -> Bool {
    while flock(descriptor, kind | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw FileError("lock", path) }
    }
    return true
  }

  /// Removes other users' access, if this process owns the file.
  package func closeToOthers() throws(FileError) {
    let mode = try status().st_mode
    guard mode & 0o077 != 0 else { return }
    if fchmod(descriptor, mode & 0o700) != 0, errno != EPERM { throw FileError("change the mode of", path) }
  }

  /// Sets the mode regardless of the umask. Ignores errors, because some file systems have no modes.
  func setMode(_ mode: mode_t) { fchmod(descriptor, mode) }

  /// Copies another file's mode and, if this process has the right, its owner and group.
  func setRights(of other: borrowing File) throws(FileError) {
    let status = try other.status()
    if fchown(descriptor, status.st_uid, status.st_gid) != 0 { fchown(descriptor, uid_t.max, status.st_gid) }
    setMode(status.st_mode & 0o777)
  }

  /// Releases the lock. Closing is not enough: a child between fork and exec shares the file and its lock.
  package func unlock() { flock(descriptor, LOCK_UN) }
}

private func systemSync(_ descriptor: Int32) -> Int32 {
  #if canImport(Darwin)
  // On Darwin, fsync() leaves bytes in the drive's cache. Volumes without F_FULLFSYNC return an error.
  if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
  #endif
  return fsync(descriptor)
}

package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A verb for use after "cannot": `open`, `write`, `rename to /b`, …
  package let operation: String
  package let path: String
  /// The system's `errno`, or ``notRegular``.
  package let number: Int32

  /// Used instead of an `errno` if a folder, pipe or device was found in place of a file.
  package static let notRegular: Int32 = -1

  package init(_ operation: String, _ path: String, _ number: Int32 = errno) {
    (self.operation, self.path, self.number) = (operation, path, number)
  }

  package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

  package var isUnwritable: Bool { [EROFS, EACCES, EPERM].contains(number) }

  /// Whether the error means that no file can have this path.
  package var isMisplaced: Bool { [ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG].contains(number) }

  package var isFull: Bool { number == ENOSPC || number == EDQUOT }

  package var isExhausted: Bool { Self.isExhausted(number) }

  package static func isExhausted(_ number: Int32) -> Bool { number == EMFILE || number == ENFILE }

  package static let exhaustedRemedy =
    "no file descriptors are left: raise the limit of the process (ulimit -n, LimitNOFILE=) or of the system (fs.file-max)"

  package var reason: String {
    number == Self.notRegular ? "it is not a regular file" : String(cString: strerror(number))
  }

  package var description: String { "cannot \(operation) \(path): \(reason)" }

  /// The owner and the remedy if this user has no rights to an existing file; `nil` for other errors.
  package var rightsRemedy: String? {
    guard operation == "open", number == EACCES, let stamp = try? FileStamp(path) else { return nil }
    guard stamp.owner != geteuid() else { return "its mode forbids that: run 'chmod u+rw \(path)'" }
    return "it belongs to \(stamp.ownerName): run the command as that user, or "
      + "'chown \(userName(geteuid())) \(path)'"
  }
}

/// Returns a user's name, or the number if the system has no name for it.
func userName(_ id: uid_t) -> String {
  var (entry, found) = (passwd(), nil as UnsafeMutablePointer<passwd>?)
  var texts = [CChar](repeating: 0, count: 16 * 1024)
  return texts.withUnsafeMutableBufferPointer { texts in
    guard let start = texts.baseAddress, getpwuid_r(id, &entry, start, texts.count, &found) == 0, found != nil
    else { return "\(id)" }
    return String(cString: entry.pw_name)
  }
}

/// Retries a call that a signal interrupted; throws other errors.
package func retrying<Value: SignedInteger>(
  _ operation: String, _ path: String, _ call: () -> Value
) throws(FileError) -> Value {
  while true {
    let value = call()
    if value >= 0 { return value }
    if errno != EINTR { throw FileError(operation, path) }
  }
}
