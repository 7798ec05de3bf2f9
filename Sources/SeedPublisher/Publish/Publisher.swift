import SeedDatabase
package import SeedFormat
package import SeedPublication
package import SeedSigning
package import SeedSystem
package import SeedTrust

/// Publishes origins: changes under the publication's lock, then snapshots in parallel to further steps.
package struct Publisher: Sendable {
  let publication: PublicationDirectory
  let stateFolder: String
  let keySource: KeySource
  /// The minimum grace period of unnamed files, over all datasets, because a step prunes the files of all of them.
  package var graceSeconds = 0
  /// The longest validity of any dataset's signatures: see ``ClockVerdict``.
  package var longestLifetimeSeconds = 0
  package var history: StepHistory?
  /// Writes facts beside the publication. If `nil`, existing facts stay unchanged.
  package var facts: FactsKeeper?
  /// Called before the compression of a drawn snapshot. Tests use it to change the publication at that moment.
  package var beforeCompression: @Sendable (Series, ContentEncoding) throws -> Void = { _, _ in }

  /// The age at which signatures are renewed without other changes.
  package static let renewalSeconds = 3600

  /// Root and targets keys are optional. They renew their roles, and targets keys delegate to new series.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeySource) {
    (self.publication, self.stateFolder, keySource) = (publication, stateFolder, keys)
  }

  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeyRing) {
    self.init(publication, stateFolder: stateFolder, keys: KeySource(keys))
  }

  /// Publishes the origin's changes and the snapshots that are due.
  package func step(_ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime) throws
    -> StepReport
  {
    try noting(job, options, now) { context, report in
      let published = try ChangeStep.run(context, .fail, &report)
      try SnapshotStep.run(context, after: published, &report)
    }
  }

  /// The first half of a step. Waits while another thread of the caller lists a snapshot.
  package func publishChanges(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    try noting(job, StepOptions(), now) { context, report in _ = try ChangeStep.run(context, .wait, &report) }
  }

  /// The second half of a step, recorded only if it published a snapshot. Other steps may run in parallel.
  package func publishSnapshots(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    try noting(job, StepOptions(), now) { context, report in
      try SnapshotStep.run(context, after: try withPublication(.wait) { $0 }, &report)
    }
  }

  /// Publishes an older version's rows as the next version, with a snapshot, and holds the series there.
  package func rollBack(
    _ series: Series, to version: Version, _ job: DatasetJob, now: UTCTime
  ) throws -> StepReport {
    try step(job, try StepOptions(rollingBack: series, to: version, job), now: now)
  }

  /// Reports the outcome of a step without publishing.
  package func preview(
    _ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime
  ) throws -> StepReport {
    var options = options
    options.isPreview = true
    return try ChangeStep.preview(StepContext(publisher: self, job: job, options: options, now: now))
  }

  /// Removes files that no metadata named during the grace period. A dry run only lists them.
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

  /// Records the steps that `body` reports, even if it fails after publishing something.
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
      // Facts must not fail a step.
      let step = NotedStep(
        end: now.adding(seconds: milliseconds / 1000), isRepeated: isRepeated, reason: reason,
        gained: report.gained)
      facts?.keep(of: job, in: self, step)
    }
    try result.get()
    return report
  }

  /// Records a step that failed before it began, for remote monitors. Needs no key because nothing is signed.
  package func note(failure text: String, _ reason: FailureReason, of dataset: DatasetName, now: UTCTime) {
    let record = StepRecord(refusedBecause: text, of: dataset, at: now)
    history?.record([record])
    facts?.keep(failureOf: dataset, in: self, record, reason)
  }

  /// Whether not to record an error: another publisher records its own step, or the operator mistyped a version.
  package static func isNoStep(_ error: any Error) -> Bool {
    if case PublicationError.locked(_, _, waitedSeconds: 0) = error { return true }
    return error is RecallError || error is RollbackError
  }
}
