import CSQLite
package import SeedFormat

extension Connection {
  /// Prepares a user's SQL and binds the values. The SQL must be one statement that only reads and does not change the
  /// transaction, attached files or settings. `reading` collects what it reads.
  package func readOnlyStatement(
    _ sql: String, _ values: [SeedValue] = [], reading: TablesRead = TablesRead()
  ) throws -> Statement {
    guard !sql.utf8.contains(0) else { throw ReadOnlyProblem.holdsNUL(sql: sql) }
    let statement = try permitted(sql, reading)
    guard sqlite3_stmt_readonly(statement.handle) != 0 else { throw ReadOnlyProblem.changes(sql: sql) }
    let rest = Array(sql.utf8.dropFirst(statement.length))
    guard SQLScanner.tokens(of: rest).allSatisfy({ $0.keyword == ";" }) else {
      throw ReadOnlyProblem.several(sql: sql)
    }
    let wanted = Int(sqlite3_bind_parameter_count(statement.handle))
    guard values.count == wanted else {
      throw ReadOnlyProblem.values(found: values.count, wanted: wanted, sql: sql)
    }
    try statement.bind(values)
    reading.statements.insert(sql)
    return statement
  }

  private func permitted(_ sql: String, _ reading: TablesRead) throws -> Statement {
    sqlite3_set_authorizer(
      handle,
      { reading, action, first, second, _, view in
        if let reading { TablesRead.note(action, first, second, through: view, in: reading) }
        return Permission.isGiven(for: action, first, second) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(reading).toOpaque())
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    do {
      return try withExtendedLifetime(reading) { try prepare(sql) }
    } catch let error as DatabaseError where error.primaryCode == SQLITE_AUTH {
      throw ReadOnlyProblem.changes(sql: sql)
    }
  }
}

package final class TablesRead {
  /// The columns of tables and views, including the tables that a view reads.
  package private(set) var columns: [String: Set<String>] = [:]
  fileprivate var statements: Set<String> = []
  /// Views and common table expressions, in lower case. SQLite reports some views only as the place of a read.
  private var views: Set<String> = []
  /// True if the SQL reads something other than tables, such as a pragma's result.
  package private(set) var readsMore = false

  package init() {}

  fileprivate static func note(
    _ action: Int32, _ name: UnsafePointer<CChar>?, _ column: UnsafePointer<CChar>?,
    through view: UnsafePointer<CChar>?, in reading: UnsafeMutableRawPointer
  ) {
    let reading = Unmanaged<TablesRead>.fromOpaque(reading).takeUnretainedValue()
    if let view { reading.views.insert(String(cString: view).foldedName) }
    if action == SQLITE_PRAGMA { reading.readsMore = true }
    guard action == SQLITE_READ, let name, let column else { return }
    reading.columns[String(cString: name), default: []].insert(String(cString: column))
  }

  /// Whether a statement, or a view that it reads, has a join with USING or NATURAL. SQLite reports neither the columns
  /// that such a join compares nor, if the statement uses no other column, their table.
  package func joinsByName(in connection: Connection) throws -> Bool {
    let views = try connection.rows("SELECT lower(name), sql FROM sqlite_schema WHERE type = 'view'")
      .filter { self.views.contains($0[0].text) }.map { $0[1].text }
    return (views + statements).contains { sql in
      SQLScanner.tokens(of: Array(sql.utf8)).contains { ["USING", "NATURAL"].contains($0.keyword) }
    }
  }
}

/// The authorizer's permissions for a user's statement. `sqlite3_stmt_readonly` proves that it writes nothing.
private enum Permission {
  /// Pragmas whose argument selects the object to report on.
  private static let reading: Set<String> = [
    "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
    "foreign_key_check", "integrity_check", "quick_check",
  ]
  /// Pragmas that have an effect without an argument.
  private static let acting: Set<String> = [
    "wal_checkpoint", "optimize", "incremental_vacuum", "shrink_memory",
  ]

  static func isGiven(
    for action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> Bool {
    switch action {
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH: return false
    case SQLITE_PRAGMA:
      let name = first.map { String(cString: $0).lowercased() } ?? ""
      return second == nil ? !acting.contains(name) : reading.contains(name)
    default: return true
    }
  }
}

/// The reason why a user's SQL is rejected.
package enum ReadOnlyProblem: Error, Hashable, Sendable, CustomStringConvertible {
  case holdsNUL(sql: String)
  case several(sql: String)
  case changes(sql: String)
  case values(found: Int, wanted: Int, sql: String)

  package var description: String {
    switch self {
    case .holdsNUL(let sql):
      "the SQL contains a NUL character, after which SQLite ignores the rest: remove the NUL: \(sql.shortSQL)"
    case .several(let sql):
      "only one statement can run at a time: run the statements one after the other: \(sql.shortSQL)"
    case .changes(let sql):
      "only reading is allowed, but this statement writes or changes transactions, attached files or settings: "
        + sql.shortSQL
    case .values(let found, let wanted, let sql):
      "\(Self.count(found, "value")) passed, but SQLite counts \(Self.count(wanted, "parameter")): pass one value for each"
        + "\(Self.hint(sql)): \(sql.shortSQL)"
    }
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number == 0 ? "no" : "\(number)") \(noun)\(number == 1 ? "" : "s")"
  }

  /// SQLite reads a question mark between quotes as text, but the author may have meant a parameter.
  private static func hint(_ sql: String) -> String {
    let bytes = Array(sql.utf8)
    let isQuoted = SQLScanner.tokens(of: bytes).contains { $0.isQuoted && $0.text(in: bytes).contains("?") }
    return isQuoted ? " (? between quotes is text: omit the quotes)" : ""
  }
}
