import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

struct StepContext: Sendable {
  let publisher: Publisher
  let job: DatasetJob
  var options = StepOptions()
  let now: UTCTime

  var publication: PublicationDirectory { publisher.publication }
  var stateFolder: String { publisher.stateFolder }

  /// Retired series and rollbacks need no origin.
  func prepareOrigin() throws {
    if options.rollback == nil, !job.isRetired { try job.origin.prepare() }
  }

  var plans: [SeriesPlan] {
    guard let rollback = options.rollback else { return job.plans }
    return job.plans.filter { $0.series == rollback.series }
  }

  func copyPath(_ series: Series) -> String { WorkingCopy.path(of: series, in: stateFolder) }

  func copyKeeper(_ plan: SeriesPlan, _ published: SeriesMetadata) -> CopyKeeper {
    CopyKeeper(
      publication: publication, plan: plan, published: published, path: copyPath(plan.series),
      isPreview: options.isPreview)
  }

  func deltas(_ plan: SeriesPlan) -> DeltaPublication {
    DeltaPublication(publication: publication, plan: plan, spillFolder: stateFolder)
  }

  func snapshots(_ plan: SeriesPlan, isFirst: Bool = false) -> SnapshotMaker {
    SnapshotMaker(
      plan: plan, job: job, publication: publication,
      drafts: SnapshotDrafts(
        publication: publication, series: plan.series, stateFolder: stateFolder, isFirst: isFirst),
      now: now, beforeCompression: publisher.beforeCompression)
  }

  func isSnapshotDue(_ metadata: SeriesMetadata) -> Bool {
    guard metadata.lacksSnapshot else { return false }
    if options.forcingSnapshot || metadata.newestSnapshot == nil { return true }
    return job.snapshotSchedule.isDue(past(metadata), now: now)
  }

  func past(_ metadata: SeriesMetadata) -> SnapshotPast {
    guard case .calendar = job.snapshotSchedule.rule else { return metadata.snapshotPast(seen: nil) }
    return metadata.snapshotPast(seen: CalendarMark(metadata.series, in: stateFolder).time)
  }

  func prune(_ published: PublishedMetadata) throws -> [String] {
    try publisher.pruning(graceSeconds: max(job.graceSeconds, publisher.graceSeconds))
      .run(published, now: now, isDryRun: options.isPreview).removed
  }
}
