import Foundation
package import SeedDatabase
import SeedFormat
package import SeedSystem
import SeedTrust

/// Verifies a store from its files, without network access or writes, and without blocking a writer.
package struct StoreExamination {
  private let layout: StoreLayout
  private let root: [UInt8]?
  private let now: UTCTime

  /// Verifies no signatures if `root` is nil.
  package init(_ directory: String, root: [UInt8]?, now: UTCTime = .now()) {
    layout = StoreLayout(directory: directory)
    (self.root, self.now) = (root, now)
  }

  package func run() throws(SeedError) -> StoreReport {
    do {
      guard Folder.isFolder(layout.generations) else {
        throw SeedError(.io, "there is no store in \(layout.directory): 'seedbank pull' makes one")
      }
      guard hadData else {
        throw SeedError(
          .io,
          "the store in \(layout.directory) has no data yet: update it, in the app or by 'seedbank pull', and examine it then"
        )
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
    for name in pointer?.names ?? [] {
      let isCurrent = name == pointer?.current
      let found = try proved(layout.folder(name), isCurrent: isCurrent, &report)
      if isCurrent { meta = found }
    }
    let signed = try TrustExamination(layout: layout, root: root, now: now).run(meta?.series, &report)
    if let meta, let signed { compare(meta, signed, pointer?.current ?? "", &report) }
    return report
  }

  // MARK: Generations

  /// False until the first download or bundle: it may have failed, or been interrupted before its data was current.
  private var hadData: Bool {
    Folder.exists(layout.current) || Folder.exists(layout.record)
  }

  private func pointer(_ report: inout StoreReport) throws -> GenerationPointer? {
    guard let pointer = try layout.pointer() else {
      let problem = Folder.exists(layout.current) ? "it does not name a generation" : "it is missing"
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
    return isInUse || !log.isEmpty ? .received : .snapshot
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

package struct StoreReport: Hashable, Sendable {
  package struct Data: Hashable, Sendable {
    package let meta: SeedMeta
    package let file: String
    package let rows: Int
  }

  package internal(set) var data: Data?
  package internal(set) var findings: [Finding] = []
  /// Generations whose rows were hashed: the current and the previous one.
  package internal(set) var generations = 0
  package internal(set) var metadataFiles = 0
  /// Whether a process writes to the store; some findings may then be its work in progress.
  package internal(set) var isInUse = false

  /// True if the app's data matches the publication.
  package var isSound: Bool { findings.areSound }

  mutating func add(_ severity: Finding.Severity, _ path: String, _ problem: String, _ remedy: String) {
    findings.append(Finding(severity, path, problem, remedy: remedy))
  }
}

enum StoreRemedy {
  static let update = "update in the app or with 'seedbank pull': a snapshot will replace this copy"
  static let repair =
    "verify and update it, by verify() and update() in the app or by 'seedbank pull --verify': a snapshot takes its "
    + "place"
  static let otherClient =
    "its client must take a snapshot; compare its steps with the article 'Formats and HTTP interface'"
  static let none = "no action needed"
  static let previous = "rolling back is not possible until the next snapshot has been downloaded"
  static let root = "give --root with the publication's root.json, from a source that you trust"
}
