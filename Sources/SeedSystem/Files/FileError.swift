/// An operation on a file that failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A verb that reads well after "cannot": `open`, `write`, `rename to /b`, …
  package let operation: String
  package let path: String
  /// The system's `errno`, or ``notRegular``.
  package let number: Int32

  /// In place of an `errno`: there is a folder, a pipe or a device where a file is expected.
  package static let notRegular: Int32 = -1

  package init(_ operation: String, _ path: String, _ number: Int32 = errno) {
    (self.operation, self.path, self.number) = (operation, path, number)
  }

  /// The file or a folder above it is not there.
  package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

  /// It may not be written or read where it is.
  package var isUnwritable: Bool { [EROFS, EACCES, EPERM].contains(number) }

  /// The path leads nowhere that a file could be.
  package var isMisplaced: Bool { [ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG].contains(number) }

  /// The disk or a quota is full.
  package var isFull: Bool { number == ENOSPC || number == EDQUOT }

  /// The process or the system has no descriptor left.
  package var isExhausted: Bool { number == EMFILE || number == ENFILE }

  /// The system's words for the `errno`.
  package var reason: String {
    number == Self.notRegular ? "it is not a regular file" : String(cString: strerror(number))
  }

  package var description: String { "cannot \(operation) \(path): \(reason)" }
}

/// Calls again after a signal; throws what else goes wrong.
package func retrying<Value: SignedInteger>(
  _ operation: String, _ path: String, _ call: () -> Value
) throws(FileError) -> Value {
  while true {
    let value = call()
    if value >= 0 { return value }
    if errno != EINTR { throw FileError(operation, path) }
  }
}
