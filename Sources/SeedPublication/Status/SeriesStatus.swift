package import SeedFormat
package import SeedSystem
package import SeedTrust

/// All that is known about a series.
package struct SeriesStatus: Hashable, Sendable {
  package let series: SeedSeries
  package var publishedAt: UTCTime
  package var isRetired = false
  package var isHeld = false
  package var hasSnapshot = true
  /// The number of published files that are missing or have the wrong length.
  package var missingFiles = 0
  /// Whether clients reject it because a required signature has expired.
  package var isExpired = false
  package var gained = 0
  package var isOriginHeldOpen = false
  package var doubts: Set<SeriesDoubt> = []
  /// `nil` if no steps are reported.
  package var steps: Steps?

  package struct Steps: Hashable, Sendable {
    package var newest: StepRecord.Outcome
    package var newestAt: UTCTime
    /// Without a step for this long, one counts as missed.
    package var patienceSeconds: Int
    package var changeSeconds: Int?

    package init(
      _ newest: StepRecord.Outcome, at newestAt: UTCTime, patienceSeconds: Int, changeSeconds: Int? = nil
    ) {
      (self.newest, self.newestAt, self.patienceSeconds) = (newest, newestAt, patienceSeconds)
      self.changeSeconds = changeSeconds
    }
  }

  package init(_ series: SeedSeries, publishedAt: UTCTime) {
    (self.series, self.publishedAt) = (series, publishedAt)
  }

  /// The status by the published metadata alone.
  package init(_ metadata: SeriesMetadata) {
    self.init(metadata.series, publishedAt: metadata.state.publishedAt)
    isRetired = metadata.state.lifecycle.isRetired
    isHeld = metadata.state.hold != nil
  }
}

extension SeriesStatus.Steps {
  /// Returns `nil` if the facts record no step.
  package init?(_ facts: SeriesFacts?) {
    guard let facts, let newest = facts.look.newest, let at = facts.look.newestAt else { return nil }
    self.init(
      newest, at: at, patienceSeconds: StepRhythm.patienceSeconds(facts.checkSeconds, facts.commandSeconds),
      changeSeconds: facts.expectedChangeSeconds)
  }
}

/// The expected frequency of steps, shared by the page, the metrics and their alert, and `seedbank status --check`.
package enum StepRhythm {
  /// The longest pause of `seedbank run`, and the longest delay of its reports.
  static let longestRestSeconds = 90
  static let missedTurns = 5
  /// The schedule of a timer is unknown, so allow a day plus two hours for a slow step.
  static let timerSeconds = 26 * 3600

  /// The expected time between two checks of the origin. Each has a share of the time that a feed's program may take.
  package static func expectedSeconds(_ checkSeconds: Int, _ commandSeconds: Int? = nil) -> Int {
    // The facts are not signed, so limit the numbers.
    let rest = max(min(checkSeconds, UTCTime.secondsPerDay), longestRestSeconds)
    return rest + (min(commandSeconds ?? 0, UTCTime.secondsPerDay) + missedTurns - 1) / missedTurns
  }

  /// The time after which a step counts as missed. Pass `nil` for a timer.
  package static func patienceSeconds(_ checkSeconds: Int?, _ commandSeconds: Int? = nil) -> Int {
    checkSeconds.map { missedTurns * expectedSeconds($0, commandSeconds) } ?? timerSeconds
  }
}
