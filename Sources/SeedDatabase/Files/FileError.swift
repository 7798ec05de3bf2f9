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

  /// Whether the disk or a quota is full.
  package var isFull: Bool { number == ENOSPC || number == EDQUOT }

  package var description: String { "cannot \(operation) \(path): \(String(cString: strerror(number)))" }
}
