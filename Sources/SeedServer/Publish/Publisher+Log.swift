package import SeedFormat

/// What a publisher knows of an origin's log.
package enum OriginLogStanding {
  /// Why a series' log is not trusted; `nil` where it is, or where there is none.
  package static func doubt(of series: Series, in stateFolder: String) -> String? {
    ChangeTrail.missedAt(series, in: stateFolder).map { ComparisonReason.missed($0).description }
  }
}

extension Publisher {
  /// Trusts the origin's log again, also where it missed rows: the next step compares everything, and from then on the
  /// log counts.
  package func acceptLog(of series: [Series]) throws {
    for one in series { try ChangeTrail.forget(one, in: stateFolder) }
  }
}
