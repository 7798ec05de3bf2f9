import SeedClient

/// Reads the root.json that `--root` names.
enum RootFile {
  /// The whole file, which is a root.
  static func bytes(_ path: String) throws -> [UInt8] {
    let bytes = try TextFile.bytes(path)
    try ShippedRoot.check(bytes, name: path)
    return bytes
  }
}
