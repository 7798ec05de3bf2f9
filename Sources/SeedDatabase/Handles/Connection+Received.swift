import CSQLite

// A received file may come from an attacker, and SQLite evaluates the expressions in its schema. The authorizer is
// not called for these expressions, because SQLite parses them when it loads the schema.
extension Connection {
  var isReceived: Bool { owner.isReceived }

  /// Seeds stay far below these limits. Without the limits, a few bytes of schema could use a lot of memory or stack.
  private static let receivedLimits: [(limit: Int32, value: Int32)] = [
    (SQLITE_LIMIT_SQL_LENGTH, 1_000_000), (SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (SQLITE_LIMIT_VDBE_OP, 4_000_000), (SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
  ]
  private static let deepestExpression: Int32 = 500

  /// Maximum number of bytes in one statement of a schema.
  private static let longestDefinition: Int32 = 256 * 1024
  private static let secondsToLoad = 10

  /// Also called for a model's schema, which is parsed in memory before it is published.
  func limitDepth() { sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, Self.deepestExpression) }

  /// Loads the schema within limits. SQLite then also reads `sqlite_stat1`; a forged one may have computed columns.
  func loadReceivedSchema() throws(DatabaseError) {
    limitDepth()
    for (limit, value) in Self.receivedLimits { sqlite3_limit(handle, limit, value) }
    endWithTask()
    let length = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestDefinition)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, length) }
    // A store reads its files even after its task is cancelled.
    try computing(atMost: Self.secondsToLoad, endingWithTask: false) { () throws(DatabaseError) in
      // The digest proves the rows, so CHECKs add nothing.
      try execute("SELECT 1 FROM sqlite_schema LIMIT 1; PRAGMA ignore_check_constraints = ON")
    }
  }

  /// Runs one statement of an untrusted schema, with limits on CPU time and the file's size. The authorizer rejects
  /// statements of any other kind before they run.
  func define(_ sql: String, _ kind: DefinitionKind, growingTo size: Int64) throws {
    let leave = DefinitionLeave(kind)
    let before = IndexLimits.all.map { sqlite3_limit(handle, $0.limit, $0.value) }
    defer { for (one, value) in zip(IndexLimits.all, before) { sqlite3_limit(handle, one.limit, value) } }
    do {
      let statement = try prepared(sql, leave)
      try computing(atMost: IndexLimits.seconds(forBytes: bytes), growingTo: size) { try statement.run() }
    } catch let error as DatabaseError where !error.saysHindrance && !Task.isCancelled {
      throw ForeignDefinition(index: leave.index, sql: sql, reason: leave.reason(for: error))
    }
  }

  /// The size up to which the file may grow.
  func room(forIndexes count: Int) throws -> Int64 { IndexLimits.bytes(of: try bytes, indexes: count) }

  var bytes: Int64 {
    get throws { try (integer("PRAGMA page_count") ?? 0) * (integer("PRAGMA page_size") ?? 0) }
  }

  /// The authorizer is set only during preparation, because search tables may write when the statement runs.
  private func prepared(_ sql: String, _ leave: DefinitionLeave) throws -> Statement {
    sqlite3_set_authorizer(
      handle,
      { leave, action, first, second, database, _ in
        guard let leave else { return SQLITE_DENY }
        let rules = Unmanaged<DefinitionLeave>.fromOpaque(leave).takeUnretainedValue()
        return rules.isGiven(for: action, first, second, in: database) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(leave).toOpaque())
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    let statement = try withExtendedLifetime(leave) { try prepare(sql) }
    let isWhole = statement.length == sql.utf8.count && sqlite3_stmt_isexplain(statement.handle) == 0
    guard leave.isAsked, isWhole else {
      throw DatabaseError(code: SQLITE_AUTH, message: "not authorized", subject: sql)
    }
    return statement
  }
}

/// An index or a schema addition, rejected because its SQL does more than define it or costs too much.
package struct ForeignDefinition: Error, Hashable, Sendable, CustomStringConvertible {
  /// The index's name; nil for an addition.
  package let index: String?
  package let sql: String
  package let reason: String

  package var description: String {
    let problem = index.map { "the index \($0) is not built" } ?? "the schema cannot be extended"
    return "\(problem): \(reason): \(sql.shortSQL)"
  }
}

/// The limits on an index's expressions. SQLite checks time only between function calls, so arguments must be short.
private enum IndexLimits {
  static let all: [(limit: Int32, value: Int32)] = [
    (SQLITE_LIMIT_LENGTH, 1024 * 1024), (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_FUNCTION_ARG, 16),
  ]

  /// An index over all columns of narrow rows is up to three times as large as its table.
  static func bytes(of table: Int64, indexes: Int) -> Int64 { 4_000_000 + table * Int64(1 + 3 * indexes) }

  /// A slow phone sorts several megabytes per second. The limit is a minute plus one second per megabyte.
  static func seconds(forBytes bytes: Int64) -> Int { 60 + Int(bytes / 1_000_000) }
}

enum DefinitionKind {
  case index(name: String, table: String)
  /// A minor version's new column, table, index, view or search table. Its name must not begin with the given prefix.
  case addition(sparing: String)
}

/// The authorizer's rules for one statement.
private final class DefinitionLeave {
  private let kind: DefinitionKind
  private(set) var isAsked = false
  private var isAltering = false
  private var deniedFunction: String?

  private var other: String {
    switch kind {
    case .index: "its SQL must do nothing but create this index on its table"
    case .addition:
      "its SQL must add exactly one thing: a table, an index, a view, an FTS5 table, or a column with a constant default"
    }
  }

  /// Functions that take linear time. `trim`, `instr`, `replace` and `LIKE` take quadratic time; `printf` and
  /// `zeroblob` make long values from short ones.
  private static let quickFunctions = Set(
    """
    -> ->> abs acos asin atan atan2 ceil ceiling char coalesce concat concat_ws cos date datetime degrees exp floor hex if ifnull \
    iif json_array_length json_extract json_type json_valid julianday length likelihood likely ln log log10 log2 lower max min mod \
    nullif octet_length pi pow power radians round sign sin sqrt strftime substr substring tan time timediff trunc typeof unicode \
    unixepoch unlikely upper
    """.split(separator: " ").map(String.init))

  /// The functions that SQLite itself calls to edit a table's definition in ALTER TABLE.
  private static let editingFunctions: Set = ["format", "length", "printf", "substr"]

  init(_ kind: DefinitionKind) { self.kind = kind }

  var index: String? { if case .index(let name, _) = kind { name } else { nil } }

  func isGiven(
    for action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    in database: UnsafePointer<CChar>?
  ) -> Bool {
    let (first, second) = (first.map { String(cString: $0) }, second.map { String(cString: $0) })
    let database = database.map { String(cString: $0) }
    if action == SQLITE_FUNCTION { return isGiven(function: second ?? "") }
    // ALTER TABLE runs a SELECT to check rows against a new CHECK or, in newer versions, a STRICT table's types.
    if action == SQLITE_SELECT { return isAltering }
    guard action == SQLITE_ALTER_TABLE ? first == "main" : database == "main" else { return false }
    switch kind {
    case .index(let name, let table): return isGiven(for: action, first, second, index: name, on: table)
    case .addition(let prefix): return isGivenToAdd(for: action, first, second, sparing: prefix)
    }
  }

  private func isGiven(
    for action: Int32, _ first: String?, _ second: String?, index name: String, on table: String
  ) -> Bool {
    switch action {
    case SQLITE_CREATE_INDEX:
      isAsked = first == name && second == table
      return isAsked
    case SQLITE_REINDEX: return first == name
    case SQLITE_INSERT: return first == "sqlite_master"
    case SQLITE_READ: return first == table || first == "sqlite_master"
    default: return false
    }
  }

  /// Permits only additions. Renames and removals are rejected because they call functions that are not permitted.
  private func isGivenToAdd(
    for action: Int32, _ first: String?, _ second: String?, sparing prefix: String
  ) -> Bool {
    switch action {
    case SQLITE_ALTER_TABLE, SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW:
      isAsked = ![first, second].contains { $0?.foldedName.hasPrefix(prefix) == true }
      isAltering = isAsked && action == SQLITE_ALTER_TABLE
      return isAsked
    case SQLITE_CREATE_VTABLE:
      isAsked = second?.foldedName == "fts5"
      return isAsked
    case SQLITE_INSERT, SQLITE_UPDATE: return first == "sqlite_master"
    // ADD COLUMN reads the table if SQLite allows the new column only in an empty table. Such a column is rejected.
    case SQLITE_READ: return !isAltering || first == "sqlite_master" || first == "pragma_quick_check"
    case SQLITE_REINDEX: return true
    default: return false
    }
  }

  private func isGiven(function name: String) -> Bool {
    let isEditing = if case .addition = kind { Self.editingFunctions.contains(name) } else { false }
    let isQuick = Self.quickFunctions.contains(name) || isAltering && name == "glob"
    if !isQuick && !isEditing { deniedFunction = name }
    return isQuick || isEditing
  }

  func reason(for error: DatabaseError) -> String {
    if let deniedFunction {
      return isAltering ? other : "it calls \(deniedFunction)(), which can take too long on a device"
    }
    switch error.primaryCode {
    case SQLITE_AUTH: return other
    case SQLITE_INTERRUPT: return "it takes more time or space than a table of this size can need"
    default: return error.cause
    }
  }
}
