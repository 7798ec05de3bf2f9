import CSQLite
package import SeedFormat

/// The structure of a seed, which a model version promises to clients.
package struct DatabaseSchema: Hashable, Sendable {
  package let tables: [TableSchema]
  /// External-content FTS5 tables, sorted by name.
  package let searchTables: [SearchTable]
  package let views: [String]
  package let indexes: [String]
  /// The hash of the structure, not of the SQL text: comments, white space and the case of keywords do not matter.
  package let hash: SHA256Digest

  /// Finds a table by name, ignoring ASCII case as SQLite does.
  package func table(_ name: String) -> TableSchema? {
    tables.first { $0.name == name } ?? tables.first { $0.name.foldedName == name.foldedName }
  }
}

package struct SearchTable: Hashable, Sendable {
  package let name: String
  /// The content table's name, spelled as in its own CREATE TABLE; the search table's SQL may differ in case.
  package let content: String

  package init(name: String, content: String) {
    self.name = name
    self.content = content
  }
}

package enum SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case noKey(table: String)
  case customCollation(table: String, column: String, collation: String)
  case keyCollation(table: String, column: String)
  case sameName(String)
  case trigger(name: String, table: String)
  case virtualTable(name: String)
  case searchContent(name: String, content: String)
  case reservedName(String)
  case unknownParent(table: String, parent: String)
  case notSQL(String)
  case noTables

  package var description: String {
    switch self {
    case .noKey(let table):
      "table \"\(table)\" has no key: give it a primary key, or a UNIQUE constraint over NOT NULL columns"
    case .customCollation(let table, let column, let collation):
      "table \"\(table)\", column \"\(column)\": clients may lack the collation \(collation): "
        + "use BINARY, NOCASE or RTRIM"
    case .keyCollation(let table, let column):
      "table \"\(table)\", column \"\(column)\": the key and the column have different collations: "
        + "give both the same"
    case .sameName(let name): "\"\(name)\": two names differ only in their Unicode form: rename one"
    case .trigger(let name, let table):
      "trigger \"\(name)\" on \"\(table)\": a seed cannot have triggers, because they would bypass its digest"
    case .virtualTable(let name):
      "virtual table \"\(name)\": a seed can only have FTS5 tables whose content is a published table"
    case .searchContent(let name, let content):
      "FTS5 table \"\(name)\" takes its content from \"\(content)\", which is not a table of this schema"
    case .reservedName(let name): "\"\(name)\": names that start with \(ReservedTable.prefix) are reserved"
    case .unknownParent(let table, let parent):
      "table \"\(table)\" references \"\(parent)\", which is not a table of this schema"
    case .notSQL(let message): message
    case .noTables: "no table that could be published"
    }
  }
}

/// Seedbank's tables in a seed; their names are reserved.
package enum ReservedTable {
  package static let prefix = "seedbank_"
  package static let meta = "seedbank_meta"
  package static let table = "seedbank_table"
  package static let index = "seedbank_index"
  /// Not in a seed, but in a database that an import in batches fills.
  package static let unchecked = "seedbank_unchecked"

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
  /// Whether the file has a table with exactly this SQL; throws if anything else has its name, because reading a view
  /// or a generated column could take forever.
  func has(_ table: String, madeBy sql: String) throws -> Bool {
    guard let found = try rows("SELECT type, sql FROM sqlite_schema WHERE name = ?", .text(table)).first
    else { return false }
    guard found[0].text == "table", SQLTokens(found[1].text).tokens == SQLTokens(sql).tokens else {
      throw NotASeed("\(table) differs from the publisher's table")
    }
    return true
  }

  /// Runs `body`, in which SQLite may evaluate the schema's expressions. For a received file, limits the evaluation
  /// time. If `areComputed` is true, also limits the length of values.
  func boundingExpressions<Result>(areComputed: Bool = true, _ body: () throws -> Result) throws -> Result {
    guard isReceived else { return try body() }
    let cost = try ExpressionCost(self)
    let length = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, areComputed ? cost.longestValue : -1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
    do {
      return try computing(atMost: cost.seconds(forBytes: bytes), looking: cost.stepsBetweenLooks, body)
    } catch let error as DatabaseError
      where [SQLITE_INTERRUPT, SQLITE_TOOBIG].contains(error.primaryCode) && !Task.isCancelled
    { throw NotASeed("the expressions in its schema take more time or space than its rows allow") }
  }
}

/// The file is not a seed, or this version cannot read it.
package struct NotASeed: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package var description: String { "not a seed: \(reason)" }
}

/// Limits on generated columns and indexes. SQLite checks time only between calls, so values must be short.
private struct ExpressionCost {
  /// Functions whose time is not linear in their arguments' length, or whose result is much longer than the arguments.
  private static let slow = Set(
    """
    FORMAT GLOB INSTR JSON JSON_ARRAY JSON_INSERT JSON_OBJECT JSON_PATCH JSON_QUOTE JSON_REMOVE JSON_REPLACE JSON_SET LIKE LTRIM \
    PRINTF QUOTE RANDOMBLOB REPLACE RTRIM TRIM ZEROBLOB
    """.split(separator: " ").map(String.init))

  let isSlow: Bool

  init(_ connection: Connection) throws {
    isSlow = try connection.rows("SELECT type, sql FROM sqlite_schema WHERE type IN ('table', 'index')")
      .contains {
        let tokens = SQLTokens($0[1].text)
        let computed =
          $0[0].text == "index"
          ? [tokens] : tokens.expressions.filter { $0.hasPrefix("AS") }.map(SQLTokens.init)
        return computed.contains { !$0.names.isDisjoint(with: Self.slow) }
      }
  }

  /// In bytes. Two values of 1 MiB keep a slow function, such as `instr`, busy for ten seconds.
  var longestValue: Int32 { isSlow ? 1024 * 1024 : 64 * 1024 * 1024 }

  var stepsBetweenLooks: Int32 { isSlow ? 2 : 1000 }

  /// A slow phone checks several megabytes per second.
  func seconds(forBytes bytes: Int64) -> Int { 10 + Int(bytes / 1_000_000) }
}
