import CSQLite

extension Connection {
  /// Creates an index with SQL from an untrusted file. The authorizer permits only this index on this table, so any
  /// other statement is rejected before it runs. The computation for the rows is bounded in time and size.
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

  /// Runs `body`, which creates indexes, with a limit on the file's size that suffices for large ones.
  func growing(byIndexes count: Int, _ body: () throws -> Void) throws {
    let pages = try integer("PRAGMA page_count") ?? 0
    let limit = try integer("PRAGMA max_page_count") ?? 0
    try execute("PRAGMA max_page_count = \(IndexLimits.pages(of: pages, indexes: count))")
    // After an error SQLite may have rolled back; the file is then discarded.
    defer { try? execute("PRAGMA max_page_count = \(limit)") }
    try body()
  }

  private var bytes: Int64 {
    get throws { try (integer("PRAGMA page_count") ?? 0) * (integer("PRAGMA page_size") ?? 0) }
  }

  /// The authorizer is set only during preparation, because search tables may write when the statement runs.
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

/// SQL for an index in a file that would do something else.
package struct ForeignIndex: Error, Hashable, Sendable, CustomStringConvertible {
  package let name: String
  package let sql: String

  package var description: String {
    "the file's SQL for \(name) is not what a publisher writes, and was not run: \(sql.shortSQL)"
  }
}

/// Bounds on an index's expressions. SQLite checks the time only between functions, so each must have short arguments.
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

  /// An index over all columns of narrow rows is up to three times as large as its table.
  static func pages(of table: Int64, indexes: Int) -> Int64 { 1000 + table * Int64(1 + 3 * indexes) }

  /// A slow phone sorts several megabytes per second; the limit is far above that.
  static func seconds(forBytes bytes: Int64) -> Int { 60 + Int(bytes / 1_000_000) }
}

private final class IndexLeave {
  let name: String
  private let table: String
  private(set) var isAsked = false

  init(name: String, table: String) { (self.name, self.table) = (name, table) }

  func isGiven(
    for action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    in database: UnsafePointer<CChar>?
  ) -> Bool {
    guard action == SQLITE_FUNCTION || database.map({ String(cString: $0) }) == "main" else { return false }
    let (first, second) = (first.map { String(cString: $0) }, second.map { String(cString: $0) })
    switch action {
    case SQLITE_CREATE_INDEX:
      isAsked = first == name && second == table
      return isAsked
    case SQLITE_REINDEX: return first == name
    case SQLITE_INSERT: return first == "sqlite_master"
    case SQLITE_READ: return first == table || first == "sqlite_master"
    case SQLITE_FUNCTION: return true
    default: return false
    }
  }
}
