import SeedDatabase
import SeedFormat
package import SeedSystem
package import SeedTrust

/// The published files on disk: `metadata/` and `targets/`. Copies of one value share what was verified last, so a
/// publisher and a front in one process verify each change once.
package struct PublicationDirectory: Sendable {
  /// The folder that holds both.
  package let path: String
  private let last = LastVerified()

  /// Bytes of one of the publisher's own small files. It trusts its own disk further than a client trusts a server.
  static let mostFileBytes = 64 * 1024 * 1024
  /// Ends the names of snapshots in the making: no step may sweep them, for others publish meanwhile.
  static let draftSuffix = ".draft"

  package init(_ path: String) { self.path = path }

  private var metadataFolder: String { "\(path)/metadata" }

  func metadataFile(_ name: String) -> String { "\(metadataFolder)/\(name)" }

  /// One metadata file, `nil` where it is not there.
  package func metadata(_ name: String) throws(FileError) -> [UInt8]? {
    try DurableFile.readIfPresent(metadataFile(name), limit: Self.mostFileBytes)
  }

  /// The current metadata, verified from the first root of the newest chain on.
  package func published() throws -> PublishedMetadata { try verified().metadata }

  func verified() throws -> VerifiedMetadata {
    let roots = try rootVersions()
    // The lock is held meanwhile: whoever asks at the same time gets what is verified now.
    return try last.value.withLock { last in
      if let last, try last.isCurrent(in: self, roots) { return last }
      let found = try VerifiedMetadata(reading: self, roots)
      last = found
      return found
    }
  }

  /// The versions of the roots that are there, in runs without a gap. There is more than one where the keys of a root
  /// were lost: what is beyond the gap is a chain of its own, which newer apps are shipped with.
  func rootChains() throws -> [ClosedRange<Int>] { try rootVersions().runs }

  private func rootVersions() throws(FileError) -> [Int] {
    let suffix = ".\(Root.type).json"
    return try Folder.names(in: metadataFolder).filter { $0.hasSuffix(suffix) }
      .compactMap { canonicalDecimal($0.dropLast(suffix.count), in: 1...Int(Limits.exactJSONInteger)) }
      .sorted()
  }

  /// Whether anything was published here.
  package var exists: Bool { (try? rootVersions().isEmpty) == false }

  /// Writes a signing step's files in their order: whoever sees a file finds all that it names.
  package func write(_ files: [MetadataFile]) throws(FileError) {
    try Folder.create(metadataFolder)
    for file in files { try DurableFile.write(file.bytes, to: metadataFile(file.name)) }
  }

  /// Where an object lies.
  package func file(_ object: PublishedObject) -> String { "\(path)/\(object.filePath)" }

  /// The folder of a series' objects, with a slash at its end.
  func objectFolder(_ series: Series) -> String { "\(path)/targets/\(series.targetPrefix)" }

  func draft(_ name: String, of series: Series) throws(FileError) -> String {
    try Folder.create(objectFolder(series))
    return objectFolder(series) + name + DurableFile.temporarySuffix
  }

  /// A delta's document in pieces, once the file's hash is found to be the signed one.
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

  func stored(_ object: PublishedObject) throws -> [UInt8] {
    let bytes = try DurableFile.read(file(object), limit: object.length)
    guard Compression.Measure(of: bytes) == .init(length: object.length, sha256: object.sha256) else {
      throw PublicationError.damaged(file: file(object))
    }
    return bytes
  }

  /// Expands an object to a new file, and checks length and hash of what comes out against the signed ones.
  func expand(_ object: PublishedObject, to path: String) throws {
    let raw = try Compression.expand(file(object), to: path, object.encoding, limit: object.rawLength)
    guard raw == .init(length: object.rawLength, sha256: object.rawSHA256) else {
      throw PublicationError.damaged(file: file(object))
    }
  }

  /// Removes what crashes left; nobody else may be writing.
  func sweep(_ series: [Series]) throws(FileError) {
    try DurableFile.sweep(metadataFolder)
    for one in series { try DurableFile.sweep(objectFolder(one)) }
  }
}

/// A publication's metadata as it was verified, and the files that it was read from.
struct VerifiedMetadata: Sendable {
  let metadata: PublishedMetadata
  /// The very bytes, by file name; the roots of older chains are among them.
  private(set) var files: [String: [UInt8]] = [:]
  private let roots: [Int]
  /// Every file that was looked for, as it was before it was read; `nil` where there was none.
  private var stamps: [String: FileStamp?] = [:]

  fileprivate init(reading directory: PublicationDirectory, _ roots: [Int]) throws {
    var (files, stamps): ([String: [UInt8]], [String: FileStamp?]) = ([:], [:])
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
      root: first, formerRoots: former.compactMap { try? Metadata<Root>(parsing: $0).signed }, read: read)
    (self.files, self.stamps, self.roots) = (files, stamps, roots)
  }

  fileprivate func isCurrent(in directory: PublicationDirectory, _ roots: [Int]) throws -> Bool {
    try roots == self.roots
      && stamps.allSatisfy { name, stamp in try FileStamp(directory.metadataFile(name)) == stamp }
  }
}

private final class LastVerified: Sendable { let value = Mutex<VerifiedMetadata?>(nil) }

extension [Int] {
  /// Rising numbers, in runs without a gap.
  var runs: [ClosedRange<Int>] {
    reduce(into: []) { runs, number in
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
  }
}
