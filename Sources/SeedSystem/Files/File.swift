/// An open file descriptor, closed with its owner. With Folder the one door for file system calls.
package struct File: ~Copyable, Sendable {
  private let descriptor: Int32
  private let path: String

  package enum Purpose: Sendable {
    /// Reading a file or a folder. Anything else is rejected, also a pipe, which an ordinary open would wait for.
    case reading
    /// Reading a regular file and nothing else.
    case readingRegular(followsLinks: Bool)
    /// Reading anything, also a pipe.
    case readingAny
    /// Writing a new file; throws where something has that name.
    case creating
    /// Writing a new file; one that is there is emptied.
    case replacing
    /// Reading and writing; made where it is not there, kept where it is.
    case updating

    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_RDONLY | O_NONBLOCK
      case .readingRegular(let followsLinks): O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
      case .readingAny: O_RDONLY
      case .creating: O_WRONLY | O_CREAT | O_EXCL
      case .replacing: O_WRONLY | O_CREAT | O_TRUNC
      case .updating: O_RDWR | O_CREAT
      }
    }

    fileprivate func takes(_ kind: mode_t) -> Bool {
      switch self {
      case .reading: kind == S_IFREG || kind == S_IFDIR
      case .readingRegular: kind == S_IFREG
      case .readingAny, .creating, .replacing, .updating: true
      }
    }
  }

  /// A new file can be read by all (`mode` 0644) unless told otherwise.
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

  /// Fills `buffer` as far as the file goes; returns the bytes read, 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try fill(buffer) { rest, _ in systemRead(descriptor, rest.baseAddress, rest.count) }
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

  /// Reads up to `count` bytes; empty at the end.
  package func read(_ count: Int) throws(FileError) -> [UInt8] {
    try bytes(count) { buffer throws(FileError) in try read(into: buffer) }
  }

  private func bytes(
    _ count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(FileError) -> Int
  ) throws(FileError) -> [UInt8] {
    // The one array without elements is shared by all threads, and this initializer would write its count.
    guard count > 0 else { return [] }
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FileError) {
        filled = try fill(UnsafeMutableRawBufferPointer(buffer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads what is there, up to `count` bytes; empty at the end. A pipe is waited for only while it has nothing.
  package func readSome(_ count: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FileError) {
        while filled < buffer.count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let more = try retrying("read", path) { systemRead(descriptor, rest.baseAddress, rest.count) }
          if more == 0 { break }
          filled += more
          guard try isReadable(within: 0) else { break }
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Whether a read would return at once, within so many milliseconds; it does at the end, too.
  package func isReadable(within milliseconds: Int32) throws(FileError) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let count = try retrying("poll", path) { Int(poll(&request, 1, milliseconds)) }
    return count > 0
  }

  /// Reads `count` bytes from an offset on; fewer where the file ends. Moves no position, so any number of threads may.
  package func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
    try bytes(count) { buffer throws(FileError) in
      try fill(buffer) { rest, filled in
        pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
      }
    }
  }

  /// Reads all that is there; throws where it is more than `limit`. A pipe does not say before how much it holds.
  package func readAll(limit: Int) throws(FileError) -> [UInt8] {
    let stamp = try stamp()
    let bytes = try read(stamp.isRegular ? min(stamp.size, limit + 1) : limit + 1)
    guard bytes.count <= limit else { throw FileError("read", path, EFBIG) }
    return bytes
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

  /// In bytes.
  package func length() throws(FileError) -> Int { Int(try status().st_size) }

  package func stamp() throws(FileError) -> FileStamp { FileStamp(try status()) }

  private func status() throws(FileError) -> stat {
    var status = stat()
    _ = try retrying("stat", path) { fstat(descriptor, &status) }
    return status
  }

  /// Forces the content to the disk.
  package func sync() throws(FileError) { _ = try retrying("sync", path) { systemSync(descriptor) } }

  /// For a C library that closes what it is given, at the same position; `nil` where the process may open no more.
  package func duplicateDescriptor() -> Int32? {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return duplicate >= 0 ? duplicate : nil
  }

  /// False where every name of the file was removed.
  package func isNamed() throws(FileError) -> Bool { try status().st_nlink > 0 }

  /// False where the name that it was opened by is gone or another file's.
  package func hasItsName() throws(FileError) -> Bool {
    let own = try stamp()
    return try FileStamp(path)?.isOfSameFile(as: own) ?? false
  }
}

// MARK: Locks of the whole file, which the kernel takes back with the process
extension File {
  /// Takes the lock alone; false when another holds it.
  package func tryLock() throws(FileError) -> Bool { try tryLock(LOCK_EX) }

  /// Takes the lock together with all who share it so; false when one holds it alone.
  package func tryShare() throws(FileError) -> Bool { try tryLock(LOCK_SH) }

  private func tryLock(_ kind: Int32) throws(FileError) -> Bool {
    while flock(descriptor, kind | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw FileError("lock", path) }
    }
    return true
  }

  /// Takes the lock alone, and waits for as long as another holds it.
  package func lock() throws(FileError) { _ = try retrying("lock", path) { flock(descriptor, LOCK_EX) } }

  /// Leaves the file to its owner alone, if this process owns it.
  package func closeToOthers() throws(FileError) {
    guard try stamp().isOpenToOthers else { return }
    if fchmod(descriptor, 0o600) != 0, errno != EPERM { throw FileError("change the mode of", path) }
  }

  /// Gives the lock back. Closing is not enough: a child that was forked meanwhile and has not yet run its
  /// program shares the open file, and with it the lock.
  package func unlock() { flock(descriptor, LOCK_UN) }
}

// Inside the struct the members of the same names would shadow the system's functions.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

private func systemSync(_ descriptor: Int32) -> Int32 {
  #if canImport(Darwin)
  // There fsync() leaves the bytes in the drive's own cache. Volumes that do not know this answer by an error.
  if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
  #endif
  return fsync(descriptor)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}
