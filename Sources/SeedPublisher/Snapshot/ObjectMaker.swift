import Dispatch
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

import class Foundation.Thread

/// Makes a series' snapshots, and objects in further encodings, as files that no metadata names yet.
struct ObjectMaker {
  let plan: SeriesPlan
  let job: DatasetJob
  let drafts: DraftFiles
  let now: UTCTime
  let progress: (String) -> Void
  let beforeCompression: (SeedSeries, ContentEncoding) throws -> Void

  private var file: SnapshotFile { SnapshotFile(schema: plan.schema, indexes: job.indexes) }

  func draw(_ copy: WorkingCopy) throws -> SeedMeta {
    var meta = try copy.meta()
    if meta.provenance != job.provenance {
      // Deltas do not carry the licence and attribution, and a rebuilt copy has those of an older snapshot.
      meta.provenance = job.provenance
      try copy.connection.transaction { try SeedTables.store(meta, copy.connection) }
    }
    try file.draw(copy, at: drafts.file)
    return meta
  }

  /// Checks and compresses the drawn file at the same time, on all processors.
  func finish(_ meta: SeedMeta) throws -> ObjectDraft {
    progress("\(plan.series): making the snapshot of version \(meta.version)")
    let drawn = drafts.file
    defer { try? SnapshotFile.remove(drawn) }
    try file.complete(drawn)
    try beforeCompression(plan.series, .gzip)
    let path = try drafts.path(meta.version, .gzip)
    let (raw, stored) = try Self.writing(path) {
      let gzip = try ParallelGzip(drawn, to: path)
      let threads = Compression.processors
      // Bytes that never reach the disk must not be signed, even if they are readable now. An additional thread waits
      // for the disk.
      let sync: WorkerPool.Job = { try File(drawn, for: .reading).sync() }
      let compression: [WorkerPool.Job] = Array(repeating: { gzip.work() }, count: threads)
      try WorkerPool.run([sync] + file.checks(of: drawn) + compression, threads: threads + 1)
      return try gzip.finish()
    }
    return ObjectDraft(
      path: path,
      object: PublishedObject(
        series: plan.series, kind: .snapshot(meta.version, .gzip), length: stored.length,
        sha256: stored.sha256, model: meta.model, rawLength: raw.length, rawSHA256: raw.sha256,
        schema: meta.schema, digest: meta.digest, publishedAt: now))
  }

  /// Removes a partial file at once, because the disk may be full.
  private static func writing<Result>(_ draft: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      try? Folder.remove(draft)
      throw error
    }
  }

  /// Makes a listed snapshot or delta in a further encoding.
  func draft(of listed: PublishedObject, in encoding: ContentEncoding) throws -> ObjectDraft {
    progress("\(plan.series): compressing version \(listed.version) in \(encoding.rawValue)")
    defer { try? SnapshotFile.remove(drafts.file) }
    try drafts.publication.expand(listed, to: drafts.file)
    try beforeCompression(plan.series, encoding)
    let path = try drafts.path(listed.version, encoding)
    let stored = try Self.writing(path) { try Compression.compress(drafts.file, to: path, encoding).stored }
    return ObjectDraft(
      path: path,
      object: PublishedObject(
        series: plan.series, kind: listed.kind.encoded(as: encoding), length: stored.length,
        sha256: stored.sha256, model: listed.model, rawLength: listed.rawLength, rawSHA256: listed.rawSHA256,
        schema: listed.schema, schemaBefore: listed.schemaBefore, digest: listed.digest,
        publishedAt: listed.span == nil ? now : nil))
  }
}

/// Runs jobs on a few threads. A free thread takes the next job, so put the longest first. With more threads than
/// processors, a long job that cannot be divided would end late.
enum WorkerPool {
  typealias Job = @Sendable () throws -> Void

  /// Starts no more jobs after one has failed, and throws that job's error. Uses dedicated threads, because Dispatch
  /// limits its threads to the number of processors and they may be busy.
  static func run(_ jobs: [Job], threads: Int) throws {
    let left = Mutex(jobs[...])
    let failure = Mutex<(any Error)?>(nil)
    let group = DispatchGroup()
    for _ in 0..<min(threads, jobs.count) {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        do {
          while let job = left.withLock({ $0.popFirst() }) { try job() }
        } catch {
          left.withLock { $0 = [] }
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    group.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

/// The paths of a series' files during compression. Only the holder of the series' snapshot lock may change
/// them, or for a first snapshot, the holder of the publication's lock.
struct DraftFiles {
  let publication: PublicationDirectory
  let series: SeedSeries
  let stateFolder: String
  /// Whether the snapshot starts a history or schema. Another process may still be making an earlier snapshot.
  var isFirst = false

  var file: String { files[isFirst ? 1 : 0] }

  private var files: [String] { ["", ".new"].map { "\(stateFolder)/\(series.roleName)\($0).snapshot" } }

  func path(_ version: SeedVersion, _ encoding: ContentEncoding) throws(FileError) -> String {
    let folder = publication.objectFolder(series)
    try Folder.create(folder)
    return "\(folder)snapshot-\(version)-\(encoding.rawValue)\(PublicationDirectory.draftSuffix)"
  }

  /// Removes files left by crashes, unless a process is making a snapshot. Returns an error for each file that
  /// remains. The caller holds the publication's lock.
  func sweep() throws -> [FileError] {
    guard try files.contains(where: SnapshotFile.exists) || !compressed().isEmpty else { return [] }
    let remaining = try publication.snapshotLock(of: series).holdIfFree {
      try Folder.remove(files, by: SnapshotFile.remove) + Folder.remove(compressed())
    }
    return remaining ?? []
  }

  private func compressed() throws(FileError) -> [String] {
    let folder = publication.objectFolder(series)
    return try Folder.names(in: folder) { $0.hasSuffix(PublicationDirectory.draftSuffix) }
      .map { folder + $0 }
  }
}

extension PublicationDirectory {
  /// Held by the one process that changes the publication.
  var lock: LockFile { LockFile("\(path)/.lock", of: path) }

  /// Held by the one process that makes snapshots of the series. Never wait for this lock while holding the
  /// publication's lock, because the holder of this lock may be waiting for the publication's.
  func snapshotLock(of series: SeedSeries) -> LockFile {
    LockFile("\(path)/.\(series.roleName).snapshots.lock", of: path)
  }
}
