import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// One publish step of one dataset, under the publication's lock: what its origin holds becomes the next version.
///
/// Snapshots that fall due are no part of it, but for those that a new history or schema begins with: see
/// ``SnapshotStep``.
struct PublishStep {
  private let publisher: Publisher
  private let job: DatasetJob
  private let options: StepOptions
  private let now: UTCTime
  private var update: PublicationUpdate
  private var report = StepReport()

  init(
    publisher: Publisher, job: DatasetJob, options: StepOptions, now: UTCTime, published: PublishedMetadata
  ) throws {
    self.publisher = publisher
    self.job = job
    self.options = options
    self.now = now
    update = try PublicationUpdate(
      publisher, lifetimeSeconds: job.lifetimeSeconds, now: now, after: published,
      isBeginningEpoch: options.isBeginningEpoch, isClockAssured: options.isClockAssured)
  }

  /// All of it: nothing of what was published is touched before what replaces it is complete.
  mutating func run() throws -> (report: StepReport, published: PublishedMetadata) {
    do {
      try update.adoptPending()
      try walk()
    } catch {
      // What is published stays good while its origin is away; the walk's error is the one to hear of.
      try? update.renewIfDue()
      throw error
    }
    try update.renewIfDue()
    report.pruned = try update.prune(job)
    report.warnings += update.warnings
    return (report, update.published)
  }

  private mutating func walk() throws {
    try sweep()
    try update.delegateNewSeries(of: job)
    // Retired series need no origin, and must not lose their signatures with it.
    guard options.rollback == nil, !job.isRetired else { return try prepareAndSettle(nil) }
    let memory = OriginMemory(job, publisher.stateFolder)
    let stamp = try OriginStamp(job.originPath, now: .now())
    // What is to be resumed was passed over when the origin was last looked at.
    let mustRead = options.isResuming || options.isBeginningEpoch
    if try !mustRead && memory.knows(stamp, update.published) { return try prepareAndSettle(nil) }
    let isRestless = try prepareAndSettle(reading: job.originPath)
    try memory.remember(isRestless ? nil : stamp, update.published)
  }

  /// Removes what crashes left.
  private func sweep() throws {
    let series = update.published.delegatedSeries
    try publisher.publication.sweep(series)
    try DurableFile.sweep(publisher.stateFolder)
    for one in series {
      try SnapshotDrafts(publisher.publication, one, publisher.stateFolder).sweep()
    }
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
      try prepareAll(origin, &prepared)
      try update.publish(prepared.compactMap(\.metadata))
    } catch {
      for case .change(let change, _, _) in prepared { change.rollBack() }
      throw error
    }
    try settle(prepared)
  }

  /// Of series that are held back for what they lost all are told.
  private func prepareAll(_ origin: SQLiteOrigin?, _ prepared: inout [SeriesStep.Prepared]) throws {
    var shrunk: [Series: [ShrunkTable]] = [:]
    for plan in options.plans(of: job) {
      do {
        prepared.append(try prepare(plan, origin))
      } catch PublicationError.shrunk(let found) {
        shrunk.merge(found) { $1 }
      }
    }
    guard shrunk.isEmpty else { throw PublicationError.shrunk(shrunk) }
  }

  private func prepare(_ plan: SeriesPlan, _ origin: SQLiteOrigin?) throws -> SeriesStep.Prepared {
    let metadata = update.metadata(plan.series)
    guard let rollback = options.rollback else { return try step(plan).prepare(origin, metadata) }
    return try step(plan).prepareRollback(to: rollback.version, metadata)
  }

  private func step(_ plan: SeriesPlan) -> SeriesStep {
    SeriesStep(
      plan: plan, job: job, publisher: publisher, options: options, now: now,
      date: update.date(after: update.metadata(plan.series)?.state.publishedAt))
  }

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
