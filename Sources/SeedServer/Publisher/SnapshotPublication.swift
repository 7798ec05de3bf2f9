import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// Makes the snapshots of a series as files that no metadata names yet, in one encoding after the other.
struct SnapshotPublication {
  private let publisher: Publisher
  private let plan: SeriesPlan
  private let encodings: [ContentEncoding]
  private let indexes: IndexPlace
  private let now: UTCTime
  private let drafts: SnapshotDrafts

  /// A founding one is made under the publication's lock, of a copy that is not in its place yet; somebody may still
  /// be making one of what was published before.
  init(
    _ publisher: Publisher, _ plan: SeriesPlan, _ job: DatasetJob, now: UTCTime, isFounding: Bool = false
  ) {
    self.publisher = publisher
    self.plan = plan
    encodings = job.encodings
    indexes = job.indexes
    self.now = now
    drafts = SnapshotDrafts(
      publisher.publication, plan.series, publisher.stateFolder, isFounding: isFounding)
  }

  private var publication: PublicationDirectory { publisher.publication }

  /// Draws the copy's committed state; nobody may write to the copy or draw another one meanwhile.
  func draw(_ copy: WorkingCopy) throws -> SeedMeta {
    try SnapshotMaker(plan.schema, indexes).draw(copy, at: drafts.file)
    return try copy.meta()
  }

  /// The draft in gzip of what was drawn.
  ///
  /// The file is proven while it is compressed; only what was proven is handed out.
  func finish(_ meta: SeedMeta) throws -> SnapshotDraft {
    let file = drafts.file
    defer { try? SnapshotMaker.remove(file) }
    let maker = SnapshotMaker(plan.schema, indexes)
    try maker.complete(file)
    try publisher.beforeCompression(plan.series, .gzip)
    let sync = SideWork()
    // What the disk does not take must not be signed, though for now it can be read.
    sync.start { try File(file, for: .reading).sync() }
    let draft = Result { try compress(file, meta, checking: maker.checks(of: file)) }
    try sync.finish()
    return try draft.get()
  }

  /// Every processor helps with the compression, once the checks leave it free.
  private func compress(
    _ file: String, _ meta: SeedMeta, checking checks: [Crew.Job]
  ) throws -> SnapshotDraft {
    let path = try drafts.path(meta.version, .gzip)
    let (raw, stored) = try Self.writing(path) {
      let gzip = try ParallelGzip(file, to: path, isSpliceable: false)
      let threads = Compression.processors
      try Crew.run(checks + Array(repeating: { gzip.work() }, count: threads), threads: threads)
      return try gzip.finish()
    }
    return SnapshotDraft(
      path: path,
      object: PublishedObject(
        series: plan.series, kind: .snapshot(meta.version, .gzip), length: stored.length,
        sha256: stored.sha256, model: meta.model, rawLength: raw.length, rawSHA256: raw.sha256,
        schema: meta.schema, digest: meta.digest, publishedAt: now))
  }

  /// On a full disk what is half written must not stay until the next step.
  private static func writing<Result>(_ draft: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      try? Folder.remove(draft)
      throw error
    }
  }

  /// The first encoding that a listed snapshot lacks; `nil` where it has all.
  func missingEncoding(of snapshot: PublishedObject, among objects: [PublishedObject]) -> ContentEncoding? {
    encodings.filter { encoding in !objects.contains { $0.kind == .snapshot(snapshot.version, encoding) } }
      .min { $0.rawValue < $1.rawValue }
  }

  /// The draft of a listed snapshot in another encoding, from its published file.
  func draft(of snapshot: PublishedObject, in encoding: ContentEncoding) throws -> SnapshotDraft {
    let (file, published) = (drafts.file, publication.file(snapshot))
    defer { try? SnapshotMaker.remove(file) }
    let raw = try Compression.expand(published, to: file, .gzip, limit: snapshot.rawLength)
    guard raw == .init(length: snapshot.rawLength, sha256: snapshot.rawSHA256) else {
      throw PublicationError.damaged(file: published)
    }
    try publisher.beforeCompression(plan.series, encoding)
    let path = try drafts.path(snapshot.version, encoding)
    let stored = try Self.writing(path) { try Compression.compress(file, to: path, encoding).stored }
    return SnapshotDraft(
      path: path,
      object: PublishedObject(
        series: plan.series, kind: .snapshot(snapshot.version, encoding), length: stored.length,
        sha256: stored.sha256, model: snapshot.model, rawLength: raw.length, rawSHA256: raw.sha256,
        schema: snapshot.schema, digest: snapshot.digest, publishedAt: now))
  }

  /// Gives a draft its place among the objects; it counts once metadata lists it.
  func place(_ draft: SnapshotDraft) throws {
    try DurableFile.moveIntoPlace(draft.path, publication.file(draft.object))
  }
}
