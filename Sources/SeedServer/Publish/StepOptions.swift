import SeedFormat

/// An operator's wishes for a step beyond the schedule.
package struct StepOptions: Sendable {
  /// A snapshot of the newest version, whatever the schedule says.
  package var forcingSnapshot = false
  /// Tables may lose as many rows, and columns as many values, as they did.
  package var acceptingShrink = false
  /// Series that a rollback holds take up their origin again.
  package var isResuming = false
  /// An operator vouches for the clock, though signatures were made under a later one.
  package var isClockAssured = false
  var isPreview = false
  /// After a disaster: every series begins a new history with what its origin holds now.
  private(set) var isBeginningEpoch = false
  /// The one series that goes back, and where to; the others rest meanwhile.
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
