import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// The published files on disk: `metadata/` and `targets/`.
package struct PublicationDirectory: Sendable {
  /// The folder that holds both.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// One metadata file, `nil` where it is not there.
  package func metadata(_ name: String) throws(FileError) -> [UInt8]? {
    try DurableFile.readIfPresent("\(path)/metadata/\(name)", limit: FileLimit.metadataBytes)
  }

  /// The current metadata, verified from the first root of the newest chain on. Each file that is read is shown to
  /// `see`, the roots of older chains among them.
  package func published(
    see: (_ name: String, _ bytes: [UInt8]) -> Void = { _, _ in }
  ) throws -> PublishedMetadata {
    guard let chain = try rootChains().last else { throw PublicationError.missing(path: path) }
    func read(_ name: String) throws -> [UInt8]? {
      let bytes = try metadata(name)
      if let bytes { see(name, bytes) }
      return bytes
    }
    guard let root = try read(MetadataName.versioned(Root.type, chain.lowerBound)) else {
      throw PublicationError.missing(path: path)
    }
    let former = try rootVersions().filter { $0 < chain.lowerBound }.compactMap { version in
      try read(MetadataName.versioned(Root.type, version))
    }
    return try PublishedMetadata(
      root: root, formerRoots: former.compactMap { try? Metadata<Root>(parsing: $0).signed }, read: read)
  }

  /// The versions of the roots that are there, in runs without a gap. There is more than one where the keys of a root
  /// were lost: what is beyond the gap is a chain of its own, which newer apps are shipped with.
  package func rootChains() throws -> [ClosedRange<Int>] {
    try rootVersions().reduce(into: []) { chains, version in
      if let last = chains.last, last.upperBound + 1 == version {
        chains[chains.count - 1] = last.lowerBound...version
      } else {
        chains.append(version...version)
      }
    }
  }

  private func rootVersions() throws(FileError) -> [Int] {
    let suffix = ".\(Root.type).json"
    return try Folder.names(in: "\(path)/metadata").filter { $0.hasSuffix(suffix) }
      .compactMap { canonicalDecimal($0.dropLast(suffix.count), in: 1...Int(Limits.exactJSONInteger)) }
      .sorted()
  }

  /// Whether anything was published here.
  package var exists: Bool { (try? rootVersions().isEmpty) == false }

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
    return try GzipPieces(file: file(object), limit: object.rawLength).source
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
  case shrunk([Series: [ShrunkTable]])
  case foreignKey(role: KeyRole, path: String)
  case keyMissing(role: KeyRole, found: Int, needed: Int)
  case epochWithoutTargetsKey
  case severalSeriesKeys(count: Int)
  case changeWaits
  case changeExpired(role: KeyRole, at: UTCTime)
  case noChange
  case damagedChange(file: String)

  /// Whether the deployment's keys must be mended, and not what is published.
  package var isConfiguration: Bool {
    switch self {
    case .notDelegated, .foreignKey, .keyMissing, .epochWithoutTargetsKey, .severalSeriesKeys, .changeWaits,
      .changeExpired, .noChange, .damagedChange:
      true
    default: false
    }
  }

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
      "the series \(series) is new, and the targets key that must sign its delegation is not here: "
        + "`seedbank keys renew targets --with FOLDER` signs it with the key in that folder"
    case .noChain(let series, let from, let to):
      "the publication of \(series) has no deltas that lead from version \(from) to \(to)"
    case .noSnapshot(let series): "the publication of \(series) has no snapshot of the current schema"
    case .shrunk(let series):
      series.sorted { $0.key < $1.key }.map { series, tables in
        "\(series) is held back: \(tables.map(\.description).joined(separator: ", ")). "
      }.joined() + "If that is meant, run `seedbank regenerate --accept-shrink`"
    case .foreignKey(let role, let path):
      "the publication at \(path) names other keys for the role \(role.rawValue) than the one that is here. Were the "
        + "keys replaced? Put the new one into the folder of the keys. Was a backup put back? Begin anew with "
        + "`seedbank new-epoch`. Else it belongs to another deployment; `seedbank keys status` shows both"
    case .keyMissing(let role, let found, let needed):
      "\(found) of the \(needed) keys of the role \(role.rawValue) that must sign each step are here: put back what is "
        + "missing, or replace it with `seedbank keys rotate \(role.rawValue)`; `seedbank keys status` lists them"
    case .epochWithoutTargetsKey:
      "a new epoch is signed with the targets key, and it is not here: name its folder with --with"
    case .severalSeriesKeys(let count):
      "\(count) series keys are here, and a new epoch takes one: move away those that were replaced"
    case .changeExpired(let role, let time):
      "the \(role.rawValue) metadata that waits for signatures expired at \(time): drop it with `seedbank keys discard`, and "
        + "begin the change again"
    case .changeWaits:
      "a change of keys waits for signatures: `seedbank keys status` says whose; bring them with "
        + "`seedbank keys add-signature`, or drop the change with `seedbank keys discard`"
    case .noChange:
      "no change of keys waits for signatures: `seedbank keys renew`, `rotate` and `revoke` begin one"
    case .damagedChange(let file):
      "\(file) is not a change of keys: drop it with `seedbank keys discard`, and begin the change again"
    }
  }
}
