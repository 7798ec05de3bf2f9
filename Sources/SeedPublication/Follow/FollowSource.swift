import SeedFormat
import SeedSystem
package import SeedTrust

/// The source of a publication. The caller compares its files with the signed digests.
package protocol FollowSource: Sendable {
  var name: String { get }
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]?
  /// The path of a file with the object's length and hash, which the caller moves.
  func object(_ object: PublishedObject) async throws -> String
}

/// A folder that holds a publication. Its files are copied to `parts` and compared with the signed digests.
package struct FolderSource: FollowSource {
  package let name: String
  private let parts: String

  package init(name: String, parts: String) { (self.name, self.parts) = (name, parts) }

  package func metadata(_ file: String, limit: Int) async throws -> [UInt8]? {
    try await blocking { [name] in try DurableFile.readIfPresent("\(name)/metadata/\(file)", limit: limit) }
  }

  package func object(_ object: PublishedObject) async throws -> String {
    let part = "\(parts)/\(object.sha256.hex).part"
    try await blocking { try copy(object, to: part) }
    return part
  }

  private func copy(_ object: PublishedObject, to part: String) throws {
    let path = "\(name)/\(object.filePath)"
    guard Folder.exists(path) else {
      throw Refusal(
        .unavailable, "\(path.printable) is missing, which the metadata beside it names: copy it again.")
    }
    let copy = try SHA256Digest.copying(path, to: part, limit: object.length)
    guard copy.length == object.length, copy.digest == object.sha256 else {
      throw Refusal(.badData, "\(path.printable) is not the signed file: copy it again.")
    }
  }
}
