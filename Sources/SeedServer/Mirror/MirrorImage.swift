package import SeedFormat
package import SeedSystem
import SeedTrust

/// One file of a publication on its way to a mirror.
package struct MirrorFile: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// A file of the publication's folder.
    case file(String)
    case bytes([UInt8])
  }

  /// Within the publication, such as `metadata/timestamp.json`.
  package let path: String
  package let content: Content
  package let length: Int
  package let sha256: SHA256Digest

  package init(_ path: String, _ bytes: [UInt8]) {
    (self.path, content) = (path, .bytes(bytes))
    (length, sha256) = (bytes.count, .of(bytes))
  }

  fileprivate init(_ object: PublishedObject, in publication: PublicationDirectory) {
    (path, content) = (object.filePath, .file(publication.file(object)))
    (length, sha256) = (object.length, object.sha256)
  }

  /// Clients take a new one before all else.
  var isRoot: Bool { path.hasSuffix(".\(Root.type).json") }
}

extension PublicationDirectory {
  /// The timestamp's file: another one whenever something was published or signed anew.
  package var timestampStamp: FileStamp? {
    (try? FileStamp(metadataFile(MetadataName.unversioned(Timestamp.type)))) ?? nil
  }
}

/// A publication at one moment, as its mirrors are to hold it.
package struct MirrorImage: Sendable {
  /// Snapshots and deltas; the hash in a name is that of the bytes.
  let objects: [MirrorFile]
  /// Metadata with a version in its name: the roles, then the roots in their order. A client takes the newest root first, and
  /// must meet a timestamp that fits it as soon as can be.
  let metadata: [MirrorFile]
  /// The only file that is ever another one under the same name. Putting it in place is what publishes all others.
  package let timestamp: MirrorFile
  let published: PublishedMetadata
  /// Where it is from; by now there may be newer files in it.
  let publication: PublicationDirectory

  static let timestampPath = "metadata/\(MetadataName.unversioned(Timestamp.type))"

  /// Of the newest verified metadata; the objects themselves are read when they are copied.
  package init(of publication: PublicationDirectory) throws {
    let verified = try publication.verified()
    guard let timestamp = verified.files[MetadataName.unversioned(Timestamp.type)] else {
      throw PublicationError.missing(path: publication.path)
    }
    (self.publication, published) = (publication, verified.metadata)
    objects = published.series.values.flatMap(\.metadata.objects)
      .map { MirrorFile($0, in: publication) }.sorted { $0.path < $1.path }
    metadata = verified.files.filter { $0.key != MetadataName.unversioned(Timestamp.type) }
      .sorted { Self.place($0.key) < Self.place($1.key) }
      .map { MirrorFile("metadata/\($0.key)", $0.value) }
    self.timestamp = MirrorFile(Self.timestampPath, timestamp)
  }

  private static func place(_ name: String) -> (Int, Int, String) {
    let version = name.split(separator: ".").first.flatMap { Int($0) } ?? 0
    return (name.hasSuffix(".\(Root.type).json") ? 1 : 0, version, name)
  }

  /// The version that the timestamp has.
  package var version: Int { published.timestamp.version }

  /// All paths that belong to it.
  var paths: Set<String> { Set((objects + metadata).map(\.path)).union([timestamp.path]) }

  /// Whether the file could have been a publication's: an operator's own files in a mirror are left alone, and roots stay.
  static func isRemovable(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map(String.init)
    guard let name = parts.last, let number = name.split(separator: ".").first else { return false }
    switch parts.first {
    case "metadata":
      return parts.count == 2 && name.hasSuffix(".json") && !name.hasSuffix(".\(Root.type).json")
        && number.allSatisfy(\.isNumber)
    case "targets": return parts.count > 2 && hexBytes(ofEitherCase: String(number))?.count == 32
    default: return false
    }
  }
}
