/// How a step found the changed rows of its origin.
package struct FoundBy: Hashable, Sendable {
  package enum Way: String, Sendable, CaseIterable {
    case log
    case comparison
    /// All rows were compared to check the log.
    case audit
  }

  package let way: Way
  /// Why rows were compared although the dataset uses a log; `nil` if the configured method was used.
  package let why: ComparisonWhy?
  /// A sentence for the operator, which may contain table names.
  package let reason: String?

  /// The configured method.
  package init(_ way: Way) { self.init(way, nil, reason: nil) }

  package init(_ way: Way, _ why: ComparisonWhy?, reason: String?) {
    (self.way, self.why, self.reason) = (way, why, reason)
  }

  package var words: String { "found by \(way.rawValue)" + (reason.map { " (\($0))" } ?? "") }
}

/// Why rows were compared although the dataset uses a log, as a code that reveals nothing about the deployment.
package enum ComparisonWhy: String, Sendable, CaseIterable {
  /// No log has been set up.
  case noLog = "no-log"
  case first
  /// The working copy is not in the state of the last step.
  case otherCopy = "other-copy"
  /// The model, epoch or address of the origin changed.
  case otherConfiguration = "other-configuration"
  /// The log missed rows earlier and the operator has not accepted it since.
  case missed
  case otherFile = "other-file"
  case otherDatabase = "other-database"
  /// The server was restarted or replaced.
  case otherServer = "other-server"
  /// A standby was promoted.
  case otherTimeline = "other-timeline"
  /// The log's triggers were dropped, disabled or recreated.
  case otherTriggers = "other-triggers"
  /// The origin's schema changed, or its file was rewritten.
  case otherSchema = "other-schema"
  case otherLog = "other-log"
  /// The log begins after the last step.
  case pruned
  /// The log was edited, or the origin restored.
  case edited
  /// The log cannot name the changed rows of some tables.
  case someTables = "some-tables"
}
