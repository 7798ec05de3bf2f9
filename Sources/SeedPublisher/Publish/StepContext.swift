import SeedDatabase
package import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust

struct StepContext: Sendable {
  let publisher: Publisher
  let job: DatasetJob
  var options = StepOptions()
  let now: UTCTime
  var start = ContinuousClock.now

  var publication: PublicationDirectory { publisher.publication }
  var stateFolder: String { publisher.stateFolder }

  var plans: [SeriesPlan] {
    guard let rollback = options.rollback else { return job.plans }
    return job.plans.filter { $0.series == rollback.series }
  }

  func copyPath(_ series: SeedSeries) -> String { WorkingCopy.path(of: series, in: stateFolder) }

  func maker(_ plan: SeriesPlan, isFirst: Bool = false) -> ObjectMaker {
    ObjectMaker(
      plan: plan, job: job,
      drafts: DraftFiles(
        publication: publication, series: plan.series, stateFolder: stateFolder, isFirst: isFirst),
      now: now, progress: publisher.progress, beforeCompression: publisher.beforeCompression)
  }

  func isSnapshotDue(_ metadata: SeriesMetadata) -> Bool {
    guard metadata.lacksSnapshot else { return false }
    let newest = metadata.newestSnapshot
    if options.forcingSnapshot || newest?.schema != metadata.state.schema { return true }
    // If the clock was set back, do not wait until it reaches the newest snapshot's date.
    return newest?.publishedAt.map { !now.isWithin(job.snapshotSeconds, of: $0) } ?? true
  }

  /// Missing or damaged snapshots. Searches only if a snapshot was requested, because it reads whole files.
  func lostSnapshots(_ metadata: SeriesMetadata) throws -> [PublishedObject] {
    guard options.forcingSnapshot else { return [] }
    return try metadata.objects.filter { try $0.span == nil && !publication.isIntact($0) }
  }

  func prune(_ published: PublishedMetadata, _ report: inout StepReport) throws {
    let graceSeconds = max(job.graceSeconds, publisher.graceSeconds)
    // The grace period of replaced files begins now, not at the step's start, so that a long step does not shorten it.
    let pruned = try Pruning(publication: publication, stateFolder: stateFolder, graceSeconds: graceSeconds)
      .run(published, of: job.name, now: now.passed(since: start), isDryRun: options.isPreview)
    report.pruned += pruned.removed
    report.warnings += pruned.warnings.filter { !report.warnings.contains($0) }
  }
}

extension SeriesMetadata {
  func without(_ lost: [PublishedObject]) -> SeriesMetadata {
    SeriesMetadata(series: series, state: state, objects: objects.filter { !lost.contains($0) })
  }
}

/// An operator's requests for a step.
package struct StepOptions: Sendable {
  /// Makes a snapshot of the newest version regardless of the schedule.
  package var forcingSnapshot = false
  /// Allows the loss of any number of rows and values.
  package var acceptingShrink = false
  /// Series held by a rollback follow their origin again.
  package var isResuming = false
  /// The operator confirms the clock, although signatures were made under a later one.
  package var isClockAssured = false
  var isPreview = false
  /// Whether every series starts a new history from its origin, as after a disaster.
  private(set) var isBeginningEpoch = false
  /// Series that clients may know although the publication does not name them.
  private(set) var lostSeries: Set<SeedSeries> = []
  private(set) var rollback: (series: SeedSeries, version: SeedVersion)?

  package init(
    forcingSnapshot: Bool = false, acceptingShrink: Bool = false, isResuming: Bool = false,
    isClockAssured: Bool = false
  ) {
    (self.forcingSnapshot, self.acceptingShrink) = (forcingSnapshot, acceptingShrink)
    (self.isResuming, self.isClockAssured) = (isResuming, isClockAssured)
  }

  /// Publishes an older version's rows as the next version, with a snapshot, and holds the series at that version.
  package init(rollingBack series: SeedSeries, to version: SeedVersion, _ job: DatasetJob) throws(RecallError)
  {
    guard job.plans.contains(where: { $0.series == series }) else { throw .notPublished(series) }
    forcingSnapshot = true
    rollback = (series, version)
  }

  static func beginningEpoch(after lostSeries: Set<SeedSeries>) -> StepOptions {
    var options = StepOptions(acceptingShrink: true)
    (options.isBeginningEpoch, options.lostSeries) = (true, lostSeries)
    return options
  }
}
