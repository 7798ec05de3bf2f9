import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// The published files on disk, in `metadata/` and `targets/`. Copies of this value share a cache of the last verified
/// metadata, so a publisher and a front in one process verify each change once.
package struct PublicationDirectory: Sendable {
  package let path: String
  private let last = LastVerified()

  /// The size limit for the publisher's own small files, more generous than the limits of clients.
  package static let mostFileBytes = 64 * 1024 * 1024
  /// The suffix of files that are being compressed. A step that runs at the same time must not remove them.
  package static let draftSuffix = ".draft"

  /// The mode of all published files: a front or web server may run as a different user than the publisher.
  package static let fileMode: mode_t = 0o644

  package init(_ path: String) { self.path = path }

  private var metadataFolder: String { "\(path)/metadata" }

  package func metadataFile(_ name: String) -> String { "\(metadataFolder)/\(name)" }

  package func metadata(_ name: String) throws(FileError) -> [UInt8]? {
    try DurableFile.readIfPresent(metadataFile(name), limit: Self.mostFileBytes)
  }

  /// The current metadata, verified from the first root of the newest chain.
  package func published() throws -> PublishedMetadata { try verified().metadata }

  package func verified() throws -> VerifiedMetadata {
    let roots = try rootVersions()
    // Holds the lock during verification, so concurrent callers share one result.
    return try last.value.withLock { last in
      if let last, try last.isCurrent(in: self, roots) { return last }
      let found = try VerifiedMetadata(reading: self, roots, after: last)
      last = found
      return found
    }
  }

  /// Returns the root versions on disk, as ranges without gaps. After the loss of root keys, a second chain begins, and
  /// newer apps ship with a root of that chain.
  package func rootChains() throws -> [ClosedRange<Int>] { try rootVersions().runs }

  /// Returns a sentence if the first roots are missing. An operator may have removed them on purpose.
  package func lackOfRoots() throws -> String? {
    guard let first = try rootVersions().first, first > 1 else { return nil }
    return "there is no root before \(first), so apps with an earlier root cannot follow"
  }

  /// Returns the missing last roots of older chains. A new chain begins at a fixed distance after the last root.
  package func missingLastRoots() throws -> [Int] {
    let versions = try rootVersions()
    return zip(versions, versions.dropFirst()).filter { $1 - $0 > Root.gapAfterLoss }
      .map { $1 - Root.gapAfterLoss }
  }

  /// Throws if a root is missing between others: clients of older roots could not follow, and keys that the missing
  /// root revoked would count again. `shipped` is the newest root file that apps ship.
  package func checkRoots(shipped: String?) throws {
    let versions = try rootVersions()
    for version in versions {
      guard let bytes = try metadata(MetadataName.versioned(Root.type, version)),
        (try? Metadata<Root>(parsing: bytes)) != nil
      else { throw PublicationError.damagedRoot(file: rootFile(version)) }
    }
    for (before, after) in zip(versions, versions.dropFirst())
    where 1 < after - before && after - before < Root.gapAfterLoss {
      throw PublicationError.missingRoot(file: rootFile(before + 1), copy: nil)
    }
    guard let shipped, let bytes = try DurableFile.readIfPresent(shipped, limit: Limits.rootBytes),
      let newest = versions.last, let root = try? Metadata<Root>(parsing: bytes).signed
    else { return }
    if root.version > newest {
      throw PublicationError.missingRoot(file: rootFile(root.version), copy: shipped)
    }
    if let own = try metadata(MetadataName.versioned(Root.type, root.version)), own != bytes {
      throw PublicationError.otherRoot(shipped: shipped, file: rootFile(root.version))
    }
  }

  private func rootFile(_ version: Int) -> String { metadataFile(MetadataName.versioned(Root.type, version)) }

  private func rootVersions() throws(FileError) -> [Int] {
    let suffix = ".\(Root.type).json"
    return try Folder.names(in: metadataFolder) { $0.hasSuffix(suffix) }
      .compactMap { canonicalDecimal($0.dropLast(suffix.count), in: 1...Int(Limits.exactJSONInteger)) }
      .sorted()
  }

  package var exists: Bool { Folder.exists(rootFile(1)) || (try? rootVersions().isEmpty) == false }

  /// Calls `body` with the current metadata of each series and the earlier metadata that is still on disk. Verifies no
  /// signatures, and skips unreadable files.
  package func forEachMetadataOfSeries(_ body: (SeriesMetadata) -> Void) {
    for name in (try? Folder.names(in: metadataFolder)) ?? [] {
      let parts = name.split(separator: ".").map(String.init)
      guard parts.count == 3, let series = SeedSeries(roleName: parts[1]), let bytes = try? metadata(name),
        let role = try? Metadata<Targets>(parsing: bytes).signed,
        let found = try? SeriesMetadata(series, in: role)
      else { continue }
      body(found)
    }
  }

  /// Writes the files of a signing step in order, so that every file that a reader finds names only existing files.
  package func write(_ files: [MetadataFile]) throws(FileError) {
    try Folder.create(metadataFolder)
    for file in files { try DurableFile.write(file.bytes, to: metadataFile(file.name)) }
  }

  package func file(_ object: PublishedObject) -> String { "\(path)/\(object.filePath)" }

  /// Whether the object's file exists with the signed length.
  package func holds(_ object: PublishedObject) -> Bool {
    let stamp = try? FileStamp(file(object))
    return stamp?.isRegular == true && stamp?.size == object.length
  }

  /// Whether the object's file is readable and has the signed length and hash. Reads the whole file.
  package func isIntact(_ object: PublishedObject) throws -> Bool {
    guard holds(object) else { return false }
    do {
      try check(object)
      return true
    } catch PublicationError.damaged {
      return false
    } catch let failure as FileError where !failure.isExhausted {
      return false
    }
  }

  /// The folder of a series' objects, with a trailing slash.
  package func objectFolder(_ series: SeedSeries) -> String { "\(path)/\(series.folder)/" }

  package func draft(_ name: String, of series: SeedSeries) throws(FileError) -> String {
    try Folder.create(objectFolder(series))
    return objectFolder(series) + name + DurableFile.temporarySuffix
  }

  /// Checks a delta's file against its signed hash and length, and opens the document for reading in pieces.
  package func pieces(_ object: PublishedObject) throws -> DocumentPieces.Source {
    try check(object)
    return try Compression.pieces(of: file(object), object.encoding, limit: object.rawLength)
  }

  private func check(_ object: PublishedObject) throws {
    let found = try SHA256Digest.ofFile(at: file(object))
    guard found.digest == object.sha256, found.length == object.length else {
      throw PublicationError.damaged(file: file(object))
    }
  }

  /// Returns the file's bytes after checking them against the signed hash and length.
  package func stored(_ object: PublishedObject) throws -> [UInt8] {
    let bytes = try DurableFile.read(file(object), limit: object.length)
    guard Compression.Measure(of: bytes) == .init(length: object.length, sha256: object.sha256) else {
      throw PublicationError.damaged(file: file(object))
    }
    return bytes
  }

  /// Expands an object into a new file. Checks the expanded file of a snapshot, and the stored file of a delta, against
  /// the signed hash.
  package func expand(_ object: PublishedObject, to path: String) throws {
    if object.rawSHA256 == nil { try check(object) }
    let raw = try Compression.expand(file(object), to: path, object.encoding, limit: object.rawLength)
    guard raw == .init(length: object.rawLength, sha256: object.rawSHA256 ?? raw.sha256) else {
      throw PublicationError.damaged(file: file(object))
    }
  }

  /// Removes temporary files left by crashes. Returns an error for each that remains. No other process may be writing.
  package func sweep(_ series: [SeedSeries]) throws -> [FileError] {
    try DurableFile.sweep(metadataFolder) + series.flatMap { try DurableFile.sweep("\(path)/\($0.folder)") }
  }
}

/// Verified metadata with the files that it was read from.
package struct VerifiedMetadata: Sendable {
  package let metadata: PublishedMetadata
  /// The files' exact bytes by name, including the roots of older chains.
  package private(set) var files: [String: [UInt8]] = [:]
  private let roots: [Int]
  /// The stamp of each file before it was read, `nil` for a missing file.
  private var stamps: [String: FileStamp?] = [:]

  fileprivate init(
    reading directory: PublicationDirectory, _ roots: [Int], after earlier: VerifiedMetadata?
  ) throws {
    var (files, stamps): ([String: [UInt8]], [String: FileStamp?]) = ([:], [:])
    func isUnchanged(_ name: String) throws -> Bool {
      guard let stamp = try FileStamp(directory.metadataFile(name)), stamp == earlier?.stamps[name] else {
        return false
      }
      (stamps[name], files[name]) = (stamp, earlier?.files[name])
      return true
    }
    func read(_ name: String) throws -> [UInt8]? {
      stamps.updateValue(try FileStamp(directory.metadataFile(name)), forKey: name)
      let bytes = try directory.metadata(name)
      if let bytes { files[name] = bytes }
      return bytes
    }
    func root(_ version: Int) throws -> [UInt8]? { try read(MetadataName.versioned(Root.type, version)) }
    guard let chain = roots.runs.last, let first = try root(chain.lowerBound) else {
      throw PublicationError.missing(path: directory.path)
    }
    let former = try roots.filter { $0 < chain.lowerBound }.compactMap(root)
    metadata = try PublishedMetadata(
      root: first, formerRoots: former.compactMap { try? Metadata<Root>(parsing: $0).signed },
      after: earlier?.metadata, isUnchanged: isUnchanged, read: read)
    (self.files, self.stamps, self.roots) = (files, stamps, roots)
  }

  fileprivate func isCurrent(in directory: PublicationDirectory, _ roots: [Int]) throws -> Bool {
    try roots == self.roots
      && stamps.allSatisfy { name, stamp in try FileStamp(directory.metadataFile(name)) == stamp }
  }
}

private final class LastVerified: Sendable { let value = Mutex<VerifiedMetadata?>(nil) }

extension [Int] {
  package var runs: [ClosedRange<Int>] {
    reduce(into: []) { runs, number in
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
  }
}

/// Small files that the publisher can do without: a missing, unreadable or damaged one reads as `nil`.
package enum StateFile {
  package static func text(_ path: String) -> String? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  package static func json(_ path: String) -> JSONValue? {
    let bytes = try? DurableFile.readIfPresent(path, limit: PublicationDirectory.mostFileBytes)
    return bytes.flatMap { try? JSONValue(parsing: $0) }
  }
}

extension SHA256Digest {
  private static let pieceBytes = 1024 * 1024

  /// Copies a file, but not much more than `limit` bytes of it, and returns the digest and length of the copy.
  static func copying(
    _ source: String, to path: String, limit: Int = .max
  ) throws -> (digest: SHA256Digest, length: Int) {
    let from = try File(source, for: .reading)
    let to = try File(path, for: .replacing)
    var hasher = SHA256Hasher()
    var length = 0
    while length <= limit {
      let piece = try from.read(pieceBytes)
      if piece.isEmpty { break }
      hasher.update(piece)
      length += piece.count
      try to.write(piece)
    }
    return (hasher.finish(), length)
  }
}
