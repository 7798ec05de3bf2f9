#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads the small files that a person writes.
enum TextFile {
  /// Bytes of a configuration file or of one SQL file.
  static let longest = 4 * 1024 * 1024

  /// The whole file.
  static func bytes(_ path: String) throws(ConfigurationError) -> [UInt8] {
    // Non-blocking: a pipe in the file's place is an error, not a wait.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ConfigurationError(path, "expected a file, found something else of that name")
    }
    return try contents(of: descriptor, path)
  }

  /// The whole file as text.
  static func text(_ path: String) throws(ConfigurationError) -> String {
    guard let text = String(validating: try bytes(path), as: UTF8.self) else {
      throw ConfigurationError(path, "expected text in UTF-8, found bytes that are not")
    }
    return text
  }

  private static func contents(of descriptor: Int32, _ path: String) throws(ConfigurationError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= longest else {
        throw ConfigurationError(path, "expected at most \(longest) bytes, found more")
      }
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> ConfigurationError {
    guard code != ENOENT else { return ConfigurationError(path, "expected this file, found none") }
    return ConfigurationError(path, "expected to read this file, found: \(String(cString: strerror(code)))")
  }
}
