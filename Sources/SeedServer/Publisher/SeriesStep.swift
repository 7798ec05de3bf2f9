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
  /// Whether a series that a rollback holds takes up its origin again.
  var isResuming = false

  /// What a step made ready.
  enum Prepared {
    case settled(SeriesReport, SeriesMetadata?)
    case change(SeriesChange, SeriesMetadata, SeriesReport)
    case foundation(WorkingCopy, SeriesMetadata, SeriesReport)
  }

  /// Where the series' working copy lies.
  var copyPath: String { WorkingCopy.path(of: plan.series, in: stateFolder) }

  /// Compares, and builds what is to be published.
  func prepare(_ origin: SQLiteOrigin?, _ published: SeriesMetadata?) throws -> Prepared {
    guard let origin, !job.isRetired(plan.series) else { return settle(.retired, published) }
    guard let published else { return try found(origin, at: .first, epoch: .random(), after: nil) }
    if let hold = published.state.hold, !isResuming { return settle(.held, published, hold: hold) }
    try plan.check(against: published.state)
    guard published.state.model == plan.newest.version else {
      return try found(origin, at: published.state.head.next, epoch: published.state.epoch, after: published)
    }
    return try prepareChange(origin, published)
  }

  // MARK: A delta

  private func prepareChange(_ origin: SQLiteOrigin, _ published: SeriesMetadata) throws -> Prepared {
    let (change, repair) = try find(origin, plan, published)
    guard let change else { return settle(.unchanged, published, repair) }
    return try publish(change, after: published, repair)
  }

  /// Goes back: what `version` held becomes the next version, and the series is held there.
  func prepareRollback(to version: Version, _ published: SeriesMetadata?) throws -> Prepared {
    guard let published, !job.isRetired(plan.series) else {
      throw RollbackError.notPublished(series: plan.series)
    }
    try plan.check(against: published.state)
    let file = "\(stateFolder)/\(plan.series.roleName).recalled\(DurableFile.temporarySuffix)"
    defer { try? WorkingCopy.remove(file) }
    let model = try SeriesRecall(publication, published).recall(version, to: file).meta().model
    guard model == plan.newest.version, published.state.model == model else {
      throw RollbackError.otherModel(
        series: plan.series, version: version, model: model, newest: plan.newest.version)
    }
    let known = published.state.hold
    let hold = known?.version == version ? known : SeriesHold(version: version, since: now)
    let (change, repair) = try find(try SQLiteOrigin(file), plan.takingTablesAsTheyAre, published)
    guard let change else { return settle(.held, published, repair, hold: hold) }
    return try publish(change, after: published, repair, hold: hold)
  }

  /// What leads from the head to what `source` holds, applied to the copy.
  private func find(
    _ source: SQLiteOrigin, _ plan: SeriesPlan, _ published: SeriesMetadata
  ) throws -> (change: SeriesChange?, repair: String?) {
    let keeper = CopyKeeper(publication, plan, published, path: copyPath)
    let (copy, repair) = try keeper.open()
    do {
      return (try SeriesChange.find(source, copy, plan, job.provenance), repair)
    } catch let damage as CopyDamaged {
      let rebuilt = try keeper.rebuild()
      return (try SeriesChange.find(source, rebuilt, plan, job.provenance), "\(damage)")
    }
  }

  private func publish(
    _ change: SeriesChange, after published: SeriesMetadata, _ repair: String?, hold: SeriesHold? = nil
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
    let state = state(
      epoch: published.state.epoch, head: change.header.to, floor: published.state.floor, hold: hold)
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
    let snapshot = try SnapshotPublication(publication, plan, job.encodings).make(copy, stateFolder)
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
    _ outcome: SeriesReport.Outcome, _ published: SeriesMetadata?, _ repair: String? = nil,
    hold: SeriesHold? = nil
  ) -> Prepared {
    var report = SeriesReport(series: plan.series, outcome: outcome, version: published?.state.head)
    report.repair = repair
    guard var changed = published else { return .settled(report, nil) }
    changed.state = state(
      epoch: changed.state.epoch, head: changed.state.head, floor: changed.state.floor,
      publishedAt: changed.state.publishedAt, model: changed.state.model, models: changed.state.models,
      hold: hold)
    return .settled(report, changed.state == published?.state ? nil : changed)
  }

  private func state(
    epoch: Epoch, head: Version, floor: Version, publishedAt: UTCTime? = nil,
    model: ModelVersion? = nil, models: [ModelVersion: SHA256Digest]? = nil, hold: SeriesHold? = nil
  ) -> SeriesState {
    SeriesState(
      epoch: epoch, head: head, floor: floor, model: model ?? plan.newest.version,
      models: models ?? plan.hashes, lifecycle: job.lifecycle(plan.series), publishedAt: publishedAt ?? now,
      pollSeconds: job.pollSeconds, license: job.provenance.license,
      attribution: job.provenance.attribution, source: job.provenance.source, hold: hold)
  }
}
