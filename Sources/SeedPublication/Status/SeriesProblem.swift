package import SeedSystem

/// A problem of a series, or a lack of information about it; worst first.
package enum SeriesProblem: Int, Hashable, Sendable, CaseIterable {
  /// Clients reject the series.
  case expired
  /// New clients get no data.
  case noSnapshot
  case filesMissing
  case stepFailed
  /// A date is ahead of this clock, so the age of the data is unknown.
  case clocksDiffer
  /// No step ran for longer than expected.
  case noStep
  /// The newest version is older than the operator expects.
  case old
  case held
  /// The origin has new parts that await the operator's decision.
  case gained
  /// A step kept its read transaction open for too long, so the origin cannot reclaim deleted rows.
  case originHeldOpen
  /// The configuration no longer has a model of the series.
  case modelGone
  /// The working copy is unreadable.
  case copyUnreadable
  /// The origin's log is incomplete.
  case logDoubted
  /// No steps are reported, so it is unknown whether the series is current.
  case untold

  package var level: ProblemLevel {
    switch self {
    case .expired, .noSnapshot, .filesMissing, .stepFailed: .bad
    case .untold: .unknown
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

extension SeriesStatus {
  /// The tolerated difference between the clocks of two machines.
  package static let clockToleranceSeconds = 300

  /// A series is current if it has no problems.
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
    case .untold: !isRetired && steps == nil
    }
  }

  private func isAhead(of now: UTCTime) -> Bool {
    [publishedAt, steps?.newestAt].compactMap(\.self).contains {
      $0.isLater(than: now, by: Self.clockToleranceSeconds)
    }
  }
}

extension UTCTime {
  fileprivate func isLater(than other: UTCTime, by seconds: Int) -> Bool {
    secondsSinceEpoch - other.secondsSinceEpoch > seconds
  }
}
