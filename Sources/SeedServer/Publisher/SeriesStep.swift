import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// One series in one publish step: what it will be, prepared so that nothing shows until it is signed.
struct SeriesStep {
  let plan: SeriesPlan
  let job: DatasetJob
  let publisher: Publisher
  let options: StepOptions
  let now: UTCTime
  /// When the next version is published, as it will say.
  let date: UTCTime

  /// What a step made ready.
  enum Prepared {
    case settled(SeriesReport, SeriesMetadata?)
    case change(SeriesChange, SeriesMetadata, SeriesReport)
    case foundation(WorkingCopy, SeriesMetadata, SeriesReport)
  }

  /// What is to be done with a series.
  enum Course {
    /// Its lifecycle is over.
    case rest
    /// A rollback holds it.
    case hold(SeriesHold)
    /// No delta leads to what it will be.
    case found(at: Version, epoch: Epoch)
    /// A delta leads on from the head.
    case follow(SeriesMetadata)
  }

  private var publication: PublicationDirectory { publisher.publication }
  private var stateFolder: String { publisher.stateFolder }

  /// Where the series' working copy lies.
  var copyPath: String { WorkingCopy.path(of: plan.series, in: stateFolder) }

  /// Compares, and builds what is to be published; without an origin it is known not to have changed.
  func prepare(_ origin: SQLiteOrigin?, _ published: SeriesMetadata?) throws -> Prepared {
    switch (try course(published), origin) {
    case (.rest, _): return settle(.retired, published, hold: published?.state.hold)
    case (.hold(let hold), _): return settle(.held, published, hold: hold)
    case (_, nil): return settle(.unchanged, published)
    case (.found(let version, let epoch), let origin?):
      return try found(origin, at: version, epoch: epoch, after: published)
    case (.follow(let published), let origin?): return try prepareChange(origin, published)
    }
  }

  /// What is to be done, by what is published.
  func course(_ published: SeriesMetadata?) throws -> Course {
    guard !job.isRetired(plan.series) else { return .rest }
    guard let published, !options.isBeginningEpoch else { return .found(at: .first, epoch: .random()) }
    if let hold = published.state.hold, !options.isResuming { return .hold(hold) }
    try plan.check(against: published.state)
    guard published.state.model == plan.newest.version else {
      return .found(at: published.state.head.next, epoch: published.state.epoch)
    }
    return .follow(published)
  }

  /// What a change is found in, and where it is drafted.
  func source(_ origin: SQLiteOrigin, draftPath: String) -> SeriesChange.Source {
    SeriesChange.Source(
      origin: origin, plan: plan, provenance: job.provenance,
      shrinkGuard: options.acceptingShrink ? nil : job.shrinkGuard, spillFolder: stateFolder,
      draftPath: draftPath)
  }

  // MARK: A delta

  private func prepareChange(_ origin: SQLiteOrigin, _ published: SeriesMetadata) throws -> Prepared {
    let source = source(origin, draftPath: try publication.draft("delta", of: plan.series))
    let (change, repair) = try find(source, published)
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
    // The operator asks for these rows, so no guard stands before them.
    let recalled = SeriesChange.Source(
      origin: try SQLiteOrigin(file), plan: plan.takingTablesAsTheyAre, provenance: job.provenance,
      shrinkGuard: nil, spillFolder: stateFolder,
      draftPath: try publication.draft("delta", of: plan.series))
    let (change, repair) = try find(recalled, published)
    guard let change else { return settle(.held, published, repair, hold: hold) }
    return try publish(change, after: published, repair, hold: hold)
  }

  /// What leads from the head to what the source holds, applied to the copy.
  private func find(
    _ source: SeriesChange.Source, _ published: SeriesMetadata
  ) throws -> (change: SeriesChange?, repair: String?) {
    let keeper = CopyKeeper(publication, plan, published, path: copyPath)
    let (copy, repair) = try keeper.open()
    do {
      return (try SeriesChange.find(source, copy), repair)
    } catch let damage as CopyDamaged {
      return (try SeriesChange.find(source, try keeper.rebuild()), "\(damage)")
    }
  }

  private func publish(
    _ change: SeriesChange, after published: SeriesMetadata, _ repair: String?, hold: SeriesHold? = nil
  ) throws -> Prepared {
    do {
      return try prepare(change, after: published, repair, hold: hold)
    } catch {
      change.rollBack()
      throw error
    }
  }

  private func prepare(
    _ change: SeriesChange, after published: SeriesMetadata, _ repair: String?, hold: SeriesHold?
  ) throws -> Prepared {
    let deltas = DeltaPublication(publication, plan, spillFolder: stateFolder)
    let delta = try deltas.store(change.delta)
    let (head, floor) = (delta.version, published.state.floor)
    var objects = published.objects + [delta]
    let merged = try deltas.merge(DeltaLevels.due(at: head, floor: floor), of: objects)
    objects = Retention(job).afterDelta(objects + merged.objects, floor: floor)
    var report = SeriesReport(series: plan.series, outcome: .changed, version: head)
    report.changes = change.changes
    report.deltaBytes = delta.length
    report.merged = merged.objects.compactMap(\.span)
    report.warnings = merged.warnings
    report.repair = repair
    let state = state(
      epoch: published.state.epoch, head: head, floor: floor,
      publishedAt: date, hold: hold)
    return .change(change, SeriesMetadata(series: plan.series, state: state, objects: objects), report)
  }

  // MARK: A new history or schema

  /// What a new copy will say of itself.
  func foundingMeta(at version: Version, epoch: Epoch) -> SeedMeta {
    SeedMeta(
      series: plan.series, model: plan.newest.version, epoch: epoch, version: version,
      schema: plan.schema.hash, digest: StateDigest.of([:]), provenance: job.provenance)
  }

  private func found(
    _ origin: SQLiteOrigin, at version: Version, epoch: Epoch, after published: SeriesMetadata?
  ) throws -> Prepared {
    try refuseCopyWithoutPublication(published)
    let meta = foundingMeta(at: version, epoch: epoch)
    let copy = try WorkingCopy(building: copyPath + ".new", origin, plan, meta)
    var report = SeriesReport(series: plan.series, outcome: .founded, version: version)
    let shrunk = try shrunk(copy, published)
    guard shrunk.isEmpty else { throw PublicationError.shrunk([plan.series: shrunk]) }
    report.rows = try copy.sums().mapValues(\.rows)
    report.warnings = plan.warnings
    let snapshot = try snapshot(of: copy)
    report.hasSnapshot = true
    report.snapshotBytes = snapshot.length
    let state = state(
      epoch: epoch, head: version, floor: version,
      publishedAt: date)
    // Versions of another history mean other rows.
    let known = options.isBeginningEpoch ? [] : published?.objects ?? []
    let kept = Retention(job).afterFoundation(known, now: now)
    return .foundation(
      copy, SeriesMetadata(series: plan.series, state: state, objects: kept + [snapshot]), report)
  }

  /// The new copy's snapshot; it counts once metadata lists it.
  private func snapshot(of copy: WorkingCopy) throws -> PublishedObject {
    let snapshots = SnapshotPublication(publisher, plan, job, now: now, isFounding: true)
    let draft = try snapshots.finish(try snapshots.draw(copy))
    try snapshots.place(draft)
    return draft.object
  }

  /// The tables of a new copy that shrank too far against those of the one before.
  func shrunk(_ copy: WorkingCopy, _ published: SeriesMetadata?) throws -> [ShrunkTable] {
    guard published != nil, !options.acceptingShrink, Folder.exists(copyPath),
      let before = try? WorkingCopy(copyPath, plan.schema).sums()
    else { return [] }
    return job.shrinkGuard.shrunk(before: before, after: try copy.sums())
  }

  /// A copy of a series that is nowhere published means that the publication was lost, or is another one.
  func refuseCopyWithoutPublication(_ published: SeriesMetadata?) throws {
    guard published == nil, !options.isBeginningEpoch, Folder.exists(copyPath) else { return }
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
    epoch: Epoch, head: Version, floor: Version, publishedAt: UTCTime,
    model: ModelVersion? = nil, models: [ModelVersion: SHA256Digest]? = nil, hold: SeriesHold? = nil
  ) -> SeriesState {
    SeriesState(
      epoch: epoch, head: head, floor: floor, model: model ?? plan.newest.version,
      models: models ?? plan.hashes, lifecycle: job.lifecycle(plan.series), publishedAt: publishedAt,
      pollSeconds: job.pollSeconds, license: job.provenance.license,
      attribution: job.provenance.attribution, source: job.provenance.source, hold: hold)
  }
}
