#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A call to the operating system on a file that failed.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried: `open`, `read`, `write`, …
  package let operation: String
  /// The file.
  package let path: String
  /// The system's error number.
  package let code: CInt

  /// Whether the file is not there.
  package var isMissing: Bool { code == ENOENT }

  /// One sentence: the operation, the file, the system's reason.
  package var description: String { "cannot \(operation) \(path): \(String(cString: strerror(code)))" }
}

/// An open file descriptor and its path for the errors.
struct OpenFile: ~Copyable {
  private let descriptor: CInt
  let path: String

  init(reading path: String) throws(FileFailure) {
    try self.init(path, O_RDONLY, mode: 0)
  }

  /// Fails where something of that name is there already.
  init(creatingSecret path: String) throws(FileFailure) {
    try self.init(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
  }

  private init(_ path: String, _ flags: CInt, mode: mode_t) throws(FileFailure) {
    self.path = path
    descriptor = try Self.call("open", path) { CInt(open(path, flags | O_CLOEXEC, mode)) }
  }

  deinit { close(descriptor) }

  /// Fills the buffer's beginning; zero at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    #if canImport(Glibc)
    try Self.call("read", path) { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    #else
    try Self.call("read", path) { Darwin.read(descriptor, buffer.baseAddress, buffer.count) }
    #endif
  }

  /// The whole file; fails where it is longer than `limit`.
  func readSecret(limit: Int) throws(FileFailure) -> SecretBytes {
    var count = 0
    let whole = try SecretBytes(count: limit + 1) { buffer throws(FileFailure) in
      while count <= limit {
        let more = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        if more == 0 { return }
        count += more
      }
      throw FileFailure(operation: "read", path: path, code: EFBIG)
    }
    return SecretBytes(count: count) { buffer in
      whole.withBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  /// Writes all of it and asks the disk to keep it.
  func writeDurably(_ secret: SecretBytes) throws(FileFailure) {
    try secret.withBytes { bytes throws(FileFailure) in
      var rest = bytes[...]
      while !rest.isEmpty {
        let buffer = UnsafeRawBufferPointer(rebasing: rest)
        let count = try Self.call("write", path) { write(descriptor, buffer.baseAddress, buffer.count) }
        rest = rest.dropFirst(count)
      }
    }
    try synchronize()
  }

  /// For a directory: makes the names in it durable.
  func synchronize() throws(FileFailure) {
    _ = try Self.call("fsync", path) { fsync(descriptor) }
  }

  /// The permission bits.
  func permissions() throws(FileFailure) -> mode_t {
    var status = stat()
    _ = try Self.call("stat", path) { fstat(descriptor, &status) }
    return status.st_mode & 0o777
  }

  private static func call<Result: SignedInteger>(
    _ operation: String, _ path: String, _ body: () -> Result
  ) throws(FileFailure) -> Result {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw FileFailure(operation: operation, path: path, code: code) }
    }
  }
}
