import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// Publishes what the origins hold: the changes under the publication's lock, then, beside further steps, snapshots.
package struct Publisher: Sendable {
  let publication: PublicationDirectory
  let stateFolder: String
  let keySource: KeySource
  /// Least seconds for which a file stays after it was last named, in any dataset: a step finds the files of all.
  package var graceSeconds = 0
  /// The longest time for which any dataset's signatures are valid: see ``ClockVerdict``.
  package var longestLifetimeSeconds = 0
  /// Where steps are noted.
  package var history: StepHistory?
  /// Tells of the steps beside the publication; without one, what others told stays.
  package var facts: FactsKeeper?
  /// Called before a snapshot that was drawn is compressed: a seam for tests of a publication that changes meanwhile.
  package var beforeCompression: @Sendable (Series, ContentEncoding) throws -> Void = { _, _ in }

  /// Seconds after which signatures are renewed though nothing changed.
  package static let renewalSeconds = 3600

  /// A publisher. Root and targets keys renew their roles, and targets keys delegate to a new series.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeySource) {
    (self.publication, self.stateFolder, keySource) = (publication, stateFolder, keys)
  }

  /// A publisher whose keys stay as they are.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeyRing) {
    self.init(publication, stateFolder: stateFolder, keys: KeySource(keys))
  }

  /// One step: the changes of the origin, with the snapshots that are due.
  package func step(_ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime) throws
    -> StepReport
  {
    try noting(job, options, now) { context, report in
      let published = try ChangeStep.run(context, .fail, &report)
      try SnapshotStep.run(context, after: published, &report)
    }
  }

  /// The first half of a step; it waits while a caller's other thread lists a snapshot.
  package func publishChanges(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    try noting(job, StepOptions(), now) { context, report in _ = try ChangeStep.run(context, .wait, &report) }
  }

  /// The second half, noted where there is a snapshot; other steps may run meanwhile.
  package func publishSnapshots(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    try noting(job, StepOptions(), now) { context, report in
      try SnapshotStep.run(context, after: try withPublication(.wait) { $0 }, &report)
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
    return try ChangeStep.preview(StepContext(publisher: self, job: job, options: options, now: now))
  }

  /// Removes files that no metadata has named for the grace period; on a dry run they are only found.
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

  func withPublication<Result>(
    _ ifHeld: PublicationLock.IfHeld = .fail, checkingKeys: Bool = true,
    _ body: (PublishedMetadata) throws -> Result
  ) throws -> Result {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    try Folder.create(Folder.parent(of: stateFolder))
    try Folder.create(stateFolder, mode: 0o700)
    return try PublicationLock.withLock(publication, ifHeld) {
      let published = try publication.published()
      if checkingKeys { try checkKeys(published) }
      return try body(published)
    }
  }

  /// Notes the steps that `body` reports, also where it fails behind something that was published.
  private func noting(
    _ job: DatasetJob, _ options: StepOptions, _ now: UTCTime,
    _ body: (StepContext, inout StepReport) throws -> Void
  ) throws -> StepReport {
    let start = ContinuousClock.now
    var report = StepReport()
    let result = Result {
      try body(StepContext(publisher: self, job: job, options: options, now: now), &report)
    }
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    var records = report.series.map {
      StepRecord($0, isRollback: $0.series == options.rollback?.series, at: now, milliseconds: milliseconds)
    }
    var reason: FailureReason?
    if case .failure(let error) = result, !Self.isNoStep(error) {
      records.append(StepRecord(error, of: job.name, at: now, milliseconds: milliseconds))
      reason = FailureReason(error)
    }
    if !records.isEmpty {
      let isRepeated = history?.record(records) ?? false
      // Nothing of it may fail a step.
      let step = NotedStep(
        end: now.adding(seconds: milliseconds / 1000), isRepeated: isRepeated, reason: reason,
        gained: report.gained)
      facts?.keep(of: job, in: self, step)
    }
    try result.get()
    return report
  }

  /// Notes a step that failed before it could begin, for those who watch the publication from elsewhere. Nothing is
  /// signed for it, so it takes no key.
  package func note(failure text: String, _ reason: FailureReason, of dataset: DatasetName, now: UTCTime) {
    let record = StepRecord(refusedBecause: text, of: dataset, at: now)
    history?.record([record])
    facts?.keep(failureOf: dataset, in: self, record, reason)
  }

  /// Another publisher is at the same work and notes it; a version that is not there is a slip of the hand.
  package static func isNoStep(_ error: any Error) -> Bool {
    if case PublicationError.locked(_, _, waitedSeconds: 0) = error { return true }
    return error is RecallError || error is RollbackError
  }
}
