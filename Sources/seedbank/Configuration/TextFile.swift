import SeedSystem

enum TextFile {
  /// Bytes of a configuration file or of one SQL file.
  static let longest = 4 * 1024 * 1024

  static func bytes(_ path: String) throws(ConfigurationError) -> [UInt8] {
    do {
      return try File(path, for: .readingRegular(followsLinks: true)).readAll(limit: longest)
    } catch {
      throw ConfigurationError(path, problem(error))
    }
  }

  private static func problem(_ error: FileError) -> String {
    switch error.number {
    case ENOENT: "expected this file, found none"
    case EFBIG: "expected at most \(longest) bytes, found more"
    case FileError.notRegular: "expected a file, found something else of that name"
    default: "expected to read this file, found: \(error.reason)"
    }
  }

  static func text(_ path: String) throws(ConfigurationError) -> String {
    guard let text = String(validating: try bytes(path), as: UTF8.self) else {
      throw ConfigurationError(path, "expected text in UTF-8, found bytes that are not")
    }
    return text
  }
}
