package import SeedFormat
package import SeedSystem

/// What a publisher knows of an origin's log.
package struct OriginLogStanding: Hashable, Sendable {
  /// When all rows were last compared.
  package let comparedAt: UTCTime
  /// When the log was found to have missed rows; `nil` where it is trusted.
  package let missedAt: UTCTime?

  /// `nil` where no step has used a log yet.
  package init?(of series: Series, in stateFolder: String) {
    guard let standing = ChangeTrail.standing(series, in: stateFolder) else { return nil }
    self = standing
  }

  init(comparedAt: UTCTime, missedAt: UTCTime?) { (self.comparedAt, self.missedAt) = (comparedAt, missedAt) }

  /// Why the log is not trusted; `nil` where it is.
  package var doubt: String? { missedAt.map { ComparisonReason.missed($0).description } }
}

extension Publisher {
  /// Trusts the origin's log again, also where it missed rows: the next step compares everything, and from then on the
  /// log counts.
  package func acceptLog(of series: [Series]) throws {
    for one in series { try ChangeTrail.forget(one, in: stateFolder) }
  }
}
