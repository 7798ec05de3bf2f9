import Dispatch
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

import class Foundation.Thread

/// Makes the snapshots of a series, and further encodings, as files that no metadata names yet.
struct ObjectMaker {
  let plan: SeriesPlan
  let job: DatasetJob
  let publication: PublicationDirectory
  let drafts: DraftFiles
  let now: UTCTime
  let beforeCompression: (SeedSeries, ContentEncoding) throws -> Void

  private var file: SnapshotFile { SnapshotFile(schema: plan.schema, indexes: job.indexes) }

  func draw(_ copy: WorkingCopy) throws -> SeedMeta {
    try file.draw(copy, at: drafts.file)
    return try copy.meta()
  }

  func finish(_ meta: SeedMeta) throws -> ObjectDraft {
    let path = drafts.file
    defer { try? SnapshotFile.remove(path) }
    try file.complete(path)
    try beforeCompression(plan.series, .gzip)
    let sync = SideWork()
    // Bytes that never reach the disk must not be signed, even if they are readable now.
    sync.start { try File(path, for: .reading).sync() }
    let draft = Result { try compress(path, meta, checking: file.checks(of: path)) }
    try sync.finish()
    return try draft.get()
  }

  /// Uses all processors for compression as the checks finish.
  private func compress(
    _ file: String, _ meta: SeedMeta, checking checks: [WorkerPool.Job]
  ) throws -> ObjectDraft {
    let path = try drafts.path(meta.version, .gzip)
    let (raw, stored) = try Self.writing(path) {
      let gzip = try ParallelGzip(file, to: path)
      let threads = Compression.processors
      try WorkerPool.run(checks + Array(repeating: { gzip.work() }, count: threads), threads: threads)
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

  /// A snapshot or delta in a further encoding.
  func draft(of listed: PublishedObject, in encoding: ContentEncoding) throws -> ObjectDraft {
    defer { try? SnapshotFile.remove(drafts.file) }
    try publication.expand(listed, to: drafts.file)
    try beforeCompression(plan.series, encoding)
    let path = try drafts.path(listed.version, encoding)
    let stored = try Self.writing(path) { try Compression.compress(drafts.file, to: path, encoding).stored }
    return ObjectDraft(
      path: path,
      object: PublishedObject(
        series: plan.series, kind: listed.kind.encoded(as: encoding), length: stored.length,
        sha256: stored.sha256,
        model: listed.model, rawLength: listed.rawLength, rawSHA256: listed.rawSHA256, schema: listed.schema,
        schemaBefore: listed.schemaBefore, digest: listed.digest, publishedAt: listed.span == nil ? now : nil)
    )
  }
}

/// Runs jobs on a few threads. A free thread takes the next job, so put the longest first. With more threads than
/// processors, a long job that cannot be divided would end late.
enum WorkerPool {
  typealias Job = @Sendable () throws -> Void

  /// Starts no job after one failed, and throws its error.
  static func run(_ jobs: [Job], threads: Int) throws {
    let left = Mutex(jobs[...])
    let work = SideWork()
    for _ in 0..<min(threads, jobs.count) {
      work.start {
        defer { left.withLock { $0 = [] } }
        while let job = left.withLock({ $0.popFirst() }) { try job() }
      }
    }
    try work.finish()
  }
}

/// Work on other threads, parallel to the owner's. The owner must always call ``finish()``.
final class SideWork: Sendable {
  private let group = DispatchGroup()
  private let failure = Mutex<(any Error)?>(nil)

  /// Starts a dedicated thread, because Dispatch limits its threads to the number of processors and they may be busy.
  func start(_ body: @escaping @Sendable () throws -> Void) {
    group.enter()
    Thread.detachNewThread { [self] in
      defer { group.leave() }
      do {
        try body()
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
  }

  func finish() throws {
    group.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
