import CSQLite
package import SeedFormat

/// One SQLite connection. Whoever holds it is alone with it.
package final class Connection {
  /// Shared with the statements, which must not hold the connection itself: it holds them in its cache.
  let owner: ConnectionHandle
  private var cache: [String: Statement] = [:]

  package var path: String { owner.path }

  var handle: OpaquePointer { owner.pointer }

  private static let cacheCapacity = 256

  /// Opens the file at `path`.
  package init(_ path: String, _ mode: OpenMode) throws(DatabaseError) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(mode.location(path), &handle, mode.openFlags, nil)
    guard let handle else { throw DatabaseError(code: code, message: "out of memory", subject: path) }
    // From here on the owner closes the handle, whatever fails below.
    owner = ConnectionHandle(handle, path)
    guard code == SQLITE_OK else { throw error(code, path) }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, mode.busyMilliseconds)
    try mode.setUp(self)
  }

  /// A connection that somebody else has opened and will close, as it is set up; its owner lets it alone meanwhile.
  package init(borrowing handle: OpaquePointer) {
    let name = sqlite3_db_filename(handle, "main").map { String(cString: $0) }
    owner = ConnectionHandle(handle, name ?? "", isBorrowed: true)
  }

  /// Runs statements that yield no rows of interest.
  package func execute(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, sql) }
  }

  /// Runs the statements of a script one after the other; an error says where in the whole script it is.
  package func run(script: String) throws(DatabaseError) {
    let text = script.utf8CString
    var start = 0
    while start < text.count - 1 {
      var statement: OpaquePointer?
      var length = 0
      var code = text.withUnsafeBufferPointer { text -> Int32 in
        var tail: UnsafePointer<CChar>?
        guard let base = text.baseAddress else { return SQLITE_MISUSE }
        defer { length = tail.map { $0 - base - start } ?? 0 }
        return sqlite3_prepare_v2(handle, base + start, -1, &statement, &tail)
      }
      if code == SQLITE_OK, statement != nil { code = sqlite3_step(statement) }
      guard [SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(code) else {
        defer { sqlite3_finalize(statement) }
        let error = error(code, script)
        throw DatabaseError(
          code: error.code, message: error.message, subject: script, offset: start + (error.offset ?? 0))
      }
      sqlite3_finalize(statement)
      start += max(length, 1)
    }
  }

  /// Runs one statement with values.
  package func execute(_ sql: String, _ values: SeedValue...) throws(DatabaseError) {
    try cached(sql).run(values)
  }

  /// A statement of one's own.
  package func prepare(_ sql: String) throws(DatabaseError) -> Statement { try Statement(self, sql) }

  /// A statement out of the cache, reset and without bindings.
  package func cached(_ sql: String) throws(DatabaseError) -> Statement {
    if let statement = cache[sql] {
      statement.reset()
      return statement
    }
    if cache.count >= Self.cacheCapacity { cache = [:] }
    let statement = try prepare(sql)
    cache[sql] = statement
    return statement
  }

  /// Finalises every cached statement, so that nothing holds the schema or a lock.
  package func emptyCache() { cache = [:] }

  /// All rows of a small result.
  package func rows(_ sql: String, _ values: SeedValue...) throws -> [[SeedValue]] {
    let statement = try prepare(sql)
    try statement.bind(values)
    var rows: [[SeedValue]] = []
    while try statement.step() { rows.append(try statement.row()) }
    return rows
  }

  /// The first column of the first row.
  package func value(_ sql: String, _ values: SeedValue...) throws -> SeedValue? { try first(sql, values) }

  /// The first column of the first row, where it is an integer.
  package func integer(_ sql: String, _ values: SeedValue...) throws -> Int64? {
    if case .integer(let value)? = try first(sql, values) { value } else { nil }
  }

  private func first(_ sql: String, _ values: [SeedValue]) throws -> SeedValue? {
    let statement = try prepare(sql)
    try statement.bind(values)
    return try statement.step() ? try statement.value(0) : nil
  }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  package func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    try execute("BEGIN \(kind.rawValue)")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Ends the transaction, if one is open, without keeping anything.
  package func rollBack() {
    emptyCache()
    guard isInTransaction else { return }
    // A failing ROLLBACK leaves nothing to do: SQLite has rolled back by itself, or the file is gone.
    _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Writes the pages of the write-ahead log to the file and empties the log; false where a reader or another writer
  /// still needs it. Waits for nobody, for which a busy timeout is set aside. A handler of an app's own cannot be put
  /// back, so it stays, and decides.
  @discardableResult
  package func emptyLog() throws -> Bool {
    let timeout = try integer("PRAGMA busy_timeout") ?? 0
    if timeout > 0 { sqlite3_busy_timeout(handle, 0) }
    defer { if timeout > 0 { sqlite3_busy_timeout(handle, Int32(clamping: timeout)) } }
    return try integer("PRAGMA main.wal_checkpoint(TRUNCATE)") == 0
  }

  /// Writes the database to another file, without gaps. SQLite attaches the new file while it does so.
  package func vacuum(into path: String) throws(DatabaseError) {
    let limit = sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, limit) }
    try execute("VACUUM INTO ?", .text(path))
  }

  /// Lets the file's views be read: an app knows its own.
  package func allowViews() throws(DatabaseError) { try set(SQLITE_DBCONFIG_ENABLE_VIEW, true) }

  /// The most columns of a table or of a result.
  var columnLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

  /// Rows changed by the last statement.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Writes the open transaction's pages out of the cache, as far as nothing holds them. They stay readable
  /// there, but no longer keep nine tenths of it from whoever reads much before the commit.
  package func writeOutCache() throws(DatabaseError) {
    let code = sqlite3_db_cacheflush(handle)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw error(code, "sqlite3_db_cacheflush") }
  }

  /// From now on a name in double quotes that is no column's is an error. SQLite takes it for a text, as if it were in single quotes.
  package func refuseQuotedTexts() throws(DatabaseError) { try set(SQLITE_DBCONFIG_DQS_DML, false) }

  func set(_ option: Int32, _ on: Bool) throws(DatabaseError) {
    let code = seedbank_sqlite_set_flag(handle, option, on ? 1 : 0)
    guard code == SQLITE_OK else { throw error(code, "sqlite3_db_config \(option)") }
  }

  func error(_ code: Int32, _ subject: String) -> DatabaseError { owner.error(code, subject) }
}

// A connection is used by one owner at a time; SQLite's own mutexes are no licence to share the cache.
@available(*, unavailable)
extension Connection: Sendable {}

/// How a transaction takes its locks.
package enum TransactionKind: String, Sendable {
  case deferred = "DEFERRED"
  case immediate = "IMMEDIATE"
}

/// A name as SQL writes it, whatever it contains.
package func quoted(_ name: String) -> String {
  "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

extension Connection {
  /// The file behind a database of this connection; `nil` where there is none of that name.
  package func file(of database: String) -> String? {
    sqlite3_db_filename(handle, database).map { String(cString: $0) }
  }

  /// Whether a database of this connection can only be read; `nil` where there is none of that name.
  package func isReadOnly(_ database: String) -> Bool? {
    switch sqlite3_db_readonly(handle, database) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Runs `body` while foreign keys are not enforced, and puts that back as it was.
  package func withoutForeignKeys<Result>(_ body: () throws -> Result) throws -> Result {
    let were = try integer("PRAGMA foreign_keys") == 1
    guard were else { return try body() }
    try execute("PRAGMA foreign_keys = OFF")
    // Within a transaction SQLite ignores the order, and the importer would then refuse to work.
    defer { try? execute("PRAGMA foreign_keys = ON") }
    return try body()
  }
}

/// The pointer of a connection, owned by it and by its statements together: the last of them closes it.
final class ConnectionHandle {
  let pointer: OpaquePointer
  let path: String
  private let isBorrowed: Bool
  /// What else than its task can end a statement; SQLite has its address, so it ends after the connection.
  var interrupt: InterruptHandle?

  init(_ pointer: OpaquePointer, _ path: String, isBorrowed: Bool = false) {
    (self.pointer, self.path, self.isBorrowed) = (pointer, path, isBorrowed)
  }

  deinit { if !isBorrowed { sqlite3_close_v2(pointer) } }

  /// Whether the system failed to read or write the file, or its log, since the connection was opened.
  var hasDiskFailed: Bool { seedbank_sqlite_system_error(pointer) != 0 }

  func error(_ code: Int32, _ subject: String) -> DatabaseError {
    // SQLite calls a page that the disk does not give back corrupt (3.40.1), as it does one with wrong bytes.
    if ResultCode.damage.contains(code & 0xFF), hasDiskFailed { return .unread(subject) }
    let extended = sqlite3_extended_errcode(pointer)
    // The handle's own message belongs to its latest failure; use it where it is about this one.
    let isCurrent = extended & 0xFF == code & 0xFF
    let offset = isCurrent ? Int(sqlite3_error_offset(pointer)) : -1
    return DatabaseError(
      code: isCurrent ? extended : code,
      message: String(cString: isCurrent ? sqlite3_errmsg(pointer) : sqlite3_errstr(code)),
      subject: subject, offset: offset < 0 ? nil : offset,
      place: place(of: code & 0xFF))
  }

  /// A full disk under a database that is only read is that of SQLite's scratch files.
  private func place(of code: Int32) -> DatabaseError.Place? {
    guard [SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN].contains(code) else { return nil }
    let name = sqlite3_db_filename(pointer, "main").map { String(cString: $0) } ?? ""
    // A file that could not be opened has no name there; neither has a scratch database, whose path is none.
    let file = name.isEmpty && path.contains("/") ? path : name
    let isWritten = sqlite3_db_readonly(pointer, "main") == 0
    return file.isEmpty || (code == SQLITE_FULL && !isWritten) ? .scratch : .database(file)
  }
}

extension Connection {
  /// How a file is opened, by what it is and what it will be used for.
  package enum OpenMode: Sendable {
    /// A database in memory, for looking at schemas and for scratch values.
    case memory
    /// A temporary database that spills to a file without a name.
    case scratch
    /// Somebody else's database, read while others write it.
    case origin
    /// A working copy or another file of our own that we write.
    case writer
    /// As ``writer``, made when it is not there.
    case creator
    /// An app's own database that an import writes. Its schema is trusted as the app itself is.
    case own
    /// A file whose hash has just been verified and that nobody else has opened: a snapshot.
    case snapshot
    /// A store's live file, read while the store's one writer may write it.
    case reader
  }
}

extension Connection.OpenMode {
  private static let lockMilliseconds: Int32 = 10_000

  var busyMilliseconds: Int32 {
    switch self {
    case .memory, .scratch, .snapshot: 0
    case .origin, .writer, .creator, .own, .reader: Self.lockMilliseconds
    }
  }

  var openFlags: Int32 {
    // NOMUTEX: a connection has one owner, so SQLite's own locking would only cost.
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch self {
    case .memory: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
    case .origin, .reader: return common | SQLITE_OPEN_READONLY
    case .snapshot: return common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    case .writer, .own: return common | SQLITE_OPEN_READWRITE
    case .creator, .scratch: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
  }

  func location(_ path: String) -> String {
    switch self {
    case .memory: ":memory:"
    case .scratch: ""
    case .snapshot: "file:\(percentEncoded(path))?immutable=1"
    case .origin, .writer, .creator, .own, .reader: path
    }
  }

  func setUp(_ connection: Connection) throws(DatabaseError) {
    // An origin is the operator's own: its views may call what SQLite counts as untrusted.
    if case .origin = self { return }
    if mayBeForeign { try bound(connection) }
    try connection.set(SQLITE_DBCONFIG_DEFENSIVE, true)
    try connection.set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, trustsSchema)
    try connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try connection.set(SQLITE_DBCONFIG_ENABLE_FKEY, false)
    try connection.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    // SQLite before 3.51.3 can corrupt a WAL that two connections reset: readers never checkpoint.
    if case .reader = self { try connection.execute("PRAGMA wal_autocheckpoint = 0") }
  }

  /// Whether the file, or a part of it, may have come from elsewhere: nothing in it is run but what SQLite evaluates for a
  /// row, and that is bounded.
  private var mayBeForeign: Bool {
    switch self {
    case .snapshot, .reader, .writer: true
    case .memory, .scratch, .origin, .creator, .own: false
    }
  }

  private func bound(_ connection: Connection) throws(DatabaseError) {
    sqlite3_limit(connection.handle, SQLITE_LIMIT_ATTACHED, 0)
    try connection.set(SQLITE_DBCONFIG_ENABLE_VIEW, false)
  }

  /// Before version 3.41, SQLite counts its own JSON functions as unsafe: a table whose CHECK, index or generated column
  /// calls one could not be written at all.
  private var trustsSchema: Bool { if case .own = self { true } else { false } }

  /// Only what a `file:` URI would read as something else is escaped.
  private func percentEncoded(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }
}
