#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A system call on a file that failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call: `open`, `write`, `rename`, …
  package let operation: String
  package let path: String
  /// The call's errno.
  package let number: Int32

  package init(_ operation: String, _ path: String, _ number: Int32 = errno) {
    self.operation = operation
    self.path = path
    self.number = number
  }

  /// Whether the file or a folder above it is not there.
  package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

  /// Whether it may not be written or read where it is.
  package var isUnwritable: Bool { [EROFS, EACCES, EPERM].contains(number) }

  /// Whether the path leads nowhere that a file could be.
  package var isMisplaced: Bool { [ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG].contains(number) }

  /// Whether the disk or a quota is full.
  package var isFull: Bool { number == ENOSPC || number == EDQUOT }

  package var description: String { "cannot \(operation) \(path): \(String(cString: strerror(number)))" }
}
