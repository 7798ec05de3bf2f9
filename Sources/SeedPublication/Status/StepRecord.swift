package import SeedDatabase
package import SeedFormat
package import SeedSystem
import SeedTrust

/// A step of one series, or of a dataset if it reached no series. Consecutive equal steps share a record.
package struct StepRecord: Hashable, Sendable {
  package enum Outcome: String, Sendable, CaseIterable {
    /// A delta, a first version, a new schema or a snapshot was published.
    case published
    case rolledBack, unchanged, held, retired
    /// The data or configuration was invalid.
    case refused
    /// A file, the disk or the origin failed.
    case failed

    /// Whether the origin was read and could be published.
    package var isGoodLook: Bool { self == .published || self == .unchanged }

    /// Whether the step needs attention.
    package var isFailure: Bool { self == .refused || self == .failed }
  }

  /// Why a step failed, as a code that reveals nothing about the deployment.
  package enum Reason: String, Sendable, CaseIterable {
    /// A key is missing, unreadable, or not the one that the publication names.
    case keys
    /// The configuration or a model is invalid.
    case configuration
    /// The origin is unavailable, locked, damaged or unreadable.
    case origin
    /// The origin's data cannot be published.
    case data
    /// Tables lost more rows, or columns more values, than allowed.
    case shrunk
    /// The publication is unreadable or belongs to another publisher.
    case publication
    case disk
    case other
  }

  package var at: UTCTime
  package var milliseconds: Int
  package var dataset: DatasetName
  /// `nil` if the step reached no series.
  package var series: SeedSeries?
  package var outcome: Outcome
  package var reason: Reason?
  /// The head before and after the step.
  package var from: Int?
  package var to: Int?
  package var changes: ChangeReport = [:]
  package var deltaBytes: Int?
  package var snapshotBytes: Int?
  /// The total number of rows after the step, if counted.
  package var rows: Int?
  /// How the changes were found; `nil` if the step did not look for any.
  package var foundBy: FoundBy?
  /// Published rows that the origin's log had missed.
  package var missedRows = 0
  /// Only for the operator: it includes private paths and rows.
  package var error: String?
  /// The number of consecutive steps with this outcome, and the end of the last one.
  package var times = 1
  package var last: UTCTime

  package init(_ outcome: Outcome, of dataset: DatasetName, at: UTCTime, milliseconds: Int = 0) {
    (self.outcome, self.dataset, self.milliseconds) = (outcome, dataset, milliseconds)
    (self.at, last) = (at, at)
  }
}

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

  package init(_ way: Way, _ why: ComparisonWhy? = nil, reason: String? = nil) {
    (self.way, self.why, self.reason) = (way, why, reason)
  }

  package var words: String { "found by \(way.rawValue)" + (reason.map { " (\($0))" } ?? "") }
}

/// Why rows were compared although the dataset uses a log. The code reveals nothing about the deployment.
package enum ComparisonWhy: String, Sendable, CaseIterable {
  /// No log has been set up.
  case noLog = "no-log"
  case first
  /// The working copy is not in the state of the last step.
  case otherCopy = "other-copy"
  /// The model, epoch or address of the origin changed.
  case otherConfiguration = "other-configuration"
  /// The log missed rows, and the operator has not accepted the log since.
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
  /// The log does not reach back to the last step.
  case pruned
  /// The log was edited, or the origin was restored.
  case edited
  /// The log cannot name the changed rows of some tables.
  case someTables = "some-tables"
}
