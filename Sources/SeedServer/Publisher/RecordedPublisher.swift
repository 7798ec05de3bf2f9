import SeedDatabase
package import SeedFormat
package import SeedSystem
package import SeedTrust

/// A publisher whose every step is noted in the history.
package struct RecordedPublisher: Sendable {
  private let publisher: Publisher
  private let history: BuildHistory
  /// Is told of every step that is noted.
  package var observe: @Sendable (Build) -> Void = { _ in }

  package init(_ publisher: Publisher, _ history: BuildHistory) {
    self.publisher = publisher
    self.history = history
  }

  /// As `Publisher.pendingChange`.
  package func pendingChange() throws -> OfflineChange { try publisher.pendingChange() }

  private func note(_ builds: [Build]) {
    guard !builds.isEmpty else { return }
    history.record(builds)
    builds.forEach(observe)
  }

  /// As `Publisher.step`.
  package func step(_ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime) throws
    -> StepReport
  {
    try record(job.name, now, rolledBack: nil) { report in
      try publisher.run(job, options, now: now, &report)
    }
  }

  /// The first half of a step, for one who publishes the snapshots at the same time: so it waits while they are
  /// listed.
  package func publishChanges(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    try record(job.name, now, rolledBack: nil) { report in
      _ = try publisher.publishChanges(job, StepOptions(), now: now, &report, .waiting)
    }
  }

  /// The second half, noted where there is a snapshot; other steps may run meanwhile.
  package func publishSnapshots(_ job: DatasetJob, now: UTCTime) throws -> StepReport {
    try record(job.name, now, rolledBack: nil) { report in
      try publisher.publishSnapshots(job, now: now, &report)
    }
  }

  /// As `Publisher.preview`, which publishes nothing and so is not noted.
  package func preview(
    _ job: DatasetJob, _ options: StepOptions = StepOptions(), now: UTCTime
  ) throws -> StepReport {
    try publisher.preview(job, options, now: now)
  }

  /// As `Publisher.rollBack`.
  package func rollBack(
    _ series: Series, to version: Version, _ job: DatasetJob, now: UTCTime
  ) throws -> StepReport {
    let options = try StepOptions(rollingBack: series, to: version, job)
    return try record(job.name, now, rolledBack: series) { report in
      try publisher.run(job, options, now: now, &report)
    }
  }

  /// After a disaster: makes a publication that is lost anew, and begins a new history for every series of all
  /// datasets, so that their clients fetch a snapshot. Tells what each dataset's step did.
  package func beginEpoch(
    _ jobs: [DatasetJob], root: [UInt8], now: UTCTime, _ tell: (DatasetJob, StepReport) throws -> Void
  ) throws {
    try publisher.beginAnew(jobs, root: root, now: now)
    for job in jobs {
      let report = try record(job.name, now, rolledBack: nil) { report in
        try publisher.run(job, .beginningEpoch, now: now, &report)
      }
      try tell(job, report)
    }
  }

  /// As `Publisher.prune`, which publishes nothing and so is not noted.
  package func prune(
    graceSeconds: Int, now: UTCTime, isDryRun: Bool
  ) throws -> (removed: [String], waiting: [String: UTCTime]) {
    try publisher.prune(graceSeconds: graceSeconds, now: now, isDryRun: isDryRun)
  }

  /// Notes what `body` reports, also where it fails behind something that was published.
  private func record(
    _ dataset: DatasetName, _ now: UTCTime, rolledBack: Series?, _ body: (inout StepReport) throws -> Void
  ) throws -> StepReport {
    let start = ContinuousClock.now
    var report = StepReport()
    func noteReport() -> Int {
      let time = Int((ContinuousClock.now - start) / .milliseconds(1))
      note(report.series.map { Build($0, rolledBack, at: now, milliseconds: time) })
      return time
    }
    do {
      try body(&report)
    } catch {
      let time = noteReport()
      if !Self.isNoStep(error) { note([Build(error, of: dataset, at: now, milliseconds: time)]) }
      throw error
    }
    _ = noteReport()
    return report
  }

  /// Another publisher is at the same work and notes it; a version that is not there is a slip of the hand.
  private static func isNoStep(_ error: any Error) -> Bool {
    if case PublicationError.locked = error { return true }
    return error is RecallError || error is RollbackError
  }
}
