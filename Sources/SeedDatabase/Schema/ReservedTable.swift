import SeedFormat

/// Tables of ours inside a seed; no operator's table may be named so.
package enum ReservedTable {
  package static let prefix = "seedbank_"
  package static let meta = "seedbank_meta"
  package static let table = "seedbank_table"
  package static let index = "seedbank_index"

  static let all: Set<String> = [meta, table, index]

  static let metaSQL =
    "CREATE TABLE \(meta)(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID"
  static let tableSQL =
    "CREATE TABLE \(table)(name TEXT PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID"
  static let indexSQL = """
    CREATE TABLE \(index)(position INTEGER PRIMARY KEY, name TEXT NOT NULL, "table" TEXT NOT NULL,
      sql TEXT NOT NULL, statistics TEXT)
    """
}

extension Connection {
  /// Whether the file has a table whose form is fixed. A view or a generated column of that name could run for ever when it is
  /// read, so the table must be exactly as `sql` makes it.
  func has(_ table: String, madeBy sql: String) throws -> Bool {
    guard let found = try rows("SELECT type, sql FROM sqlite_schema WHERE name = ?", .text(table)).first
    else {
      return false
    }
    guard found[0].text == "table", SQLTokens(found[1].text).tokens == SQLTokens(sql).tokens else {
      throw NotASeed("\(table) is not the table that a publisher makes")
    }
    return true
  }
}

/// A file that is not a seed, or not one that this code can read.
package struct NotASeed: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { "not a seed: \(reason)" }
}
