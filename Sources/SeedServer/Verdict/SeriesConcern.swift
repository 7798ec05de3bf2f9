package import SeedSystem

/// What is wrong with a series, or cannot be known of it, the worst first.
package enum SeriesConcern: Int, Hashable, Sendable, CaseIterable {
  /// Clients refuse it.
  case expired
  /// New clients get nothing.
  case noSnapshot
  /// The newest step failed or was refused.
  case stepFailed
  /// Something is dated ahead of this clock, so nobody knows how old it is.
  case clocksDiffer
  /// No step came for longer than steps should take to come.
  case noStep
  /// Its newest version is older than its operator expects.
  case old
  /// A rollback holds it.
  case held
  /// Nobody tells of its steps, so nobody knows whether it is current.
  case untold

  /// How bad it is.
  package var level: ConcernLevel {
    switch self {
    case .expired, .noSnapshot, .stepFailed: .bad
    case .clocksDiffer, .noStep, .old, .held: .soon
    case .untold: .unknown
    }
  }
}

/// How bad a concern is.
package enum ConcernLevel: Hashable, Sendable {
  /// Clients get nothing, or nothing new.
  case bad
  /// Somebody must look, and clients are served.
  case soon
  /// Nothing is known to be wrong.
  case unknown
}

extension SeriesEvidence {
  /// Seconds by which clocks of two machines may differ.
  package static let clockToleranceSeconds = 300

  /// The one rule by which a series is current: no concern.
  package func concerns(at now: UTCTime) -> [SeriesConcern] {
    SeriesConcern.allCases.filter { isTrue($0, now) }
  }

  private func isTrue(_ concern: SeriesConcern, _ now: UTCTime) -> Bool {
    switch concern {
    case .expired: isExpired
    case .noSnapshot: !hasSnapshot
    case .stepFailed: !isRetired && steps?.newest.isFailure == true
    case .clocksDiffer: isAhead(of: now)
    case .noStep: !isRetired && steps.map { now.isLater(than: $0.newestAt, by: $0.patienceSeconds) } == true
    case .old: !isRetired && steps?.changeSeconds.map { now.isLater(than: publishedAt, by: $0) } == true
    case .held: isHeld && !isRetired
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
