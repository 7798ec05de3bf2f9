package import SeedDatabase
package import SeedFormat

/// An origin's record of the keys of changed rows. It may name unchanged rows, but never omits a changed one. If it
/// cannot guarantee that, it reports a doubt and all rows are compared.
package protocol OriginLog: AnyObject {
  /// Tables that the log was set up for but no longer watches. They are compared.
  var gaps: [String] { get }
  /// The position of the state being read.
  func cursor() throws -> OriginCursor
  /// Returns the possible changes since a cursor, which the current state must follow (``OriginRelation``).
  func touched(since cursor: OriginCursor, _ plan: SeriesPlan) throws -> LogAnswer
  /// Whether there are no new entries or schema changes. Cheaper than ``touched(since:_:)``; false if uncertain.
  func isUntouched(since cursor: OriginCursor) throws -> Bool
  /// Returns the existing rows with these keys, in the keys' order.
  func rows(_ table: TableSchema, keys: [[SeedValue]]) throws -> ProjectedRows
  /// Whether entries must be removed with ``prune(behind:)``.
  var needsPruning: Bool { get }
  /// Removes entries older than all cursors. If that is impossible, returns instructions for the operator.
  func prune(behind cursors: [OriginCursor]) -> String?
}

extension OriginLog {
  package var needsPruning: Bool { false }

  package func prune(behind cursors: [OriginCursor]) -> String? { nil }
}

/// A position in an origin's log, in a format private to the log.
package struct OriginCursor: Hashable, Sendable {
  package let json: JSONValue

  package init(_ json: JSONValue) { self.json = json }
}

package enum LogAnswer: Hashable, Sendable {
  /// By table of the client.
  case tables([String: Touched])
  /// The log is unreliable for this period.
  case doubt(LogDoubt)
}

/// The rows of a table that may have changed.
package enum Touched: Hashable, Sendable {
  case nothing
  /// Rows with these keys: unique, in the client's order, with equal values in origin and client.
  case keys([[SeedValue]])
  case all
}

/// Why a log cannot name the changes.
package enum LogDoubt: String, Hashable, Sendable, CaseIterable {
  case otherFile = "the origin is another file than before"
  case otherDatabase = "the database was restored, or another one took its place"
  case otherServer = "the database's server was started again, or another one took its place"
  case otherTimeline = "a standby took the place of the database's server"
  case otherTriggers = "triggers of the origin's log were dropped, disabled, or replaced"
  case otherSchema = "the origin's schema was changed, or its file was rewritten, as by VACUUM or .restore"
  case otherLog = "the origin's log was replaced"
  case pruned = "the origin's log does not reach back to the last step"
  case edited = "the origin's log was changed by hand, or the origin was restored from a backup"
}

/// How an origin's state relates to the one read earlier.
package enum OriginRelation: Hashable, Sendable {
  /// The state includes the earlier one, or the origin has no positions.
  case follows
  /// The state is a standby's that may lack recent changes, which will arrive.
  case behind(standby: String)
  /// The state belongs to another history, for example after a failover or a restore.
  case other(LogDoubt)
}
