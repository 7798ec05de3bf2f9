import SeedFormat

/// A configuration file, read and parsed but not yet understood.
enum ConfigurationDocument {
  /// The tree of the file's JSON; a mistake in it is told by line and column.
  static func value(inFile path: String) throws(ConfigurationError) -> JSONValue {
    let bytes = try TextFile.bytes(path)
    do {
      return try JSONValue(parsing: bytes)
    } catch {
      let (line, column) = position(of: error.offset, in: bytes)
      throw ConfigurationError("\(path):\(line):\(column)", error.reason)
    }
  }

  /// Both from 1; columns count characters, not bytes.
  static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    let lines = bytes[..<min(offset, bytes.count)].split(separator: 0x0A, omittingEmptySubsequences: false)
    let column = String(decoding: lines.last ?? [], as: UTF8.self).count
    return (lines.count, column + 1)
  }
}
