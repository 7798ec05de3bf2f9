import SeedDatabase
import SeedFormat
import SeedTrust

/// One publish step of one dataset, and its state.
struct PublishStep {
  let publisher: Publisher
  let job: DatasetJob
  let options: StepOptions
  let now: UTCTime
  var published: PublishedMetadata
  private var report = StepReport()

  /// Seconds by which clocks may differ before it is said.
  private static let clockToleranceSeconds = UTCTime.secondsPerDay

  init(
    publisher: Publisher, job: DatasetJob, options: StepOptions, now: UTCTime, published: PublishedMetadata
  ) {
    self.publisher = publisher
    self.job = job
    self.options = options
    self.now = now
    self.published = published
  }

  /// All of it: nothing of what was published is touched before what replaces it is complete.
  mutating func run() throws -> StepReport {
    do {
      try walk()
    } catch {
      // What is published stays good while its origin is away; the walk's error is the one to hear of.
      try? renewIfDue()
      throw error
    }
    try renewIfDue()
    try prune()
    return report
  }

  private mutating func walk() throws {
    try publisher.publication.sweep(published.delegatedSeries)
    try DurableFile.sweep(publisher.stateFolder)
    try delegateNewSeries()
    guard options.rollback == nil else {
      try prepareAndSettle(nil)
      try publishSnapshots()
      return try publishEncodings()
    }
    // Retired series need no origin, and must not lose their signatures with it.
    guard !job.isRetired else { return try prepareAndSettle(nil) }
    let memory = OriginMemory(job, publisher.stateFolder)
    let stamp = try OriginStamp(job.originPath, now: .now())
    // What is to be resumed was passed over when the origin was last looked at.
    if try !options.isResuming && memory.knows(stamp, published) {
      try prepareAndSettle(nil)
      try publishSnapshots()
    } else {
      let isRestless = try prepareAndSettle(reading: job.originPath)
      try publishSnapshots()
      try memory.remember(isRestless ? nil : stamp, published)
    }
    try publishEncodings()
  }

  /// Reads the origin; returns whether its rows may change though nobody writes.
  private mutating func prepareAndSettle(reading path: String) throws -> Bool {
    let origin = try SQLiteOrigin(path, patienceSeconds: job.originPatienceSeconds)
    let isRestless = try origin.isRestless(job.plans)
    try prepareAndSettle(origin)
    return isRestless
  }

  private mutating func prepareAndSettle(_ origin: SQLiteOrigin?) throws {
    var prepared: [SeriesStep.Prepared] = []
    do {
      for plan in plans { prepared.append(try prepare(plan, origin)) }
      try publish(prepared.compactMap(\.metadata))
    } catch {
      for case .change(let change, _, _) in prepared { change.rollBack() }
      throw error
    }
    try settle(prepared)
  }

  /// The series at work in this step.
  private var plans: [SeriesPlan] {
    guard let rollback = options.rollback else { return job.plans }
    return job.plans.filter { $0.series == rollback.series }
  }

  private func prepare(_ plan: SeriesPlan, _ origin: SQLiteOrigin?) throws -> SeriesStep.Prepared {
    let metadata = published.series[plan.series]?.metadata
    guard let rollback = options.rollback else { return try step(plan).prepare(origin, metadata) }
    return try step(plan).prepareRollback(to: rollback.version, metadata)
  }

  private func step(_ plan: SeriesPlan) -> SeriesStep {
    SeriesStep(
      plan: plan, job: job, publication: publisher.publication, stateFolder: publisher.stateFolder,
      options: options, now: now)
  }

  // MARK: Signing

  private var signer: RepositorySigner { RepositorySigner(now: now, lifetime: job.lifetimeSeconds) }

  private mutating func write(_ step: SigningStep) throws {
    try publisher.publication.write(step.files)
    published = step.published
  }

  private mutating func delegateNewSeries() throws {
    let known = published.delegatedSeries
    let new = job.plans.map(\.series).filter { !known.contains($0) }
    guard let first = new.first else { return }
    guard let targets = publisher.targetsKeys else {
      throw PublicationError.notDelegated(series: "\(first)")
    }
    try write(
      try signer.delegate(
        known + new, to: publisher.keys.series.verifiers, after: published, keys: targets.keys))
  }

  private mutating func publish(_ changed: [SeriesMetadata]) throws {
    guard !changed.isEmpty else { return }
    noteClock()
    try write(try signer.publish(changed, after: published, keys: publisher.keys))
  }

  /// Old signatures are renewed for every series, so that none expires while its origin rests.
  private mutating func renewIfDue() throws {
    let oldest = published.series.values.map(\.expires) + [published.timestamp.expires]
    guard let first = oldest.min() else { return }
    let left = first.secondsSinceEpoch - now.secondsSinceEpoch
    guard left < job.lifetimeSeconds - Publisher.renewalSeconds else { return }
    try publish(published.series.values.map(\.metadata).sorted { $0.series < $1.series })
  }

  private mutating func noteClock() {
    let newest = published.series.values.map(\.metadata.state.publishedAt).max()
    guard let newest, now.adding(seconds: Self.clockToleranceSeconds) < newest else { return }
    let warning = "the clock says \(now), but something was published at \(newest) already: check the clock"
    if !report.warnings.contains(warning) { report.warnings.append(warning) }
  }

  // MARK: Copies and snapshots

  /// From here on the publication is ahead of the copies; whatever fails now, the next step catches up.
  private mutating func settle(_ prepared: [SeriesStep.Prepared]) throws {
    for item in prepared {
      switch item {
      case .settled: break
      case .change(let change, _, _): try change.commit()
      case .foundation(let copy, let metadata, _):
        guard let plan = job.plans.first(where: { $0.series == metadata.series }) else { continue }
        _ = try CopyKeeper.install(copy, as: step(plan).copyPath)
      }
      report.series.append(item.report)
      report.warnings += item.report.warnings
    }
  }

  private mutating func publishSnapshots() throws {
    var changed: [SeriesMetadata] = []
    for plan in plans where !job.isRetired(plan.series) {
      guard let metadata = published.series[plan.series]?.metadata,
        metadata.isSnapshotDue(job, isForced: options.forcingSnapshot, now: now)
      else { continue }
      changed.append(try snapshot(plan, metadata))
    }
    try publish(changed)
  }

  /// Every other encoding of the newest snapshots, each listed when it is ready; what a crash left out comes here too.
  private mutating func publishEncodings() throws {
    for plan in job.plans where !job.isRetired(plan.series) {
      let snapshots = SnapshotPublication(publisher.publication, plan, job, now: now)
      while let metadata = published.series[plan.series]?.metadata, let newest = metadata.newestSnapshot,
        let next = try snapshots.nextEncoding(of: newest, among: metadata.objects, publisher.stateFolder)
      {
        let objects = metadata.objects + [next]
        try publish([SeriesMetadata(series: plan.series, state: metadata.state, objects: objects)])
      }
    }
  }

  /// The series with a snapshot at its head, and one delta that leads over all since the snapshot before.
  private mutating func snapshot(_ plan: SeriesPlan, _ metadata: SeriesMetadata) throws -> SeriesMetadata {
    let (publication, head) = (publisher.publication, metadata.state.head)
    let keeper = CopyKeeper(publication, plan, metadata, path: step(plan).copyPath)
    let made = try SnapshotPublication(publication, plan, job, now: now)
      .make(try keeper.open().copy, publisher.stateFolder)
    let spans = metadata.newestSnapshot.map { [DeltaSpan(from: $0.version, to: head)] } ?? []
    let merged = try DeltaPublication(publication, plan, spillFolder: publisher.stateFolder)
      .merge(spans.filter { $0.from >= metadata.state.floor }, of: metadata.objects)
    if let index = report.series.firstIndex(where: { $0.series == plan.series }) {
      report.series[index].hasSnapshot = true
      report.series[index].snapshotBytes = made.length
      report.series[index].merged += merged.objects.compactMap(\.span)
    }
    report.warnings += merged.warnings
    let outcome = Retention(job).afterSnapshot(
      metadata.objects + [made] + merged.objects, head: head, floor: metadata.state.floor,
      schema: plan.schema.hash, now: now)
    var state = metadata.state
    state.floor = outcome.floor
    return SeriesMetadata(series: plan.series, state: state, objects: outcome.objects)
  }

  private mutating func prune() throws {
    report.pruned = try publisher.publication.prune(
      published, PruningMemory(publisher.stateFolder), Pruning(graceSeconds: job.graceSeconds), now: now,
      isDryRun: false
    ).removed
  }
}

extension SeriesStep.Prepared {
  fileprivate var metadata: SeriesMetadata? {
    switch self {
    case .settled(_, let metadata): metadata
    case .change(_, let metadata, _), .foundation(_, let metadata, _): metadata
    }
  }

  fileprivate var report: SeriesReport {
    switch self {
    case .settled(let report, _), .change(_, _, let report), .foundation(_, _, let report): report
    }
  }
}
