package import SeedSystem

/// What is wrong with a series, or cannot be known of it, the worst first.
package enum SeriesConcern: Int, Hashable, Sendable, CaseIterable {
  /// Clients refuse it.
  case expired
  /// New clients get nothing.
  case noSnapshot
  /// Clients that need a certain file of it do not get it.
  case filesMissing
  /// The newest step failed or was refused.
  case stepFailed
  /// Something is dated ahead of this clock, so nobody knows how old it is.
  case clocksDiffer
  /// No step came for longer than steps should take to come.
  case noStep
  /// A publisher that starts again could not sign.
  case keysGone
  /// Its newest version is older than its operator expects.
  case old
  /// A rollback holds it.
  case held
  /// Its origin has gained what nobody has decided on.
  case gained
  /// A step kept its origin open for too long, so that the origin keeps what its writers delete.
  case originHeldOpen
  /// No model of it is configured any more.
  case modelGone
  /// Its working copy cannot be read.
  case copyUnreadable
  /// Its origin's log does not tell all that is written.
  case logDoubted
  /// Nobody tells of its steps, so nobody knows whether it is current.
  case untold

  /// How bad it is.
  package var level: ConcernLevel {
    switch self {
    case .expired, .noSnapshot, .filesMissing, .stepFailed: .bad
    case .clocksDiffer, .noStep, .keysGone, .old, .held, .gained, .originHeldOpen, .modelGone,
      .copyUnreadable,
      .logDoubted:
      .soon
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
    case .filesMissing: missingFiles > 0
    case .stepFailed: !isRetired && steps?.newest.isFailure == true
    case .clocksDiffer: isAhead(of: now)
    case .noStep: !isRetired && steps.map { now.isLater(than: $0.newestAt, by: $0.patienceSeconds) } == true
    case .old: !isRetired && steps?.changeSeconds.map { now.isLater(than: publishedAt, by: $0) } == true
    case .keysGone: lacksKeys
    case .held: isHeld && !isRetired
    case .gained: !isRetired && gained > 0
    case .originHeldOpen: !isRetired && isOriginHeldOpen
    case .modelGone: !isRetired && doubts.contains(.noModel)
    case .copyUnreadable: doubts.contains(.copy)
    case .logDoubted: doubts.contains(.log)
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
