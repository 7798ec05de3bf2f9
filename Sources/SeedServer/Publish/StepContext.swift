import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// One step of the publisher: what it works on, and what it was asked for.
struct StepContext: Sendable {
  let publisher: Publisher
  let job: DatasetJob
  var options = StepOptions()
  let now: UTCTime

  var publication: PublicationDirectory { publisher.publication }
  var stateFolder: String { publisher.stateFolder }

  /// The series at work: all of them, or the one that goes back.
  var plans: [SeriesPlan] {
    guard let rollback = options.rollback else { return job.plans }
    return job.plans.filter { $0.series == rollback.series }
  }

  /// The first half: the changes, under the publication's lock.
  func publishChanges(
    _ ifHeld: PublicationLock.IfHeld, _ report: inout StepReport
  ) throws -> PublishedMetadata {
    // A new epoch delegates to the series key anew.
    try publisher.withPublication(ifHeld, checkingKeys: !options.isBeginningEpoch) { published in
      var step = try ChangeStep(self, after: published)
      let after: PublishedMetadata
      (report, after) = try step.run()
      return after
    }
  }

  /// The second half: the snapshots that are due. Whatever is thrown, the report tells what was published before.
  func publishSnapshots(after published: PublishedMetadata, _ report: inout StepReport) throws {
    var step = SnapshotStep(self, after: published)
    try step.run(&report)
  }

  // MARK: Tools

  /// Where a series' working copy lies.
  func copyPath(_ series: Series) -> String { WorkingCopy.path(of: series, in: stateFolder) }

  func copyKeeper(_ plan: SeriesPlan, _ published: SeriesMetadata) -> CopyKeeper {
    CopyKeeper(
      publication: publication, plan: plan, published: published, path: copyPath(plan.series),
      isPreview: options.isPreview)
  }

  func deltas(_ plan: SeriesPlan) -> DeltaPublication {
    DeltaPublication(publication, plan, spillFolder: stateFolder)
  }

  func snapshots(_ plan: SeriesPlan, isFirst: Bool = false) -> SnapshotMaker {
    SnapshotMaker(
      plan: plan, job: job, publication: publication,
      drafts: SnapshotDrafts(publication, plan.series, stateFolder, isFirst: isFirst), now: now,
      beforeCompression: publisher.beforeCompression)
  }

  func isSnapshotDue(_ metadata: SeriesMetadata) -> Bool {
    metadata.isSnapshotDue(job, isForced: options.forcingSnapshot, now: now)
  }

  /// Removes files that nothing names any more, after their grace; returns the paths of those that went, or would go.
  func prune(_ published: PublishedMetadata) throws -> [String] {
    try publisher.pruning(graceSeconds: max(job.graceSeconds, publisher.graceSeconds))
      .run(published, now: now, isDryRun: options.isPreview).removed
  }
}
