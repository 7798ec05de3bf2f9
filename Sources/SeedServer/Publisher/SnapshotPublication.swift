import SeedDatabase
import SeedFormat
import SeedTrust

/// Makes the snapshot of a copy and lays it, in every encoding, among the published objects.
struct SnapshotPublication {
  private let publication: PublicationDirectory
  private let plan: SeriesPlan
  private let encodings: [ContentEncoding]
  private let now: UTCTime

  init(
    _ publication: PublicationDirectory, _ plan: SeriesPlan, _ job: DatasetJob, now: UTCTime
  ) {
    self.publication = publication
    self.plan = plan
    encodings = job.encodings
    self.now = now
  }

  /// The new objects, gzip first; they count once metadata lists them.
  func make(_ copy: WorkingCopy, _ stateFolder: String) throws -> [PublishedObject] {
    let file = "\(stateFolder)/\(plan.series.roleName).snapshot\(DurableFile.temporarySuffix)"
    try SnapshotMaker(plan.schema).make(copy, at: file)
    defer { try? WorkingCopy.remove(file) }
    let meta = try copy.meta()
    return try encodings.sorted { $0.rawValue < $1.rawValue }.map { try store(file, meta, $0) }
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
