import SeedDatabase
import SeedFormat
import SeedTrust

/// Makes the snapshot of a copy and lays it among the published objects, in one encoding after the other.
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

  /// The new object, in gzip; it counts once metadata lists it.
  ///
  /// The file is proven while it is compressed; only what was proven is handed out.
  func make(_ copy: WorkingCopy, _ stateFolder: String) throws -> PublishedObject {
    let file = temporaryFile(in: stateFolder)
    defer { try? WorkingCopy.remove(file) }
    let maker = SnapshotMaker(plan.schema, indexes)
    try maker.make(copy, at: file)
    let checks = SideWork()
    maker.startChecks(of: file, on: checks)
    let meta = try copy.meta()
    let object = Result {
      try store(file, .gzip, meta.version, model: meta.model, schema: meta.schema, digest: meta.digest)
    }
    try checks.finish()
    return try object.get()
  }

  /// The next encoding that a listed snapshot lacks, made from its published file; `nil` where it has all.
  func nextEncoding(
    of snapshot: PublishedObject, among objects: [PublishedObject], _ stateFolder: String
  ) throws -> PublishedObject? {
    let version = snapshot.version
    let missing = encodings.filter { encoding in
      !objects.contains { $0.kind == .snapshot(version, encoding) }
    }
    guard let encoding = missing.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
    let (file, stored) = (temporaryFile(in: stateFolder), publication.file(snapshot))
    defer { try? WorkingCopy.remove(file) }
    let raw = try Compression.expand(stored, to: file, .gzip, limit: snapshot.rawLength)
    guard raw == .init(length: snapshot.rawLength, sha256: snapshot.rawSHA256) else {
      throw PublicationError.damaged(file: stored)
    }
    return try store(
      file, encoding, version, model: snapshot.model, schema: snapshot.schema, digest: snapshot.digest)
  }

  private func temporaryFile(in stateFolder: String) -> String {
    "\(stateFolder)/\(plan.series.roleName).snapshot\(DurableFile.temporarySuffix)"
  }

  private func store(
    _ file: String, _ encoding: ContentEncoding, _ version: Version, model: ModelVersion,
    schema: SHA256Digest, digest: SHA256Digest
  ) throws -> PublishedObject {
    let draft = try publication.draft("snapshot-\(version)-\(encoding.rawValue)", of: plan.series)
    let (raw, stored) = try Compression.compress(file, to: draft, encoding)
    let object = PublishedObject(
      series: plan.series, kind: .snapshot(version, encoding), length: stored.length, sha256: stored.sha256,
      model: model, rawLength: raw.length, rawSHA256: raw.sha256, schema: schema, digest: digest,
      publishedAt: now)
    try DurableFile.moveIntoPlace(draft, publication.file(object))
    return object
  }
}
