import Foundation
import SeedTrust

/// Trusted metadata as files of one directory, without other files.
struct FileStore {
  let directory: String

  func begin(withRootAt path: String) throws {
    try write("root.json", Data(contentsOf: URL(filePath: path)))
  }

  /// The newest trusted root. This client ships with no other.
  func root() throws -> [UInt8] {
    guard let bytes = try read("root.json") else { throw UsageError("\(directory) has no root.json") }
    return bytes
  }

  var metadata: StoredMetadata {
    StoredMetadata(read: { try read($0) }, persist: { try write($0, Data($1)) })
  }

  private func read(_ name: String) throws -> [UInt8]? {
    let path = "\(directory)/\(name)"
    return FileManager.default.fileExists(atPath: path)
      ? [UInt8](try Data(contentsOf: URL(filePath: path))) : nil
  }

  private func write(_ name: String, _ bytes: Data) throws {
    try bytes.write(to: URL(filePath: "\(directory)/\(name)"), options: .atomic)
  }
}
