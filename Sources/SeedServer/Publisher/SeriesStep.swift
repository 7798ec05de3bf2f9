import SeedDatabase
import SeedFormat
import SeedTrust

/// One series in one publish step: what it will be, prepared so that nothing shows until it is signed.
struct SeriesStep {
  let plan: SeriesPlan
  let job: DatasetJob
  let publication: PublicationDirectory
  /// Where working copies lie.
  let stateFolder: String
  let now: UTCTime

  /// What a step made ready.
  enum Prepared {
    case settled(SeriesReport, SeriesMetadata?)
    case change(SeriesChange, SeriesMetadata, SeriesReport)
    case foundation(WorkingCopy, SeriesMetadata, SeriesReport)
  }

  /// Where the series' working copy lies.
  var copyPath: String { "\(stateFolder)/\(plan.series.roleName).sqlite" }

  /// Compares, and builds what is to be published.
  func prepare(_ origin: SQLiteOrigin?, _ published: SeriesMetadata?) throws -> Prepared {
    guard let origin, !job.isRetired(plan.series) else { return settle(.retired, published) }
    guard let published else { return try found(origin, at: .first, epoch: .random(), after: nil) }
    try checkModels(published.state)
    guard published.state.model == plan.newest.version else {
      return try found(origin, at: published.state.head.next, epoch: published.state.epoch, after: published)
    }
    return try prepareChange(origin, published)
  }

  // MARK: A delta

  private func prepareChange(_ origin: SQLiteOrigin, _ published: SeriesMetadata) throws -> Prepared {
    let keeper = CopyKeeper(publication, plan, published, path: copyPath)
    var (copy, repair) = try keeper.open()
    let change: SeriesChange?
    do {
      change = try SeriesChange.find(origin, copy, plan, job.provenance)
    } catch let damage as CopyDamaged {
      repair = "\(damage)"
      copy = try keeper.rebuild()
      change = try SeriesChange.find(origin, copy, plan, job.provenance)
    }
    guard let change else { return settle(.unchanged, published, repair) }
    return try publish(change, after: published, repair)
  }

  private func publish(
    _ change: SeriesChange, after published: SeriesMetadata, _ repair: String?
  ) throws -> Prepared {
    let stored = try Compression.gzip(change.document)
    let measure = Compression.Measure(of: stored)
    let raw = Compression.Measure(of: change.document)
    let object = PublishedObject(
      series: plan.series, kind: .delta(from: change.header.from, to: change.header.to),
      length: measure.length, sha256: measure.sha256, model: change.header.model,
      rawLength: raw.length, rawSHA256: raw.sha256, schema: change.header.schema, digest: change.header.digest
    )
    try publication.write(stored, as: object)
    let state = state(epoch: published.state.epoch, head: change.header.to, floor: published.state.floor)
    var report = SeriesReport(series: plan.series, outcome: .changed, version: change.header.to)
    report.changes = change.changes
    report.deltaBytes = measure.length
    report.repair = repair
    let metadata = SeriesMetadata(series: plan.series, state: state, objects: published.objects + [object])
    return .change(change, metadata, report)
  }

  // MARK: A new history or schema

  private func found(
    _ origin: SQLiteOrigin, at version: Version, epoch: Epoch, after published: SeriesMetadata?
  ) throws -> Prepared {
    let meta = SeedMeta(
      series: plan.series, model: plan.newest.version, epoch: epoch, version: version,
      schema: plan.schema.hash, digest: StateDigest.of([:]), provenance: job.provenance)
    try refuseCopyWithoutPublication(published)
    let copy = try WorkingCopy(building: copyPath + ".new", origin, plan, meta)
    let snapshot = try SnapshotPublication(publication, plan, job).make(copy, stateFolder)
    let state = state(epoch: epoch, head: version, floor: version)
    var report = SeriesReport(series: plan.series, outcome: .founded, version: version)
    report.snapshotBytes = snapshot.first?.length
    // Older snapshots stay listed: clients of an older minor that have not refreshed may be fetching one.
    let kept = Retention(job.retainedSnapshots).kept(published?.objects ?? [], floor: version)
    return .foundation(
      copy, SeriesMetadata(series: plan.series, state: state, objects: kept + snapshot), report)
  }

  /// A copy of a series that is nowhere published means that the publication was lost, or is another one.
  private func refuseCopyWithoutPublication(_ published: SeriesMetadata?) throws {
    guard published == nil, Folder.exists(copyPath) else { return }
    let version = try WorkingCopy(copyPath, plan.schema).meta().version
    throw PublicationError.copyAhead(copy: copyPath, version: "\(version)", head: "nothing")
  }

  // MARK: What stays

  private func settle(
    _ outcome: SeriesReport.Outcome, _ published: SeriesMetadata?, _ repair: String? = nil
  ) -> Prepared {
    var report = SeriesReport(series: plan.series, outcome: outcome, version: published?.state.head)
    report.repair = repair
    guard var changed = published else { return .settled(report, nil) }
    changed.state = state(
      epoch: changed.state.epoch, head: changed.state.head, floor: changed.state.floor,
      publishedAt: changed.state.publishedAt, model: changed.state.model, models: changed.state.models)
    return .settled(report, changed.state == published?.state ? nil : changed)
  }

  /// Clients pin a minor's hash, so a published minor never changes and never goes.
  private func checkModels(_ state: SeriesState) throws(PlanError) {
    for (model, hash) in state.models.sorted(by: { $0.key < $1.key }) {
      guard let now = plan.hashes[model] else { throw .modelGone(plan.series, model) }
      guard now == hash else { throw .schemaChanged(plan.series, model) }
    }
  }

  private func state(
    epoch: Epoch, head: Version, floor: Version, publishedAt: UTCTime? = nil,
    model: ModelVersion? = nil, models: [ModelVersion: SHA256Digest]? = nil
  ) -> SeriesState {
    SeriesState(
      epoch: epoch, head: head, floor: floor, model: model ?? plan.newest.version,
      models: models ?? plan.hashes, lifecycle: job.lifecycle(plan.series), publishedAt: publishedAt ?? now,
      pollSeconds: job.pollSeconds, license: job.provenance.license,
      attribution: job.provenance.attribution, source: job.provenance.source)
  }
}
