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
  /// Whether clients reject the series because a required signature has expired.
  package var isExpired = false
  package var gained = 0
  package var isOriginHeldOpen = false
  package var doubts: Set<SeriesDoubt> = []
  /// `nil` if no steps are reported.
  package var steps: Steps?

  package struct Steps: Hashable, Sendable {
    package var newest: StepRecord.Outcome
    package var newestAt: UTCTime
    /// A step counts as missed after this time.
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

  /// Makes a status from the published metadata alone.
  package init(_ metadata: SeriesMetadata) {
    self.init(metadata.series, publishedAt: metadata.state.publishedAt)
    isRetired = metadata.state.lifecycle.isRetired
    isHeld = metadata.state.hold != nil
  }

  /// The tolerated difference between the clocks of two machines.
  package static let clockToleranceSeconds = 300

  /// Returns the problems, worst first; empty if the series is current.
  package func problems(at now: UTCTime) -> [SeriesProblem] {
    SeriesProblem.allCases.filter { isTrue($0, now) }
  }

  private func isTrue(_ problem: SeriesProblem, _ now: UTCTime) -> Bool {
    switch problem {
    case .expired: isExpired
    case .noSnapshot: !hasSnapshot
    case .filesMissing: missingFiles > 0
    case .stepFailed: !isRetired && steps?.newest.isFailure == true
    case .clocksDiffer: isAhead(of: now)
    case .noStep: !isRetired && steps.map { now.isLater(than: $0.newestAt, by: $0.patienceSeconds) } == true
    case .old: !isRetired && steps?.changeSeconds.map { now.isLater(than: publishedAt, by: $0) } == true
    case .held: isHeld && !isRetired
    case .gained: !isRetired && gained > 0
    case .originHeldOpen: !isRetired && isOriginHeldOpen
    case .modelGone: !isRetired && doubts.contains(.noModel)
    case .copyUnreadable: !isRetired && doubts.contains(.copy)
    case .logDoubted: !isRetired && doubts.contains(.log)
    case .notReported: !isRetired && steps == nil
    }
  }

  private func isAhead(of now: UTCTime) -> Bool {
    [publishedAt, steps?.newestAt].compactMap(\.self).contains {
      $0.isLater(than: now, by: Self.clockToleranceSeconds)
    }
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

/// The expected frequency of steps. The page, the metrics, their alert and `seedbank status --check` share it.
package enum StepRhythm {
  /// The longest pause of `seedbank run` and the longest delay of its reports, unless `checkSeconds` is longer.
  static let longestRestSeconds = 90
  static let missedTurns = 5
  /// The schedule of a timer is unknown, so allow a day plus two hours for a slow step.
  static let timerSeconds = 26 * 3600

  /// Returns the expected time between two checks of the origin. It grows with the time limit of a feed's program.
  package static func expectedSeconds(_ checkSeconds: Int, _ commandSeconds: Int? = nil) -> Int {
    // The facts are not signed, so limit the numbers.
    let rest = max(min(checkSeconds, UTCTime.secondsPerDay), longestRestSeconds)
    return rest + (min(commandSeconds ?? 0, UTCTime.secondsPerDay) + missedTurns - 1) / missedTurns
  }

  /// Returns the time after which a step counts as missed. Pass `nil` for a timer.
  package static func patienceSeconds(_ checkSeconds: Int?, _ commandSeconds: Int? = nil) -> Int {
    checkSeconds.map { missedTurns * expectedSeconds($0, commandSeconds) } ?? timerSeconds
  }
}

/// A problem of a series, or a lack of information about it. The cases are in order, worst first.
package enum SeriesProblem: Int, Hashable, Sendable, CaseIterable {
  /// Clients reject the series.
  case expired
  /// New clients get no data.
  case noSnapshot
  case filesMissing
  case stepFailed
  /// A date is ahead of this clock, so the age of the data is unknown.
  case clocksDiffer
  /// The last step is longer ago than expected.
  case noStep
  /// The newest version is older than the operator expects.
  case old
  case held
  /// The origin has new parts that await the operator's decision.
  case gained
  /// A step kept its read transaction open for too long, during which the origin cannot reclaim deleted rows.
  case originHeldOpen
  /// The configuration no longer has a model of the series.
  case modelGone
  case copyUnreadable
  /// The origin's log is incomplete.
  case logDoubted
  /// No steps are reported, so it is unknown whether the series is current.
  case notReported

  package var level: ProblemLevel {
    switch self {
    case .expired, .noSnapshot, .filesMissing, .stepFailed: .bad
    case .notReported: .unknown
    default: .soon
    }
  }
}

/// The names are classes of the page's style sheet.
package enum ProblemLevel: String, Sendable {
  /// Clients get no data or no new data.
  case bad
  /// Clients are served, but the operator must act.
  case soon
  /// No problem is known.
  case unknown
}

extension UTCTime {
  fileprivate func isLater(than other: UTCTime, by seconds: Int) -> Bool {
    secondsSinceEpoch - other.secondsSinceEpoch > seconds
  }
}
