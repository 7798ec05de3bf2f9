package import SeedDatabase
package import SeedFormat
package import SeedPublication
package import SeedSystem

/// An origin's record of the keys of changed rows. It may name unchanged rows, but never omits a changed one. If it
/// cannot guarantee this, it reports a doubt, and all rows are compared.
package protocol OriginLog: AnyObject {
  /// Tables that the log was set up for but no longer watches. All their rows are compared.
  var gaps: [String] { get }
  func cursor() throws -> OriginCursor
  /// Returns the possible changes since a cursor. The current state must follow that cursor (``OriginRelation``).
  func touched(since cursor: OriginCursor, _ plan: SeriesPlan) throws -> LogAnswer
  /// Whether entries and schema are unchanged; false if uncertain. Cheaper than ``touched(since:_:)``.
  func isUntouched(since cursor: OriginCursor) throws -> Bool
  func rows(_ table: TableSchema, keys: [[SeedValue]]) throws -> ProjectedRows
  var needsPruning: Bool { get }
  /// Removes entries older than all cursors.
  func prune(behind cursors: [OriginCursor]) -> LogPruning
}

extension OriginLog {
  package var needsPruning: Bool { false }

  package func prune(behind cursors: [OriginCursor]) -> LogPruning { .done }
}

package enum LogPruning {
  case done
  /// The next step continues the pruning.
  case unfinished
  /// The string gives instructions for the operator.
  case impossible(String)
}

/// A position in an origin's log, in a format private to the log.
package struct OriginCursor: Hashable, Sendable {
  package let json: JSONValue

  package init(_ json: JSONValue) { self.json = json }
}

package enum LogAnswer: Hashable, Sendable {
  /// The changes by client table.
  case tables([String: Touched])
  /// The log is unreliable for this period.
  case doubt(LogDoubt)
}

/// The rows of a table that may have changed.
package enum Touched: Hashable, Sendable {
  case nothing
  /// The rows with these keys. The keys are unique, in the client's order, and equal in the origin and the client.
  case keys([[SeedValue]])
  case all
}

/// The reason why all rows are compared although the dataset uses a log.
package struct LogDoubt: Hashable, Sendable, CustomStringConvertible {
  /// A code without details of the deployment.
  let why: ComparisonWhy
  package let description: String

  private init(_ why: ComparisonWhy, _ description: String) {
    (self.why, self.description) = (why, description)
  }

  package static let noLog = Self(.noLog, "the origin has no log: 'seedbank origin log setup' makes one")
  package static let first = Self(.first, "it is the first step since the log was made or accepted")
  package static let otherCopy = Self(
    .otherCopy, "the working copy differs from the last step's, as after a rollback or a rejected step")
  package static let otherSubject = Self(
    .otherConfiguration, "the model, the epoch or the path of the origin differs from the last step's")
  package static let otherFile = Self(.otherFile, "the origin is a different file than before")
  package static let otherDatabase = Self(.otherDatabase, "the database was restored or replaced")
  package static let otherServer = Self(.otherServer, "the database server was restarted or replaced")
  package static let otherTimeline = Self(
    .otherTimeline,
    "the database server is on another timeline than at the last step: a standby was promoted, a backup was restored, or "
      + "an earlier server is read again")
  package static let otherTriggers = Self(
    .otherTriggers, "triggers of the origin's log were dropped, disabled, or replaced")
  package static let otherSchema = Self(
    .otherSchema,
    "the origin's schema was changed, or its SQLite file was rewritten, for example by VACUUM or .restore")
  package static let otherLog = Self(.otherLog, "the origin's log was replaced")
  package static let pruned = Self(.pruned, "the origin's log does not reach back to the last step")
  package static let edited = Self(
    .edited, "the origin's log was changed by hand, or the origin was restored from a backup")

  package static func missed(_ time: UTCTime) -> Self {
    Self(
      .missed,
      "a comparison at \(time) found rows that the log missed: fix the cause, then run 'seedbank origin log accept'"
    )
  }
}

extension FoundBy {
  package static func because(_ doubt: LogDoubt) -> Self {
    Self(.comparison, doubt.why, reason: doubt.description)
  }
}

/// Returns a warning that some or all rows are compared although the dataset uses a log; `nil` if the log is
/// complete. `gaps` are the tables that the log no longer watches; `nil` without a log.
func logWarning(gaps: [String]?) -> String? {
  guard let gaps else { return "all rows are compared: \(LogDoubt.noLog)" }
  guard !gaps.isEmpty else { return nil }
  return
    "the origin's log no longer watches \(gaps.map { "\"\($0)\"" }.joined(separator: ", ")): triggers are missing,"
    + " disabled or different, or the key changed, for example because a table was replaced. These tables are compared as a whole."
    + " 'seedbank origin log remove --yes' and then 'seedbank origin log setup --yes' repair it; for a standby of PostgreSQL,"
    + " both need --owner with a URL of the primary"
}

/// The relation of an origin's state to the state that was read earlier.
package enum OriginRelation: Hashable, Sendable {
  /// The state includes the earlier one, or the origin has no positions.
  case follows
  /// The state is from a standby that may lack recent changes, but will receive them.
  case behind(standby: String)
  /// The state belongs to another history, for example after a failover or a restore.
  case other(LogDoubt)
}

/// Creates and removes the log of one kind of origin.
package protocol OriginLogMaker {
  func draft(_ plans: [SeriesPlan]) throws -> OriginLogDraft
  /// Returns the statements that remove the log; empty if there is no log.
  func removal() throws -> [String]
  /// Wraps the statements in one transaction, for another user to run.
  func script(_ statements: [String]) -> [String]
  func run(_ statements: [String]) throws
}

package struct OriginLogDraft {
  /// Tables with a log, each with a description of how its rows are logged.
  package let logged: [(table: String, by: String)]
  /// Tables without a log, each with the reason. Their rows are compared.
  package let left: [(table: String, reason: String)]
  package let statements: [String]

  /// A table with a remark is compared as a whole after a write.
  package init(
    logged: [(table: String, keys: [String], remark: String?)], left: [(table: String, reason: String)],
    statements: [String]
  ) {
    self.logged = logged.map { table, keys, remark in
      (table, remark.map { "as a whole: \($0)" } ?? "by \(keys.joined(separator: ", "))")
    }
    (self.left, self.statements) = (left, statements)
  }
}
