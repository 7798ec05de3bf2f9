import SeedClient
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

import struct Foundation.URL

/// The source of a publication. The caller compares its files with the signed digests.
protocol FollowSource: Sendable {
  var name: String { get }
  func metadata(_ name: String, limit: Int) async throws -> [UInt8]?
  /// The path of a file with the object's length and hash, which the caller moves.
  func object(_ object: PublishedObject) async throws -> String
  /// Called after that file was moved.
  func forget(_ object: PublishedObject)
}

extension PublicationFetcher: FollowSource { var name: String { server } }

struct FolderSource: FollowSource {
  let name: String
  let parts: String

  private static let pieceBytes = 1024 * 1024

  func metadata(_ file: String, limit: Int) async throws -> [UInt8]? {
    try await blocking { [name] in try DurableFile.readIfPresent("\(name)/metadata/\(file)", limit: limit) }
  }

  func object(_ object: PublishedObject) async throws -> String {
    let part = "\(parts)/\(object.sha256.hex).part"
    try await blocking { try copy(object, to: part) }
    return part
  }

  private func copy(_ object: PublishedObject, to part: String) throws {
    let path = "\(name)/\(object.filePath)"
    guard Folder.exists(path) else {
      throw CommandFailure(
        .unavailable, "\(path.printable) is missing, which the metadata beside it names: copy it again.")
    }
    let source = try File(path, for: .reading)
    let copy = try File(part, for: .replacing)
    var hasher = SHA256Hasher()
    var length = 0
    while length <= object.length {
      let piece = try source.read(Self.pieceBytes)
      if piece.isEmpty { break }
      hasher.update(piece)
      length += piece.count
      try copy.write(piece)
    }
    guard length == object.length, hasher.finish() == object.sha256 else {
      throw CommandFailure(.badData, "\(path.printable) is not the signed file: copy it again.")
    }
  }

  func forget(_ object: PublishedObject) {}
}

extension ParsedArguments {
  func sources(
    _ name: String, for folder: FollowFolder, in context: Context, _ mirrors: [MirrorSettings] = []
  ) throws -> [any FollowSource] {
    try strings(name).map { text in
      if let bucket = BucketText.source(text, parts: folder.parts, mirrors, context.environment) {
        return bucket
      }
      if let path = try publishedFolder(text, name, context) {
        return FolderSource(name: path, parts: folder.parts)
      }
      guard let server = Self.address(text) else { throw unsuitable(name, text, Self.expectedSource) }
      return try PublicationFetcher(
        server, parts: folder.parts, userAgent: "Seedbank/\(Release.version) (follow)")
    }
  }

  /// Validates the sources before anything is created.
  func checkSources(_ name: String, _ context: Context, _ mirrors: [MirrorSettings] = []) throws {
    for text in strings(name) where Self.address(text) == nil {
      if BucketText.source(text, parts: "", mirrors, context.environment) != nil { continue }
      guard try publishedFolder(text, name, context) != nil else {
        throw unsuitable(name, text, Self.expectedSource)
      }
    }
  }

  private static let expectedSource =
    "an address such as https://seeds.example or s3://bucket/prefix, or a folder that holds a publication"

  private func publishedFolder(_ text: String, _ name: String, _ context: Context) throws -> String? {
    guard Self.address(text) == nil, Paths.isUsable(text) else { return nil }
    let path = Paths.absolute(text, from: context.currentDirectory)
    return Folder.isFolder("\(path)/metadata") ? path : nil
  }
}
