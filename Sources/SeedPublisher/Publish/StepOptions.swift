import SeedFormat

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
  /// After a disaster: every series starts a new history from its origin.
  private(set) var isBeginningEpoch = false
  /// The series to roll back and its target. The step skips all others.
  private(set) var rollback: (series: Series, version: Version)?

  package init(
    forcingSnapshot: Bool = false, acceptingShrink: Bool = false, isResuming: Bool = false,
    isClockAssured: Bool = false
  ) {
    (self.forcingSnapshot, self.acceptingShrink) = (forcingSnapshot, acceptingShrink)
    (self.isResuming, self.isClockAssured) = (isResuming, isClockAssured)
  }

  init(rollingBack series: Series, to version: Version, _ job: DatasetJob) throws(RollbackError) {
    guard job.plans.contains(where: { $0.series == series }) else { throw .notPublished(series: series) }
    forcingSnapshot = true
    rollback = (series, version)
  }

  static var beginningEpoch: StepOptions {
    var options = StepOptions(acceptingShrink: true)
    options.isBeginningEpoch = true
    return options
  }
}
