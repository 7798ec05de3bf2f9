package import SeedFormat
package import SeedSystem

/// The publisher's position in an origin's log.
package struct OriginLogStanding: Hashable, Sendable {
  package let comparedAt: UTCTime
  /// When the log was found to have missed rows; `nil` if it is trusted.
  package let missedAt: UTCTime?
  let gaps: [String]

  /// Returns `nil` if no step has used a log.
  package init?(of series: Series, in stateFolder: String) {
    guard let standing = ChangeTrail.standing(series, in: stateFolder) else { return nil }
    self = standing
  }

  init(comparedAt: UTCTime, missedAt: UTCTime?, gaps: [String]) {
    (self.comparedAt, self.missedAt, self.gaps) = (comparedAt, missedAt, gaps)
  }

  /// Why the log is incomplete; `nil` if it is complete.
  package var doubt: String? {
    missedAt.map { "all rows are compared: \(ComparisonReason.missed($0))" }
      ?? OriginLogWarning(hasLog: true, gaps: gaps)?.text
  }
}

/// A warning that some or all rows are compared although the dataset uses a log.
package struct OriginLogWarning {
  package let text: String

  /// Returns `nil` if the origin's log is complete.
  package init?(_ origin: any Origin) throws {
    let log = try origin.log()
    self.init(hasLog: log != nil, gaps: log?.gaps ?? [])
  }

  init?(hasLog: Bool, gaps: [String]) {
    guard hasLog else {
      text = "all rows are compared: \(ComparisonReason.noLog)"
      return
    }
    guard !gaps.isEmpty else { return nil }
    text =
      "the origin's log does not watch \(gaps.map { "\"\($0)\"" }.joined(separator: ", ")) any more: its triggers are gone, off or"
      + " others, or its key changed, as when a table was replaced. These tables are compared as a whole. 'seedbank origin log"
      + " remove --yes' and then 'seedbank origin log setup --yes' repair it"
  }
}

extension Publisher {
  /// Trusts the origin's log again after it missed rows. The next step compares all rows, and later steps use the log.
  package func acceptLog(of series: [Series]) throws {
    for one in series { try ChangeTrail.forget(one, in: stateFolder) }
  }
}
