import SeedDatabase
import SeedFormat
import SeedTrust

/// Makes the snapshot of a copy and lays it, in every encoding, among the published objects.
struct SnapshotPublication {
  private let publication: PublicationDirectory
  private let plan: SeriesPlan
  private let encodings: [ContentEncoding]
  private let indexes: IndexPlace
  private let now: UTCTime

  init(
    _ publication: PublicationDirectory, _ plan: SeriesPlan, _ job: DatasetJob, now: UTCTime
  ) {
    self.publication = publication
    self.plan = plan
    encodings = job.encodings
    indexes = job.indexes
    self.now = now
  }

  /// The new objects, gzip first; they count once metadata lists them.
  ///
  /// The file is proven while it is compressed; only what was proven is handed out.
  func make(_ copy: WorkingCopy, _ stateFolder: String) throws -> [PublishedObject] {
    let file = "\(stateFolder)/\(plan.series.roleName).snapshot\(DurableFile.temporarySuffix)"
    defer { try? WorkingCopy.remove(file) }
    let maker = SnapshotMaker(plan.schema, indexes)
    try maker.make(copy, at: file)
    let checks = SideWork()
    maker.startChecks(of: file, on: checks)
    let meta = try copy.meta()
    let objects = Result {
      try encodings.sorted { $0.rawValue < $1.rawValue }.map { try store(file, meta, $0) }
    }
    try checks.finish()
    return try objects.get()
  }

  private func store(
    _ file: String, _ meta: SeedMeta, _ encoding: ContentEncoding
  ) throws -> PublishedObject {
    let draft = try publication.draft("snapshot-\(meta.version)-\(encoding.rawValue)", of: plan.series)
    let (raw, stored) = try Compression.compress(file, to: draft, encoding)
    let object = PublishedObject(
      series: plan.series, kind: .snapshot(meta.version, encoding),
      length: stored.length, sha256: stored.sha256, model: meta.model,
      rawLength: raw.length, rawSHA256: raw.sha256, schema: meta.schema, digest: meta.digest,
      publishedAt: now)
    try DurableFile.moveIntoPlace(draft, publication.file(object))
    return object
  }
}
