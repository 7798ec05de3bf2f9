import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// Publishes what the origins hold, one step at a time per publication: the changes under the publication's lock, then
/// the snapshots that are due, beside further steps.
package struct Publisher: Sendable {
  let publication: PublicationDirectory
  let stateFolder: String
  let keySource: KeySource
  /// Seconds for which a file stays at the least after it was last named. A step of one dataset comes upon the files of
  /// all, so this is the longest time that any of them asks for.
  package var graceSeconds = 0
  /// The longest time for which any dataset's signatures are valid: see ``ClockWitness``.
  package var longestLifetimeSeconds = 0
  /// Where steps are noted.
  package var history: StepHistory?
  /// Called with every step that is noted.
  package var observe: @Sendable (StepRecord) -> Void = { _ in }
  /// Called before a snapshot that was drawn is compressed: a seam for tests of a publication that changes meanwhile.
  package var beforeCompression: @Sendable (Series, ContentEncoding) throws -> Void = { _, _ in }

  /// Seconds after which signatures are renewed though nothing changed.
  package static let renewalSeconds = 3600

  /// A publisher. The root and targets keys are needed where these roles are renewed, and the targets keys where a new
  /// series must be delegated to.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeySource) {
    self.publication = publication
    self.stateFolder = stateFolder
    keySource = keys
  }

  /// A publisher whose keys stay as they are.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeyRing) {
    self.init(publication, stateFolder: stateFolder, keys: KeySource(keys))
  }

  // MARK: Steps

  /// One step: the changes of the origin, with the snapshots that are due.
  package func step(_ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime) throws
    -> StepReport
  {
    let context = StepContext(publisher: self, job: job, options: options, now: now)
    return try noting(context) { report in
      let published = try context.publishChanges(.fail, &report)
      try context.publishSnapshots(after: published, &report)
    }
  }

  /// The first half of a step, for a caller that publishes the snapshots at the same time: so it waits while they are
  /// listed.
  package func publishChanges(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    let context = StepContext(publisher: self, job: job, now: now)
    return try noting(context) { report in _ = try context.publishChanges(.wait, &report) }
  }

  /// The second half, noted where there is a snapshot; other steps may run meanwhile.
  package func publishSnapshots(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    let context = StepContext(publisher: self, job: job, now: now)
    return try noting(context) { report in
      try context.publishSnapshots(after: try withPublication(.wait) { $0 }, &report)
    }
  }

  /// Publishes what a series held at an older version as its next version, with a snapshot, and holds it there.
  package func rollBack(
    _ series: Series, to version: Version, _ job: DatasetJob, now: UTCTime
  ) throws -> StepReport {
    try step(job, try StepOptions(rollingBack: series, to: version, job), now: now)
  }

  /// What a step would do now. Nothing is written that stays.
  package func preview(
    _ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime
  ) throws -> StepReport {
    var options = options
    options.isPreview = true
    let context = StepContext(publisher: self, job: job, options: options, now: now)
    return try withPublication { published in
      var step = try ChangeStep(context, after: published)
      return try step.preview()
    }
  }

  /// Removes files that no metadata has named for the grace period, without publishing anything; on a dry run they are
  /// only found.
  package func prune(
    graceSeconds: Int, now: UTCTime, isDryRun: Bool
  ) throws -> (removed: [String], waiting: [String: UTCTime]) {
    try withPublication { published in
      try pruning(graceSeconds: graceSeconds).run(published, now: now, isDryRun: isDryRun)
    }
  }

  func pruning(graceSeconds: Int) -> Pruning {
    Pruning(publication: publication, stateFolder: stateFolder, graceSeconds: graceSeconds)
  }

  // MARK: The lock

  /// Runs `body` under the lock, with the metadata that is published now.
  func withPublication<Result>(
    _ ifHeld: PublicationLock.IfHeld = .fail, checkingKeys: Bool = true,
    _ body: (PublishedMetadata) throws -> Result
  ) throws -> Result {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    try Folder.create(stateFolder)
    return try PublicationLock.withLock(publication, ifHeld) {
      let published = try publication.published()
      if checkingKeys { try checkKeys(published) }
      return try body(published)
    }
  }

  // MARK: The history

  /// Notes the steps that `body` reports, also where it fails behind something that was published.
  private func noting(
    _ context: StepContext, _ body: (inout StepReport) throws -> Void
  ) throws -> StepReport {
    let start = ContinuousClock.now
    var report = StepReport()
    let result = Result { try body(&report) }
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    let (now, rolledBack) = (context.now, context.options.rollback?.series)
    var records = report.series.map {
      StepRecord($0, isRollback: $0.series == rolledBack, at: now, milliseconds: milliseconds)
    }
    if case .failure(let error) = result, !Self.isNoStep(error) {
      records.append(StepRecord(error, of: context.job.name, at: now, milliseconds: milliseconds))
    }
    if !records.isEmpty { history?.record(records) }
    records.forEach(observe)
    try result.get()
    return report
  }

  /// Another publisher is at the same work and notes it; a version that is not there is a slip of the hand.
  private static func isNoStep(_ error: any Error) -> Bool {
    if case PublicationError.locked = error { return true }
    return error is RecallError || error is RollbackError
  }
}
