internal import Glibc

/// A regular file held open for reading, shared by any number of responses.
///
/// It is opened once: an answer under way is sent from the file as it was, though it is replaced or unlinked meanwhile.
package final class OpenFile: Sendable {
  /// Bytes in the file when it was opened.
  package let length: Int64
  /// What it was when it was opened.
  let identity: FileIdentity
  private let descriptor: CInt

  /// Opens the regular file at `path`; a symbolic link in the last place is refused.
  package init(path: String) throws(OpenFileError) {
    // Without O_NONBLOCK a FIFO in the file's place would hold the caller up for ever.
    let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard opened >= 0 else { throw OpenFileError(operation: "open", path: path, code: errno) }
    var status = stat()
    guard fstat(opened, &status) == 0 else {
      let code = errno
      close(opened)
      throw OpenFileError(operation: "examine", path: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw OpenFileError(operation: "serve", path: path, code: nil)
    }
    length = Int64(status.st_size)
    identity = FileIdentity(path, status)
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// Whether the file has all bytes of that part.
  func holds(offset: Int64, length part: Int64) -> Bool {
    offset >= 0 && part >= 0 && offset <= length && part <= length - offset
  }

  /// A descriptor for a response, which closes what it is given; nil if the process may open no more.
  ///
  /// The duplicates share a file position. Nobody moves it: `sendfile` and `pread` take their offset.
  func duplicatedDescriptor() -> CInt? {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return duplicate >= 0 ? duplicate : nil
  }
}

/// A file that cannot be served.
package struct OpenFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed: `open`, `examine` or `serve`.
  package let operation: String
  /// The file.
  package let path: String
  /// The `errno`; nil if it is not a regular file.
  package let code: Int32?

  /// One sentence: operation, file, reason.
  package var description: String {
    let reason = code.map { String(cString: strerror($0)) } ?? "it is not a regular file"
    return "cannot \(operation) \(path): \(reason)"
  }
}
