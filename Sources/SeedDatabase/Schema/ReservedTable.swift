import SeedFormat

/// Seedbank's tables in a seed; their names are reserved.
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
  /// Whether the file has a table with exactly this SQL; throws if something else has its name, because reading a view
  /// or a generated column could take forever.
  func has(_ table: String, madeBy sql: String) throws -> Bool {
    guard let found = try rows("SELECT type, sql FROM sqlite_schema WHERE name = ?", .text(table)).first
    else {
      return false
    }
    guard found[0].text == "table", SQLTokens(found[1].text).tokens == SQLTokens(sql).tokens else {
      throw NotASeed("\(table) differs from the publisher's table")
    }
    return true
  }
}

/// The file is not a seed, or this version cannot read it.
package struct NotASeed: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { "not a seed: \(reason)" }
}
