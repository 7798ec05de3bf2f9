import SeedDatabase
package import SeedFormat
package import SeedPublication
package import SeedSystem
package import SeedTrust

/// Publishes datasets in steps. Each step publishes changes under the publication's lock, and then snapshots.
package struct Publisher: Sendable {
  /// One half of a step. Other steps may run during the second half.
  package enum Half: Sendable { case changes, snapshots }

  let publication: PublicationDirectory
  let stateFolder: String
  let keySource: KeySource
  /// The minimum grace period for files that no metadata names. Covers all datasets, because a step also removes due
  /// files of other datasets.
  package var graceSeconds = 0
  /// The validity of each dataset's signatures, in seconds. Covers all datasets, because a step also renews signatures
  /// of other datasets. A dataset without an entry gets the validity of the step's job.
  package var lifetimes: [DatasetName: Int] = [:]
  /// The path of the root.json that apps ship.
  package var shippedRoot: String?
  package var history: StepHistory?
  /// Writes facts beside the publication. If `nil`, existing facts stay unchanged.
  package var facts: FactsKeeper?
  private let snapshotFailures = SnapshotFailures()
  /// Called before the compression of a drawn snapshot. Tests use it to change the publication at that moment.
  package var beforeCompression: @Sendable (SeedSeries, ContentEncoding) throws -> Void = { _, _ in }

  /// Called with a message for the operator before each part of a step that may take minutes.
  package var progress: @Sendable (String) -> Void = { _ in }

  /// The age at which signatures are renewed even without other changes.
  package static let renewalSeconds = 3600

  /// Root and targets keys are optional. A publisher that has them also renews these roles and delegates to new series.
  package init(_ publication: PublicationDirectory, stateFolder: String, keys: KeySource) {
    (self.publication, self.stateFolder, keySource) = (publication, stateFolder, keys)
  }

  /// Publishes the origin's changes and the snapshots that are due, or only one `half`. Records the outcome. After an
  /// error, `report` lists the versions that were published before it.
  package func step(
    _ job: DatasetJob, _ options: StepOptions = StepOptions(), half: Half? = nil, now: UTCTime,
    _ report: inout StepReport
  ) throws {
    let context = StepContext(publisher: self, job: job, options: options, now: now)
    let result = Result {
      let published = try half == .snapshots ? withPublication { $0 } : ChangeStep.run(context, &report)
      if half != .changes { try CompressionStep.run(context, after: published, &report) }
    }
    let duration = ContinuousClock.now - context.start
    record(report, result, context, half, milliseconds: Int(duration / .milliseconds(1)))
    try result.get()
  }

  /// Records a step, even if it failed after publishing something. Errors in history or facts do not fail the step.
  func record(
    _ report: StepReport, _ result: Result<Void, any Error>, _ context: StepContext, _ half: Half? = nil,
    milliseconds: Int
  ) {
    let (job, now) = (context.job, context.now)
    let end = now.adding(seconds: milliseconds / 1000)
    var records = report.series.map {
      StepRecord(
        $0, isRollback: $0.series == context.options.rollback?.series, at: now, milliseconds: milliseconds)
    }
    if case .failure(let error) = result, !Self.isNoStep(error) {
      records.append(StepRecord(error, of: job.name, at: now, milliseconds: milliseconds))
    }
    for index in records.indices { records[index].last = end }
    snapshotFailures.record(records, of: job.name, after: half) { records in
      guard !records.isEmpty else { return }
      let isRepeated = history?.record(records) ?? false
      facts?.keep(of: job, in: self, gained: report.gained, isRepeated: isRepeated, at: end)
    }
  }

  /// Reports the outcome of a step without publishing.
  package func preview(
    _ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime
  ) throws -> StepReport {
    var (options, report) = (options, StepReport())
    options.isPreview = true
    let context = StepContext(publisher: self, job: job, options: options, now: now)
    _ = try ChangeStep.run(context, &report)
    return report
  }

  func withPublication<Result>(
    _ patience: LockFile.Patience = .short, checkingKeys: Bool = true,
    _ body: (PublishedMetadata) throws -> Result
  ) throws -> Result {
    guard publication.exists else { throw PublicationError.missing(path: publication.path) }
    try Folder.createPrivate(stateFolder)
    return try publication.lock.hold(patience) {
      try publication.checkRoots(shipped: shippedRoot)
      let published = try publication.verified().metadata
      if checkingKeys { try checkKeys(published) }
      return try body(published)
    }
  }

  /// Records, for remote monitors, a step that failed before it began. Needs no key, because nothing is signed.
  package func note(
    failure text: String, _ reason: StepRecord.Reason, of dataset: DatasetName, now: UTCTime
  ) {
    var record = StepRecord(.refused, of: dataset, at: now)
    (record.error, record.reason) = (text, reason)
    history?.record([record])
    facts?.keep(failure: record, in: self)
  }

  /// Whether the error only means that the operator mistyped a version. Such errors are not recorded.
  package static func isNoStep(_ error: any Error) -> Bool { error is RecallError }
}

/// Each dataset's failure of a snapshots half, until one succeeds. A changes half repeats it, because its good records
/// would otherwise hide it.
private final class SnapshotFailures: Sendable {
  private final class Known: Sendable {
    /// `times` counts the failures that no record includes yet.
    let failure = Mutex<StepRecord?>(nil)
  }

  private let datasets = Mutex<[DatasetName: Known]>([:])

  /// Writes under the dataset's lock, because the other half may end meanwhile. Other datasets do not wait.
  func record(
    _ records: [StepRecord], of dataset: DatasetName, after half: Publisher.Half?,
    write: ([StepRecord]) -> Void
  ) {
    known(dataset).failure.withLock { known in
      let failure = records.last.flatMap { $0.outcome.isFailure ? $0 : nil }
      write(Self.next(&known, records, failure, half))
    }
  }

  private func known(_ dataset: DatasetName) -> Known {
    datasets.withLock { datasets in
      let known = datasets[dataset] ?? Known()
      datasets[dataset] = known
      return known
    }
  }

  private static func next(
    _ known: inout StepRecord?, _ records: [StepRecord], _ failure: StepRecord?, _ half: Publisher.Half?
  ) -> [StepRecord] {
    switch (half, failure) {
    case (.changes?, nil):
      guard let first = records.first, var again = known else { return records }
      (again.at, again.last) = (first.at, first.last)
      known?.times = 0
      return records + [again]
    case (.snapshots?, let new?):
      let repeated = records.count == 1 && known?.error?.failureKey == new.error?.failureKey ? known : nil
      known = new
      known?.times = repeated.map { $0.times + 1 } ?? 0
      // The next changes half repeats it. A record between two changes halves would keep their rows from merging.
      return repeated == nil ? records : []
    case (_, nil):
      known = nil
      return records
    case (_, _?): return records
    }
  }
}
