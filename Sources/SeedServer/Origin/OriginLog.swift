package import SeedDatabase
package import SeedFormat

/// What an origin noted of its own writers: the keys of the rows that they touched. It names too many rows at worst,
/// never too few; where that cannot be promised, it says so, and everything is compared.
package protocol OriginLog: AnyObject {
  /// Tables that it was set up for and does not watch any more: they are compared.
  var gaps: [String] { get }
  /// A mark of the state that is being read, from which a later one can tell what was written since.
  func cursor() throws -> OriginCursor
  /// What may differ between the cursor's state and the one that is being read, which lacks nothing of it (``OriginRelation``).
  func touched(since cursor: OriginCursor, _ plan: SeriesPlan) throws -> LogAnswer
  /// Whether nothing was noted since a cursor, of any table, and nothing else is other than it was that decides what a SELECT
  /// reads: cheaper to tell than ``touched(since:_:)``, and in doubt false.
  func isUntouched(since cursor: OriginCursor) throws -> Bool
  /// The rows with these keys, as far as they are there, in the keys' order.
  func rows(_ table: TableSchema, keys: [[SeedValue]]) throws -> ProjectedRows
  /// Whether its entries stay until ``prune(behind:)`` removes them.
  var needsPruning: Bool { get }
  /// Removes what nobody who stands at one of these cursors, or behind it, needs any more. Returns what an operator must do where
  /// that is not possible.
  func prune(behind cursors: [OriginCursor]) -> String?
}

extension OriginLog {
  package var needsPruning: Bool { false }

  /// Its own triggers keep it short.
  package func prune(behind cursors: [OriginCursor]) -> String? { nil }
}

/// A state of an origin as its log knows it. What it says is the log's own business.
package struct OriginCursor: Hashable, Sendable {
  package let json: JSONValue

  package init(_ json: JSONValue) { self.json = json }
}

/// What a log says of the time since a cursor.
package enum LogAnswer: Hashable, Sendable {
  /// By table of the client.
  case tables([String: Touched])
  /// Nothing that can be relied on.
  case doubt(LogDoubt)
}

/// What of one table may differ.
package enum Touched: Hashable, Sendable {
  case nothing
  /// Rows with these keys: without duplicates, in the client's order, and the same values in origin and client.
  case keys([[SeedValue]])
  /// Any row.
  case all
}

/// Why a log cannot tell what was written.
package enum LogDoubt: String, Hashable, Sendable, CaseIterable {
  case otherFile = "the origin is another file than before"
  case otherDatabase = "the database was restored, or another one took its place"
  case otherServer = "the database's server was started again, or another one took its place"
  case otherTimeline = "a standby took the place of the database's server"
  case otherTriggers = "triggers of the origin's log were dropped, switched off, or made anew"
  case otherSchema = "the origin's schema was changed, or its file was written anew, as by VACUUM or .restore"
  case otherLog = "the origin's log was made anew"
  case pruned = "the origin's log does not reach back to the last step"
  case edited = "the origin's log was changed by hand, or the origin was restored from a backup"
}
