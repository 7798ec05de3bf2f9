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

  /// Whether the file or a parent folder is missing.
  package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

  /// Whether permissions or a read-only volume prevent access.
  package var isUnwritable: Bool { [EROFS, EACCES, EPERM].contains(number) }

  /// Whether the path cannot belong to a file.
  package var isMisplaced: Bool { [ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG].contains(number) }

  package var isFull: Bool { number == ENOSPC || number == EDQUOT }

  /// Whether the process or the system has no file descriptors left.
  package var isExhausted: Bool { number == EMFILE || number == ENFILE }

  package var reason: String {
    number == Self.notRegular ? "it is not a regular file" : String(cString: strerror(number))
  }

  package var description: String { "cannot \(operation) \(path): \(reason)" }
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
