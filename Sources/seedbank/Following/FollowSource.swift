import SeedClient
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

import struct Foundation.URL

extension PublicationFetcher: FollowSource { var name: String { server } }

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
