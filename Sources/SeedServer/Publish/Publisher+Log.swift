package import SeedFormat
package import SeedSystem

/// What a publisher knows of an origin's log.
package struct OriginLogStanding: Hashable, Sendable {
  /// When all rows were last compared.
  package let comparedAt: UTCTime
  /// When the log was found to have missed rows; `nil` where it is trusted.
  package let missedAt: UTCTime?
  /// Tables that the log did not watch any more at the last step.
  let gaps: [String]

  /// `nil` where no step has used a log yet.
  package init?(of series: Series, in stateFolder: String) {
    guard let standing = ChangeTrail.standing(series, in: stateFolder) else { return nil }
    self = standing
  }

  init(comparedAt: UTCTime, missedAt: UTCTime?, gaps: [String]) {
    (self.comparedAt, self.missedAt, self.gaps) = (comparedAt, missedAt, gaps)
  }

  /// Why the log does not tell all that was written; `nil` where it does.
  package var doubt: String? {
    missedAt.map { "all rows are compared: \(ComparisonReason.missed($0))" }
      ?? OriginLogWarning(hasLog: true, gaps: gaps)?.text
  }
}

/// That all rows are compared, or those of some tables, though the dataset is to follow a log.
package struct OriginLogWarning {
  /// For the operator.
  package let text: String

  /// `nil` where the origin's log tells all.
  package init?(_ origin: any Origin) throws {
    let log = try origin.log()
    self.init(hasLog: log != nil, gaps: log?.gaps ?? [])
  }

  init?(hasLog: Bool, gaps: [String]) {
    guard hasLog else {
      text = "all rows are compared, for \(ComparisonReason.noLog)"
      return
    }
    guard !gaps.isEmpty else { return nil }
    text =
      "the origin's log does not watch \(gaps.map { "\"\($0)\"" }.joined(separator: ", ")) any more, for its triggers are gone, off or"
      + " others, or its key is, as where a table was made anew: what it does not watch is compared as a whole. 'seedbank origin log"
      + " remove --yes' and then 'seedbank origin log setup --yes' mend that"
  }
}

extension Publisher {
  /// Trusts the origin's log again, also where it missed rows: the next step compares everything, and from then on the
  /// log counts.
  package func acceptLog(of series: [Series]) throws {
    for one in series { try ChangeTrail.forget(one, in: stateFolder) }
  }
}
