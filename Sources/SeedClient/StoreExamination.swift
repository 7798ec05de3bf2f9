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
      guard Folder.isFolder(layout.generations) else {
        throw SeedError(.io, "there is no store in \(layout.directory): 'seedbank pull' makes one")
      }
      guard hadData else {
        throw SeedError(
          .io,
          "the store in \(layout.directory) has no data yet: update it in the app or with 'seedbank pull', then examine it"
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
    let folder = try currentFolder(&report)
    if let folder { try prove(folder, isInUse: isInUse, &report) }
    let signed = try verifiedMetadata(report.data?.meta.series, &report)
    if let folder, let meta = report.data?.meta, let signed { compare(meta, signed, folder.name, &report) }
    return report
  }

  // MARK: Generations

  /// False until the first download or bundle: it may have failed, or been interrupted before its data was current.
  private var hadData: Bool { Folder.exists(layout.current) || Folder.exists(layout.record) }

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
      let connection = try Connection(folder.file, mode(folder, isInUse: isInUse))
      let (meta, rows) = try GenerationProof.run(connection)
      guard !folder.has(.damaged) else {
        throw SeedError(.damaged, "a read of it found damage: it is no longer read")
      }
      report.data = StoreReport.Data(meta: meta, file: folder.file, rows: rows)
    } catch let error as DatabaseError where error.saysFull {
      // SQLite had no room for its temporary files. The store may be sound, so this is not a finding.
      throw error
    } catch { report.add(.error, "generations/\(folder.name)", SeedError(error).message, StoreRemedy.repair) }
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
  /// Verifies a seed of a client that does not use the library; it has no signatures. The file is only read.
  package init(ofSeed path: String) throws(SeedError) {
    self.init()
    do { try examine(seed: path) } catch { throw SeedError(error) }
  }

  private mutating func examine(seed path: String) throws {
    do {
      let connection = try Connection(path, .received)
      guard try LeftOutIndexes.entries(of: connection).isEmpty else {
        throw NotASeed("its indexes are not built: the client must build those that seedbank_index names")
      }
      let (meta, rows) = try GenerationProof.run(connection)
      data = Data(meta: meta, file: path, rows: rows)
    } catch let error as DatabaseError where error.saysFull {
      throw error
    } catch { add(.error, path, SeedError(error).message, StoreRemedy.otherClient) }
  }
}

private enum StoreRemedy {
  static let update = "update in the app or with 'seedbank pull': a snapshot will replace this copy"
  static let repair =
    "verify and update it, with verify() and update() in the app or with 'seedbank pull --verify': a snapshot will "
    + "replace it"
  static let otherClient =
    "its client must download a snapshot; compare its steps with the article 'Formats and HTTP interface'"
}
