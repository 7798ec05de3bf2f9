import Foundation
package import SeedDatabase
import SeedFormat
package import SeedSystem
import SeedTrust

/// Verifies a store from its files, without network access or writes, and without blocking a writer.
package struct StoreExamination {
  let layout: StoreLayout
  let root: [UInt8]?
  let now: UTCTime

  /// Verifies no signatures if `root` is nil.
  package init(_ directory: String, root: [UInt8]?, now: UTCTime = .now()) {
    layout = StoreLayout(directory: directory)
    (self.root, self.now) = (root, now)
  }

  package func run() throws(SeedError) -> StoreReport {
    do {
      // Throws if this user may not read the directory.
      _ = try Folder.names(in: layout.directory)
      guard Folder.isFolder(layout.generations) else {
        throw SeedError(.io, "there is no store in \(layout.directory): 'seedbank pull' makes one")
      }
      // Both are missing until a first download or bundle has become current; an interrupted download leaves only
      // other files.
      guard Folder.exists(layout.current) || Folder.exists(layout.record) else {
        throw SeedError(
          .io,
          "the store in \(layout.directory) has no data yet: update it in the app or with 'seedbank pull', then examine it"
        )
      }
      let before = try StoreActivity(layout)
      let report = try examine(isInUse: before.isInUse)
      // If a writer started meanwhile, the files may have changed, so they are examined again as files in use.
      return try before.isInUse || StoreActivity(layout) == before ? report : examine(isInUse: true)
    } catch { throw SeedError(error) }
  }

  private func examine(isInUse: Bool) throws -> StoreReport {
    var report = StoreReport()
    let folder = try currentFolder(&report)
    if let folder { try prove(folder, isInUse: isInUse, &report) }
    let signed = try verifiedMetadata(report.data?.meta.series, &report)
    if let folder, let meta = report.data?.meta, let signed { compare(meta, signed, folder.name, &report) }
    return report
  }

  // MARK: Generations

  private func currentFolder(_ report: inout StoreReport) throws -> GenerationFolder? {
    guard let name = try layout.pointer()?.current else {
      let problem = Folder.exists(layout.current) ? "it does not name a generation" : "it is missing"
      report.add(.error, "CURRENT", problem, StoreRemedy.update)
      return nil
    }
    guard Folder.exists(layout.folder(name).record) else {
      report.add(.error, "CURRENT", "it names \(name), which is missing", StoreRemedy.update)
      return nil
    }
    return layout.folder(name)
  }

  private func prove(_ folder: GenerationFolder, isInUse: Bool, _ report: inout StoreReport) throws {
    do {
      // If no process writes and the WAL is empty, SQLite need not create the -shm file.
      let connection = try Connection(folder.file, isInUse || folder.hasLog ? .received : .snapshot)
      let (meta, rows) = try GenerationProof.run(connection)
      guard !folder.has(.damaged) else {
        throw SeedError(.damaged, "a read found damage, so the store no longer reads it")
      }
      report.data = StoreReport.Data(meta: meta, file: folder.file, rows: rows)
    } catch let error as DatabaseError where error.saysFull {
      // SQLite had no space for its temporary files. The store may be sound, so this is not a finding.
      throw error
    } catch { report.add(.error, "generations/\(folder.name)", SeedError(error).message, StoreRemedy.repair) }
  }

  private func compare(
    _ meta: SeedMeta, _ signed: SeriesMetadata, _ name: String, _ report: inout StoreReport
  ) {
    let path = "generations/\(name)"
    guard meta.epoch == signed.state.epoch else {
      return report.add(.warning, path, "its epoch differs from the metadata's", StoreRemedy.update)
    }
    if meta.version > signed.state.head {
      report.add(
        .warning, path, "its version \(meta.version) is beyond the signed head \(signed.state.head)",
        StoreRemedy.update)
    }
    let published = signed.objects.first { $0.version == meta.version && $0.schema == meta.schema }
    guard let published, published.digest != meta.digest else { return }
    report.add(
      .error, path, "its digest differs from the one signed for version \(meta.version)", StoreRemedy.update)
  }

  private static let rootRemedy = "give --root with the publication's root.json, from a source that you trust"
  private static let renewal = "update, which fetches a matching set of files from the server"
  private static let remedy =
    "give --root with the publisher's newest root.json; if the error stays, remove the folder 'trust', and update"

  /// Returns the verified metadata of the data's series, or of any series if the data is unusable. Reports expiry as
  /// a note, not as an error.
  func verifiedMetadata(_ series: SeedSeries?, _ report: inout StoreReport) throws -> SeriesMetadata? {
    guard let root else {
      report.add(.warning, "trust", "the signatures were not verified: no root is given", Self.rootRemedy)
      return nil
    }
    do {
      guard let series = try series ?? someSeries() else { return nil }
      let signed = try verified(series, root, at: .distantPast)
      do {
        _ = try verified(series, root, at: now)
      } catch { report.add(.note, "trust", SeedError(error).message, Self.renewal) }
      return signed
    } catch let error as TrustError where error.isMismatch {
      report.add(.warning, "trust", "\(error): an update was interrupted, or a file is damaged", Self.renewal)
    } catch { report.add(.error, "trust", SeedError(error).message, Self.remedy) }
    return nil
  }

  private func verified(_ series: SeedSeries, _ root: [UInt8], at now: UTCTime) throws -> SeriesMetadata {
    var set = try start(root, now)
    try set.checkRoot()
    _ = try set.updateTimestamp(required(MetadataName.unversioned(Timestamp.type)))
    try set.updateSnapshot(required(MetadataName.unversioned(SnapshotRole.type)))
    try set.updateTargets(required(MetadataName.unversioned(Targets.type)))
    try set.updateTargets(
      required(MetadataName.unversioned(series.roleName)), role: series.roleName, delegator: Targets.type)
    return try set.series(series)
  }

  /// Starts from the given root or the stored one, whichever is newer. A newer stored root must be signed by the
  /// given root's own keys, because the store does not keep the roots in between.
  private func start(_ root: [UInt8], _ now: UTCTime) throws -> TrustedMetadataSet {
    var given = try TrustedMetadataSet(root: root, now: now)
    guard let bytes = try stored(MetadataName.unversioned(Root.type)) else { return given }
    let own = try TrustedMetadataSet(root: bytes, now: now)
    guard own.root.version > given.root.version else { return given }
    do { try given.updateRoot(bytes) } catch TrustError.wrongVersion {
      // The given root's keys signed the stored root, which is not the next version.
    }
    return own
  }

  private func someSeries() throws -> SeedSeries? {
    try Folder.names(in: layout.trust).lazy
      .compactMap { $0.hasSuffix(".json") ? SeedSeries(roleName: String($0.dropLast(".json".count))) : nil }
      .first
  }

  private func required(_ name: String) throws -> [UInt8] {
    guard let bytes = try stored(name) else { throw TrustError.missingFile(name: name) }
    return bytes
  }

  private func stored(_ name: String) throws -> [UInt8]? {
    try DurableFile.readIfPresent("\(layout.trust)/\(name)", limit: Limits.metadataBytes)
  }
}

/// Detects an active writer without blocking it.
private struct StoreActivity: Hashable {
  let isInUse: Bool
  private let pointer: GenerationPointer?
  /// Not stamps: SQLite sets the owner of a WAL that root opens, even in order to read, which changes its stamp.
  private let times: [Date?]

  init(_ layout: StoreLayout) throws {
    isInUse = try Folder.exists(layout.lock) && FileLock.shared(layout.lock) == nil
    pointer = try layout.pointer()
    let file = pointer.map { layout.folder($0.current).file }
    times = [file, file.map { "\($0)-wal" }].map { $0.flatMap(Self.changed) }
  }

  private static func changed(_ path: String) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
  }
}

package struct StoreReport: Hashable, Sendable {
  package struct Data: Hashable, Sendable {
    package let meta: SeedMeta
    package let file: String
    package let rows: Int
  }

  package internal(set) var data: Data?
  package internal(set) var findings: [Finding] = []

  /// True if the app's data matches the publication.
  package var isSound: Bool { findings.areSound }

  mutating func add(_ severity: Finding.Severity, _ path: String, _ problem: String, _ remedy: String) {
    findings.append(Finding(severity, path, problem, remedy: remedy))
  }
}

extension StoreReport {
  /// Verifies a seed from a client that does not use the library; such a seed has no signatures. Only reads the file.
  package init(ofSeed path: String) throws(SeedError) {
    self.init()
    do {
      let connection = try Connection(path, .received)
      guard try OmittedIndexes.entries(of: connection).isEmpty else {
        throw NotASeed(
          "its indexes are not built: the client must build the indexes that seedbank_index lists")
      }
      let (meta, rows) = try GenerationProof.run(connection)
      data = Data(meta: meta, file: path, rows: rows)
    } catch let error as DatabaseError where error.saysFull {
      throw SeedError(error)
    } catch { add(.error, path, SeedError(error).message, StoreRemedy.otherClient) }
  }
}

private enum StoreRemedy {
  static let update = "update in the app or with 'seedbank pull': a snapshot will replace this copy"
  static let repair =
    "call verify() and update() in the app, or run 'seedbank pull --verify': a snapshot will replace this copy"
  static let otherClient =
    "its client must download a snapshot; check the client's steps against the article 'Formats and HTTP interface'"
}

extension TrustError {
  /// True if each file may be valid but the files do not fit together; an update replaces them.
  fileprivate var isMismatch: Bool {
    switch self {
    case .wrongVersion, .lengthMismatch, .hashMismatch, .missingFile: true
    default: false
    }
  }
}
