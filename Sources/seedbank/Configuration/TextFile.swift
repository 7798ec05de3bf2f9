import SeedSystem

enum TextFile {
  static let longest = 4 * 1024 * 1024

  static func bytes(
    _ path: String, for purpose: File.Purpose = .readingRegular(followsLinks: true)
  ) throws(ConfigurationError) -> [UInt8] {
    do {
      return try File(path, for: purpose).readAll(limit: longest)
    } catch {
      let problem =
        switch error.number {
        case ENOENT: "expected this file, found none"
        case EFBIG: "expected at most \(longest) bytes, found more"
        case FileError.notRegular: "expected a file, found something else of that name"
        default: "cannot be read: \(error.reason)"
        }
      throw ConfigurationError(path, problem)
    }
  }

  static func text(_ path: String) throws(ConfigurationError) -> String {
    guard let text = String(validating: try bytes(path), as: UTF8.self) else {
      throw ConfigurationError(path, "expected text in UTF-8, found bytes that are not")
    }
    return text
  }
}
