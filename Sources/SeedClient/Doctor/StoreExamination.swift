import Foundation
import SeedDatabase
import SeedFormat
package import SeedSystem
import SeedTrust

/// Verifies a store from its files, without network access or writes, and without blocking a writer.
package struct StoreExamination {
  private let layout: StoreLayout
  private let root: [UInt8]?
  private let now: UTCTime

  /// Verifies from `root` or, if nil, from the app's root that the store has kept.
  package init(_ directory: String, root: [UInt8]?, now: UTCTime = .now()) {
    layout = StoreLayout(directory: directory)
    (self.root, self.now) = (root, now)
  }

  package func run() throws(SeedError) -> StoreReport {
    do {
      guard Folder.isFolder(layout.generations) else {
        throw SeedError(.io, "there is no store in \(layout.directory): 'seedbank pull' makes one")
      }
      let before = try StoreActivity(layout)
      let report = try examine(isInUse: before.isInUse)
      // If a writer started during the examination, the files may have changed, so examine again as in use.
      return try before.isInUse || StoreActivity(layout) == before ? report : examine(isInUse: true)
    } catch { throw SeedError(error) }
  }

  private func examine(isInUse: Bool) throws -> StoreReport {
    var report = StoreReport()
    report.isInUse = isInUse
    if isInUse { report.add(.note, "LOCK", "a process is writing to this store", StoreRemedy.none) }
    let pointer = try pointer(&report)
    var meta: SeedMeta?
    for name in try Folder.names(in: layout.generations) {
      let isCurrent = name == pointer?.current
      if isCurrent || name == pointer?.previous {
        let found = try proved(layout.folder(name), isCurrent: isCurrent, &report)
        if isCurrent { meta = found }
      } else {
        report.add(.note, "generations/\(name)", "it is not in use", StoreRemedy.collection)
      }
    }
    let signed = try TrustExamination(layout: layout, root: root, now: now).run(meta?.series, &report)
    if let meta, let signed { compare(meta, signed, pointer?.current ?? "", &report) }
    try noteLeftovers(&report)
    return report
  }

  // MARK: Generations

  private func pointer(_ report: inout StoreReport) throws -> GenerationPointer? {
    guard let pointer = try layout.pointer() else {
      let problem =
        Folder.exists(layout.current) ? "it does not name a generation" : "the store has no data yet"
      report.add(.error, "CURRENT", problem, StoreRemedy.update)
      return nil
    }
    guard Folder.exists(layout.folder(pointer.current).record) else {
      report.add(.error, "CURRENT", "it names \(pointer.current), which is missing", StoreRemedy.update)
      return nil
    }
    return pointer
  }

  private func proved(
    _ folder: GenerationFolder, isCurrent: Bool, _ report: inout StoreReport
  ) throws -> SeedMeta? {
    report.generations += 1
    do {
      let connection = try Connection(folder.file, mode(folder, isInUse: report.isInUse))
      let (meta, rows) = try GenerationProof.run(connection)
      guard !folder.has(.damaged) else {
        throw SeedError(.damaged, "a read of it found damage: it is no longer read")
      }
      if isCurrent { report.data = StoreReport.Data(meta: meta, file: folder.file, rows: rows) }
      return meta
    } catch let error as DatabaseError where error.saysFull {
      // SQLite had no room for its temporary files. The store may be sound, so this is not a finding.
      throw error
    } catch {
      report.add(
        isCurrent ? .error : .warning, "generations/\(folder.name)", SeedError(error).message,
        isCurrent ? StoreRemedy.repair : StoreRemedy.previous)
      return nil
    }
  }

  /// If no process writes and the WAL is empty, SQLite need not create the -shm file.
  private func mode(_ folder: GenerationFolder, isInUse: Bool) throws -> Connection.OpenMode {
    let log = try DurableFile.start(of: "\(folder.file)-wal", 1) ?? []
    return isInUse || !log.isEmpty ? .reader : .snapshot
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
      .error, path, "its digest differs from the signed one of version \(meta.version)", StoreRemedy.update)
  }

  // MARK: Leftovers

  private func noteLeftovers(_ report: inout StoreReport) throws {
    for (folder, prefix) in [(layout.directory, ""), (layout.trust, "trust/")] {
      for name in try Folder.names(in: folder) where name.hasSuffix(DurableFile.temporarySuffix) {
        report.add(.note, prefix + name, "left by an interrupted write", StoreRemedy.sweep)
      }
    }
    let rejected = try layout.rejected().count
    if rejected > 0 {
      report.add(
        .note, "REJECTED", "\(rejected) hashes of data that failed or was rolled back", StoreRemedy.none)
    }
    for name in try Folder.names(in: layout.partial) {
      let bytes = try File("\(layout.partial)/\(name)", for: .reading).length()
      report.partialBytes += bytes
      report.add(
        .note, "partial/\(name)", "\(ByteCount(bytes: bytes)) of an unfinished download", StoreRemedy.none)
    }
  }
}

/// Detects an active writer without blocking one.
private struct StoreActivity: Hashable {
  let isInUse: Bool
  private let pointer: GenerationPointer?
  private let times: [Date?]

  init(_ layout: StoreLayout) throws {
    isInUse = try Folder.exists(layout.lock) && FileLock.shared(layout.lock) == nil
    pointer = try layout.pointer()
    let files = pointer?.names.map { layout.folder($0).file } ?? []
    times = files.flatMap { [$0, "\($0)-wal"] }.map(Self.changed)
  }

  private static func changed(_ path: String) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
  }
}

struct TrustExamination {
  let layout: StoreLayout
  let root: [UInt8]?
  let now: UTCTime

  private static let rootName = MetadataName.unversioned(Root.type)
  private static let timestampName = MetadataName.unversioned(Timestamp.type)
  /// Timestamp, TUF snapshot role, targets, and the series' role.
  private static let chainLength = 4

  func run(_ series: Series?, _ report: inout StoreReport) throws -> SeriesMetadata? {
    guard let first = try root ?? kept(layout.shippedRoot) ?? stored(Self.rootName) else {
      report.add(.warning, "trust", "the signatures were not verified: no root is given", StoreRemedy.root)
      return nil
    }
    if root == nil {
      report.add(
        .note, "trust", "the signatures were verified from the root that the store has kept", StoreRemedy.root
      )
    }
    guard let series = try series ?? someSeries() else {
      report.add(.note, "trust", "it holds no series yet", StoreRemedy.none)
      return nil
    }
    do {
      let signed = try refreshed(series, first, now: .distantPast)
      report.metadataFiles += Self.chainLength + (try stored(Self.rootName) == nil ? 0 : 1)
      noteExpiry(series, first, &report)
      return signed
    } catch let error as TrustError where error.isMismatch {
      report.add(.warning, "trust", "\(error): an update was interrupted, or a file is damaged", Self.renewal)
      return nil
    } catch {
      report.add(.error, "trust", SeedError(error).message, Self.remedy)
      return nil
    }
  }

  private static let renewal = "update, which fetches a matching set of files from the server"
  private static let remedy =
    "compare the root with the publisher's; then remove the folder 'trust', and update with the publisher's"

  private func noteExpiry(_ series: Series, _ root: [UInt8], _ report: inout StoreReport) {
    do {
      _ = try refreshed(series, root, now: now)
    } catch {
      report.add(.note, "trust", SeedError(error).message, Self.renewal)
    }
  }

  private func refreshed(_ series: Series, _ root: [UInt8], now: UTCTime) throws -> SeriesMetadata {
    var set = try start(root, now: now)
    try set.checkRoot()
    _ = try set.updateTimestamp(required(Self.timestampName))
    try set.updateSnapshot(required(MetadataName.unversioned(SnapshotRole.type)))
    try set.updateTargets(required(MetadataName.unversioned(Targets.type)))
    try set.updateDelegated(required(MetadataName.unversioned(series.roleName)), role: series.roleName)
    return try set.series(series)
  }

  private func start(_ root: [UInt8], now: UTCTime) throws -> TrustedMetadataSet {
    let shipped = try TrustedMetadataSet(root: root, now: now)
    let own = try stored(Self.rootName).map { try TrustedMetadataSet(root: $0, now: now) }
    return own.map { $0.root.version > shipped.root.version ? $0 : shipped } ?? shipped
  }

  private func required(_ name: String) throws -> [UInt8] {
    guard let bytes = try stored(name) else { throw TrustError.missingFile(name: name) }
    return bytes
  }

  private func stored(_ name: String) throws -> [UInt8]? {
    try kept("\(layout.trust)/\(name)")
  }

  private func kept(_ path: String) throws -> [UInt8]? {
    try DurableFile.readIfPresent(path, limit: Limits.metadataBytes)
  }

  private func someSeries() throws -> Series? {
    try Folder.names(in: layout.trust).lazy
      .compactMap { $0.hasSuffix(".json") ? Series(roleName: String($0.dropLast(".json".count))) : nil }.first
  }
}

extension TrustError {
  /// True if the files may each be valid but do not fit together; an update replaces them.
  fileprivate var isMismatch: Bool {
    switch self {
    case .wrongVersion, .lengthMismatch, .hashMismatch, .missingFile: true
    default: false
    }
  }
}
