package import SeedDatabase
import SeedFormat
package import SeedTrust

/// The published files on disk: `metadata/` and `targets/`.
package struct PublicationDirectory: Sendable {
  /// The folder that holds both.
  package let path: String

  package init(_ path: String) { self.path = path }

  private static let rootName = "1.root.json"

  /// One metadata file, `nil` where it is not there.
  package func metadata(_ name: String) throws(FileError) -> [UInt8]? {
    try DurableFile.readIfPresent("\(path)/metadata/\(name)", limit: FileLimit.metadataBytes)
  }

  /// The current metadata, verified from the publication's first root on.
  package func published() throws -> PublishedMetadata {
    guard let root = try metadata(Self.rootName) else { throw PublicationError.missing(path: path) }
    return try PublishedMetadata(root: root) { try metadata($0) }
  }

  /// Whether anything was published here.
  package var exists: Bool { Folder.exists("\(path)/metadata/\(Self.rootName)") }

  /// Writes a signing step's files in their order: whoever sees a file finds all that it names.
  package func write(_ files: [MetadataFile]) throws(FileError) {
    try Folder.create("\(path)/metadata")
    for file in files { try DurableFile.write(file.bytes, to: "\(path)/metadata/\(file.name)") }
  }

  /// Where an object lies.
  package func file(_ object: PublishedObject) -> String { "\(path)/\(object.filePath)" }

  /// A place beside the series' objects for a file that is still being written.
  func draft(_ name: String, of series: Series) throws(FileError) -> String {
    let folder = "\(path)/targets/\(series.targetPrefix)"
    try Folder.create(folder)
    return folder + name + DurableFile.temporarySuffix
  }

  /// The document of a delta in pieces, once its file is known to be what was signed.
  func pieces(_ object: PublishedObject) throws -> DocumentPieces.Source {
    let found = try SHA256Digest.ofFile(at: file(object))
    guard found.digest == object.sha256, found.length == object.length else {
      throw PublicationError.damaged(file: file(object))
    }
    return try Compression.pieces(ofGzip: file(object), limit: object.rawLength)
  }

  /// The bytes of a delta, expanded and checked against its signed measures.
  package func delta(_ object: PublishedObject) throws -> [UInt8] {
    try Compression.gunzip(stored(object), limit: object.rawLength)
  }

  /// The bytes of an object's file, checked against its signed measures.
  func stored(_ object: PublishedObject) throws -> [UInt8] {
    let bytes = try DurableFile.read(file(object), limit: object.length)
    guard Compression.Measure(of: bytes) == .init(length: object.length, sha256: object.sha256) else {
      throw PublicationError.damaged(file: file(object))
    }
    return bytes
  }
}

/// Bounds on what the publisher reads of its own files.
enum FileLimit {
  /// Bytes of one metadata file. The publisher trusts its own disk further than a client trusts a server.
  static let metadataBytes = 64 * 1024 * 1024
}

/// What is wrong with a publication or with what should be published.
package enum PublicationError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(path: String)
  case damaged(file: String)
  case locked(path: String)
  case copyAhead(copy: String, version: String, head: String)
  case notDelegated(series: String)
  case noChain(series: String, from: String, to: String)
  case noSnapshot(series: String)
  case shrunk(series: String, [ShrunkTable])
  case foreign(path: String)

  package var description: String {
    switch self {
    case .missing(let path):
      "there is no publication at \(path): `seedbank init` makes one. If it was lost, restore it from a backup, or begin anew with `seedbank new-epoch`"
    case .damaged(let file): "\(file) is not what the signed metadata describes: restore it from a backup"
    case .locked(let path): "another publisher is at work on \(path): try again when it is done"
    case .copyAhead(let copy, let version, let head):
      "the working copy \(copy) is at version \(version), ahead of the publication's \(head): "
        + "the publication seems to come from an old backup; restore the newest one, or begin anew with `seedbank new-epoch`"
    case .notDelegated(let series):
      "the series \(series) is new, and the targets key that must sign its delegation is not here"
    case .noChain(let series, let from, let to):
      "the publication of \(series) has no deltas that lead from version \(from) to \(to)"
    case .noSnapshot(let series): "the publication of \(series) has no snapshot of the current schema"
    case .shrunk(let series, let tables):
      "\(series) is held back: \(tables.map(\.description).joined(separator: ", ")). "
        + "If that is meant, run `seedbank regenerate --accept-shrink`"
    case .foreign(let path):
      "the publication at \(path) was signed with other keys than this deployment's: it belongs to another one"
    }
  }
}
