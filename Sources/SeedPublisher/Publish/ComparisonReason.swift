import SeedPublication
package import SeedSystem

extension FoundBy {
  static func because(_ reason: ComparisonReason) -> Self {
    Self(.comparison, reason.word, reason: reason.description)
  }
}

/// Why all rows are compared although the dataset uses a log.
package enum ComparisonReason: Hashable, Sendable, CustomStringConvertible {
  case noLog
  case first
  case otherCopy
  case otherSubject
  case audit
  case doubt(LogDoubt)
  case missed(UTCTime)

  /// A code without details of the deployment; `nil` for audits, which are configured.
  var word: ComparisonWhy? {
    switch self {
    case .noLog: .noLog
    case .first: .first
    case .otherCopy: .otherCopy
    case .otherSubject: .otherConfiguration
    case .audit: nil
    case .doubt(let doubt): doubt.word
    case .missed: .missed
    }
  }

  package var description: String {
    switch self {
    case .noLog: "the origin has no log: 'seedbank origin log setup' makes one"
    case .first: "it is the first step since the log was made, or was accepted"
    case .otherCopy:
      "the working copy differs from the last step's, as after a rollback or a rejected step"
    case .otherSubject: "the model, the epoch or the path of the origin differs from the last step's"
    case .audit: "it is time to check the log"
    case .doubt(let doubt): doubt.rawValue
    case .missed(let time):
      "the log missed rows, as was found at \(time): when the cause is fixed, 'seedbank origin log accept' trusts it again"
    }
  }
}

extension LogDoubt {
  fileprivate var word: ComparisonWhy {
    switch self {
    case .otherFile: .otherFile
    case .otherDatabase: .otherDatabase
    case .otherServer: .otherServer
    case .otherTimeline: .otherTimeline
    case .otherTriggers: .otherTriggers
    case .otherSchema: .otherSchema
    case .otherLog: .otherLog
    case .pruned: .pruned
    case .edited: .edited
    }
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
