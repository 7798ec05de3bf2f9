import CSQLite

extension Connection {
  /// Makes an index by a text out of a file that came from elsewhere. SQLite asks for each thing that the text would do, and
  /// gets leave for this index on this table alone: if the text says anything else, nothing of it is run.
  package func makeIndex(_ name: String, on table: String, by sql: String) throws {
    let statement: Statement
    do {
      statement = try prepared(sql, IndexLeave(name: name, table: table))
    } catch let error as DatabaseError where error.primaryCode == SQLITE_AUTH {
      throw ForeignIndex(name: name, sql: sql)
    }
    try statement.run()
  }

  /// The authorizer is set only while the text is prepared: search tables may write what they still hold when it is run.
  private func prepared(_ sql: String, _ leave: IndexLeave) throws -> Statement {
    sqlite3_set_authorizer(
      handle,
      { leave, action, first, second, database, _ in
        guard let leave else { return SQLITE_DENY }
        let rules = Unmanaged<IndexLeave>.fromOpaque(leave).takeUnretainedValue()
        return rules.isGiven(for: action, first, second, in: database) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(leave).toOpaque())
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    let statement = try withExtendedLifetime(leave) { try prepare(sql) }
    let isWhole = statement.length == sql.utf8.count && sqlite3_stmt_isexplain(statement.handle) == 0
    guard leave.isAsked, isWhole else { throw ForeignIndex(name: leave.name, sql: sql) }
    return statement
  }
}

/// A file's text for an index that would do something else.
package struct ForeignIndex: Error, Hashable, Sendable, CustomStringConvertible {
  package let name: String
  package let sql: String

  package var description: String {
    "the file's SQL for \(name) is not what a publisher writes, and was not run: \(sql.shortSQL)"
  }
}

/// What SQLite's authorizer allows while one index is made.
private final class IndexLeave {
  let name: String
  private let table: String
  /// Whether the statement makes the index at all.
  private(set) var isAsked = false

  init(name: String, table: String) { (self.name, self.table) = (name, table) }

  func isGiven(
    for action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    in database: UnsafePointer<CChar>?
  ) -> Bool {
    // Functions belong to no database.
    guard action == SQLITE_FUNCTION || database.map({ String(cString: $0) }) == "main" else { return false }
    let (first, second) = (first.map { String(cString: $0) }, second.map { String(cString: $0) })
    switch action {
    case SQLITE_CREATE_INDEX:
      isAsked = isSame(first, name) && isSame(second, table)
      return isAsked
    case SQLITE_REINDEX: return isSame(first, name)
    case SQLITE_INSERT: return isSame(first, "sqlite_master")
    case SQLITE_READ: return isSame(first, table) || isSame(first, "sqlite_master")
    // SQLite allows only deterministic functions in an index.
    case SQLITE_FUNCTION: return true
    default: return false
    }
  }

  /// SQLite takes names for the same if they differ in the case of ASCII letters.
  private func isSame(_ one: String?, _ other: String) -> Bool { one?.lowercased() == other.lowercased() }
}
