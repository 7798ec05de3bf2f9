package import SeedFormat
package import SeedSystem
package import SeedTrust

package struct MirrorFile: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case file(String)
    case bytes([UInt8])
  }

  /// Relative to the publication, such as `metadata/timestamp.json`.
  package let path: String
  package let content: Content
  package let length: Int
  package let sha256: SHA256Digest

  package init(_ path: String, _ bytes: [UInt8]) {
    (self.path, content) = (path, .bytes(bytes))
    (length, sha256) = (bytes.count, .of(bytes))
  }

  package init(_ object: PublishedObject, in publication: PublicationDirectory) {
    (path, content) = (object.filePath, .file(publication.file(object)))
    (length, sha256) = (object.length, object.sha256)
  }
}

extension PublicationDirectory {
  /// Identifies the timestamp file. Changes with every publication and with every renewed signature.
  package var timestampStamp: FileStamp? {
    try? FileStamp(metadataFile(MetadataName.unversioned(Timestamp.type)))
  }
}

/// The state of a publication that its mirrors should have.
package struct MirrorImage: Sendable {
  /// Snapshots and deltas, named by the hashes of their bytes.
  let objects: [MirrorFile]
  /// Roles, then roots in ascending order. Clients load a new root at once, so it is written next to the timestamp.
  let metadata: [MirrorFile]
  /// The only file whose content changes under the same name. Writing it publishes all the others.
  package let timestamp: MirrorFile
  let published: PublishedMetadata
  /// The source folder, which may already contain newer files.
  let publication: PublicationDirectory
  /// The bytes of all metadata, by file name.
  private let files: [String: [UInt8]]

  static let timestampPath = "metadata/\(MetadataName.unversioned(Timestamp.type))"

  /// Reads and verifies the current metadata. Objects are read later, when they are copied.
  package init(of publication: PublicationDirectory) throws {
    let verified = try publication.verified()
    guard let timestamp = verified.files[MetadataName.unversioned(Timestamp.type)] else {
      throw PublicationError.missing(path: publication.path)
    }
    (self.publication, published, files) = (publication, verified.metadata, verified.files)
    objects = published.series.values.flatMap(\.metadata.objects)
      .map { MirrorFile($0, in: publication) }.sorted { $0.path < $1.path }
    metadata = verified.files.filter { $0.key != MetadataName.unversioned(Timestamp.type) }
      .sorted { Self.place($0.key) < Self.place($1.key) }
      .map { MirrorFile("metadata/\($0.key)", $0.value) }
    self.timestamp = MirrorFile(Self.timestampPath, timestamp)
  }

  private static func place(_ name: String) -> (Int, Int, String) {
    let version = name.split(separator: ".").first.flatMap { Int($0) } ?? 0
    return (isRoot(name) ? 1 : 0, version, name)
  }

  package var version: Int { published.timestamp.version }

  var paths: Set<String> { Set((objects + metadata).map(\.path)).union([timestamp.path]) }

  /// Whether clients of an older root can read the metadata without a newer root.
  func suits(_ root: MirrorFile) -> Bool {
    guard case .bytes(let bytes) = root.content else { return false }
    return PublishedMetadata.suits(root: bytes) { files[$0] }
  }

  static func isRoot(_ path: String) -> Bool { path.hasSuffix(".\(Root.type).json") }

  static func isMetadata(_ path: String) -> Bool { path.hasPrefix("metadata/") && path != timestampPath }

  /// Whether the path may be removed. Protects the operator's own files and the roots.
  static func isRemovable(_ path: String) -> Bool {
    // A crash left this temporary file. No writer uses it, because listing and removal hold the lock of all writers.
    let isLeftover = path.hasSuffix(DurableFile.temporarySuffix)
    if isLeftover { return isPublished(String(path.dropLast(DurableFile.temporarySuffix.count))) }
    return isPublished(path) && path != timestampPath && !isRoot(path)
  }

  /// Whether a publication may have a file of this name. All other files are the operator's own.
  private static func isPublished(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map(String.init)
    let words = parts.last?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
    switch parts.first {
    case "metadata":
      guard parts.count == 2, words.count == 3, words[2] == "json" else { return path == timestampPath }
      let isRole = [Root.type, Targets.type, SnapshotRole.type].contains(words[1])
      let isNumber = canonicalDecimal(words[0], in: 1...Int(Limits.exactJSONInteger)) != nil
      return isNumber && (isRole || SeedSeries(roleName: words[1]) != nil)
    case "targets": return parts.count > 2 && words.first.flatMap(hexBytes(ofEitherCase:))?.count == 32
    default: return false
    }
  }
}
