/// By what a step found which rows of its origin had changed.
package struct FoundBy: Hashable, Sendable {
  /// The way.
  package enum Way: String, Sendable, CaseIterable {
    /// The origin's log named the rows.
    case log
    /// Every row was compared.
    case comparison
    /// Every row was compared, to check the log.
    case audit
  }

  package let way: Way
  /// Why rows were compared though the dataset asks for the log; `nil` where all went as it is configured.
  package let why: ComparisonWhy?
  /// The same as a sentence, which may name tables.
  package let reason: String?

  /// A way that was the configured one.
  package init(_ way: Way) { self.init(way, nil, reason: nil) }

  package init(_ way: Way, _ why: ComparisonWhy?, reason: String?) {
    (self.way, self.why, self.reason) = (way, why, reason)
  }

  /// For people.
  package var words: String { "found by \(way.rawValue)" + (reason.map { " (\($0))" } ?? "") }
}

/// Why rows were compared though the dataset asks for the log, in a word that names nothing of the deployment.
package enum ComparisonWhy: String, Sendable, CaseIterable {
  /// Nobody set up a log.
  case noLog = "no-log"
  /// It is the first step with the log.
  case first
  /// The working copy is not as the last step left it.
  case otherCopy = "other-copy"
  /// The model, the epoch or the place of the origin is another one.
  case otherConfiguration = "other-configuration"
  /// The log missed rows before, and nobody has accepted it again.
  case missed
  /// The origin is another file.
  case otherFile = "other-file"
  /// The database was restored, or is another one.
  case otherDatabase = "other-database"
  /// The server was started again, or is another one.
  case otherServer = "other-server"
  /// A standby took the server's place.
  case otherTimeline = "other-timeline"
  /// Triggers of the log were dropped, switched off or made anew.
  case otherTriggers = "other-triggers"
  /// The origin's schema was changed, or its file written anew.
  case otherSchema = "other-schema"
  /// The log was made anew.
  case otherLog = "other-log"
  /// The log does not reach back to the last step.
  case pruned
  /// The log was changed by hand, or the origin restored.
  case edited
  /// Of some tables the log cannot tell single rows.
  case someTables = "some-tables"
}
