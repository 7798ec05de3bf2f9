package import SeedFormat

extension Publisher {
  /// Trusts the origin's log again, also where it missed rows: the next step compares everything, and from then on the
  /// log counts.
  package func acceptLog(of series: [Series]) throws {
    for one in series { try ChangeTrail.forget(one, in: stateFolder) }
  }
}
