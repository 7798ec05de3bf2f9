import CSQLite

extension Connection {
  /// Makes an index by a text out of a file that came from elsewhere. SQLite asks for each thing that the text would do, and
  /// gets leave for this index on this table alone: if the text says anything else, nothing of it is run. What SQLite then
  /// computes for the rows is bounded in time and size.
  package func makeIndex(_ name: String, on table: String, by sql: String) throws {
    let limits = IndexLimits(self)
    defer { limits.lift() }
    let statement: Statement
    do {
      statement = try prepared(sql, IndexLeave(name: name, table: table))
    } catch let error as DatabaseError where !error.saysHindrance {
      throw ForeignIndex(name: name, sql: sql)
    }
    try computing(atMost: IndexLimits.seconds(forBytes: bytes)) { try statement.run() }
  }

  /// Runs `body`, which makes some indexes. The file may grow by as much as large ones need, and not without an end.
  func growing(byIndexes count: Int, _ body: () throws -> Void) throws {
    let pages = try integer("PRAGMA page_count") ?? 0
    let limit = try integer("PRAGMA max_page_count") ?? 0
    try execute("PRAGMA max_page_count = \(IndexLimits.pages(of: pages, indexes: count))")
    // After an error SQLite may have rolled back, and the file is discarded.
    defer { try? execute("PRAGMA max_page_count = \(limit)") }
    try body()
  }

  private var bytes: Int64 {
    get throws { try (integer("PRAGMA page_count") ?? 0) * (integer("PRAGMA page_size") ?? 0) }
  }

  /// The authorizer is set only while the text is prepared, because search tables may write their pending rows when it runs.
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

/// Bounds on the expressions of an index. SQLite looks at the time only between two functions, so that one function has to
/// be short, and its time grows with the length of its arguments.
private struct IndexLimits {
  private static let all: [(limit: Int32, value: Int32)] = [
    (SQLITE_LIMIT_LENGTH, 1024 * 1024), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_FUNCTION_ARG, 16),
  ]
  private let connection: Connection
  private let before: [Int32]

  init(_ connection: Connection) {
    self.connection = connection
    before = Self.all.map { sqlite3_limit(connection.handle, $0.limit, $0.value) }
  }

  func lift() {
    for (one, value) in zip(Self.all, before) { sqlite3_limit(connection.handle, one.limit, value) }
  }

  /// An index over all columns of narrow rows takes up to thrice the room of its table.
  static func pages(of table: Int64, indexes: Int) -> Int64 { 1000 + table * Int64(1 + 3 * indexes) }

  /// A slow phone sorts some megabytes in a second; a long time more is allowed.
  static func seconds(forBytes bytes: Int64) -> Int { 60 + Int(bytes / 1_000_000) }
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
      isAsked = first == name && second == table
      return isAsked
    case SQLITE_REINDEX: return first == name
    case SQLITE_INSERT: return first == "sqlite_master"
    case SQLITE_READ: return first == table || first == "sqlite_master"
    // SQLite allows only deterministic functions in an index.
    case SQLITE_FUNCTION: return true
    default: return false
    }
  }
}
