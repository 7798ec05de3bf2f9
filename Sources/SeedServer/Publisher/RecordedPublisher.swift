import SeedDatabase
package import SeedFormat
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

  private func note(_ builds: [Build]) {
    history.record(builds)
    builds.forEach(observe)
  }

  /// As `Publisher.step`.
  package func step(
    _ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false, acceptingShrink: Bool = false,
    isResuming: Bool = false
  ) throws -> StepReport {
    try record(job.name, now, rolledBack: nil) {
      try publisher.step(
        job, now: now, forcingSnapshot: forcingSnapshot, acceptingShrink: acceptingShrink,
        isResuming: isResuming)
    }
  }

  /// As `Publisher.preview`, which publishes nothing and so is not noted.
  package func preview(
    _ job: DatasetJob, now: UTCTime, forcingSnapshot: Bool = false, acceptingShrink: Bool = false,
    isResuming: Bool = false
  ) throws -> StepReport {
    try publisher.preview(
      job, now: now, forcingSnapshot: forcingSnapshot, acceptingShrink: acceptingShrink,
      isResuming: isResuming)
  }

  /// As `Publisher.rollBack`.
  package func rollBack(
    _ series: Series, to version: Version, _ job: DatasetJob, now: UTCTime
  ) throws -> StepReport {
    try record(job.name, now, rolledBack: series) {
      try publisher.rollBack(series, to: version, job, now: now)
    }
  }

  /// As `Publisher.prune`, which publishes nothing and so is not noted.
  package func prune(
    graceSeconds: Int, now: UTCTime, isDryRun: Bool
  ) throws -> (removed: [String], waiting: [String: UTCTime]) {
    try publisher.prune(graceSeconds: graceSeconds, now: now, isDryRun: isDryRun)
  }

  private func record(
    _ dataset: DatasetName, _ now: UTCTime, rolledBack: Series?, _ body: () throws -> StepReport
  ) throws -> StepReport {
    let start = ContinuousClock.now
    func milliseconds() -> Int { Int((ContinuousClock.now - start) / .milliseconds(1)) }
    do {
      let report = try body()
      let time = milliseconds()
      note(report.series.map { Build($0, rolledBack, at: now, milliseconds: time) })
      return report
    } catch  where Self.isNoStep(error) {
      throw error
    } catch {
      note([Build(error, of: dataset, at: now, milliseconds: milliseconds())])
      throw error
    }
  }

  /// Another publisher is at the same work and notes it; a version that is not there is a slip of the hand.
  private static func isNoStep(_ error: any Error) -> Bool {
    if case PublicationError.locked = error { return true }
    return error is RecallError || error is RollbackError
  }
}
