import CSQLite
package import SeedFormat
import SeedSystem

/// One SQLite connection, for one owner at a time.
package final class Connection {
  /// Shared with the statements. They must not retain the connection, because its cache retains them.
  let owner: ConnectionHandle
  private var cache: [String: Statement] = [:]

  package var path: String { owner.path }

  var handle: OpaquePointer { owner.pointer }

  private static let cacheCapacity = 256
  /// The number of pages copied between two checks for cancellation.
  private static let copiedPages: Int32 = 1000

  package init(_ path: String, _ mode: OpenMode) throws(DatabaseError) {
    // Opening a pipe for reading would wait for a writer.
    if mode.openFlags & SQLITE_OPEN_READONLY != 0, (try? FileStamp(path))??.isRegular == false {
      throw DatabaseError(code: SQLITE_NOTADB, message: "it is not a regular file", subject: path)
    }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(mode.location(path), &handle, mode.openFlags, nil)
    guard let handle else { throw DatabaseError(code: code, message: "out of memory", subject: path) }
    // From now on, the owner closes the handle, even if a later step fails.
    owner = ConnectionHandle(handle, path, isReceived: mode.isReceived)
    guard code == SQLITE_OK else { throw error(code, path) }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, mode.busyMilliseconds)
    try mode.setUp(self)
  }

  /// Wraps another owner's open connection. The owner configures and closes it, and must not use it at the same time.
  package init(borrowing handle: OpaquePointer) {
    let name = sqlite3_db_filename(handle, "main").map { String(cString: $0) }
    owner = ConnectionHandle(handle, name ?? "", isBorrowed: true)
  }

  /// Disables SQLite's memory statistics in the whole process. Has no effect once SQLite is in use.
  package static func omitMemoryStatistics() { _ = seedbank_sqlite_omit_memory_statistics() }

  /// Runs statements and discards their rows.
  package func execute(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, sql) }
  }

  /// Runs a script's statements in order; an error gives the position in the whole script.
  package func run(script: String) throws(DatabaseError) {
    let failure = script.withCString { start -> DatabaseError? in
      var rest: UnsafePointer<CChar>? = start
      while let text = rest, text.pointee != 0 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(handle, text, -1, &statement, &rest)
        if code == SQLITE_OK, statement != nil { code = sqlite3_step(statement) }
        guard [SQLITE_OK, SQLITE_DONE, SQLITE_ROW].contains(code) else {
          let error = error(code, script)
          return DatabaseError(
            code: error.code, message: error.message, subject: script,
            offset: text - start + (error.offset ?? 0))
        }
      }
      return nil
    }
    if let failure { throw failure }
  }

  package func execute(_ sql: String, _ values: SeedValue...) throws(DatabaseError) {
    try cached(sql).run(values)
  }

  package func prepare(_ sql: String) throws(DatabaseError) -> Statement { try Statement(self, sql) }

  /// Returns a cached statement, reset and without bindings.
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

  /// Finalises every cached statement, which releases locks and the schema.
  package func emptyCache() { cache = [:] }

  /// Returns all rows; meant for small results.
  package func rows(_ sql: String, _ values: SeedValue...) throws -> [[SeedValue]] {
    let statement = try prepare(sql)
    try statement.bind(values)
    var rows: [[SeedValue]] = []
    while try statement.step() { rows.append(try statement.row()) }
    return rows
  }

  package func value(_ sql: String, _ values: SeedValue...) throws -> SeedValue? { try first(sql, values) }

  /// The first column of the first row; nil if it is not an integer.
  package func integer(_ sql: String, _ values: SeedValue...) throws -> Int64? {
    if case .integer(let value)? = try first(sql, values) { value } else { nil }
  }

  private func first(_ sql: String, _ values: [SeedValue]) throws -> SeedValue? {
    let statement = try prepare(sql)
    try statement.bind(values)
    return try statement.step() ? try statement.value(0) : nil
  }

  /// Runs `body` in a transaction, which is committed if `body` returns and rolled back if it throws.
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

  package func rollBack() {
    emptyCache()
    guard isInTransaction else { return }
    // If ROLLBACK fails, SQLite has already rolled back or the file is gone.
    _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Checkpoints and empties the write-ahead log; returns false if a reader or another writer still needs it.
  /// Suspends the busy timeout so that the call does not wait.
  @discardableResult
  package func emptyLog() throws -> Bool {
    let timeout = try integer("PRAGMA busy_timeout") ?? 0
    if timeout > 0 { sqlite3_busy_timeout(handle, 0) }
    defer { if timeout > 0 { sqlite3_busy_timeout(handle, Int32(clamping: timeout)) } }
    return try integer("PRAGMA main.wal_checkpoint(TRUNCATE)") == 0
  }

  /// Writes a compact copy to another file, which SQLite attaches while it writes.
  package func vacuum(into path: String) throws(DatabaseError) {
    let limit = sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, limit) }
    do throws(DatabaseError) {
      try execute("VACUUM INTO ?", .text(path))
    } catch {
      // These errors are about the copy, which may be on a different disk from this file.
      throw error.saysFull || error.saysNotOpened ? error.at(path) : error
    }
  }

  /// Copies the database to a writable temporary file. Other processes may write the original during the copy.
  package func temporaryCopy() throws(DatabaseError) -> Connection {
    let copy = try Connection("copy", .copy)
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
      throw copy.error(sqlite3_errcode(copy.handle), "sqlite3_backup_init")
    }
    defer { sqlite3_backup_finish(backup) }
    var code = SQLITE_OK
    while code == SQLITE_OK, !Task.isCancelled { code = sqlite3_backup_step(backup, Self.copiedPages) }
    guard code == SQLITE_DONE else {
      throw copy.error(code == SQLITE_OK ? SQLITE_INTERRUPT : code, "sqlite3_backup_step")
    }
    return copy
  }

  /// Enables the file's views, for an app that trusts them.
  package func allowViews() throws(DatabaseError) { try set(SQLITE_DBCONFIG_ENABLE_VIEW, true) }

  var columnLimit: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Writes the open transaction's dirty pages to the file, so that they cannot fill nine tenths of the page cache
  /// during long reads before the commit. The pages stay readable.
  package func writeOutCache() throws(DatabaseError) {
    let code = sqlite3_db_cacheflush(handle)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw error(code, "sqlite3_db_cacheflush") }
  }

  /// Makes an unknown name in double quotes an error. By default, SQLite reads such a name as text.
  package func refuseQuotedTexts() throws(DatabaseError) { try set(SQLITE_DBCONFIG_DQS_DML, false) }

  /// The file of an attached database; nil if no database has that name.
  package func file(of database: String) -> String? {
    sqlite3_db_filename(handle, database).map { String(cString: $0) }
  }

  func set(_ option: Int32, _ on: Bool) throws(DatabaseError) {
    let code = seedbank_sqlite_set_flag(handle, option, on ? 1 : 0)
    guard code == SQLITE_OK else { throw error(code, "sqlite3_db_config \(option)") }
  }

  func error(_ code: Int32, _ subject: String) -> DatabaseError { owner.error(code, subject) }
}

// A connection has one owner at a time; SQLite's mutexes do not protect the cache.
@available(*, unavailable)
extension Connection: Sendable {}

package enum TransactionKind: String, Sendable {
  case deferred = "DEFERRED"
  case immediate = "IMMEDIATE"
}

package func quoted(_ name: String) -> String { "\"\(name.replacing(scalars: "\"", with: "\"\""))\"" }

extension String {
  /// The name with its ASCII letters in lower case: SQLite ignores the case of these letters only.
  package var foldedName: String {
    String(
      decoding: utf8.lazy.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}

/// A connection's pointer, shared by the connection and its statements, and closed with the last of them.
final class ConnectionHandle {
  let pointer: OpaquePointer
  let path: String
  private let isBorrowed: Bool
  /// Whether the file's schema may come from an attacker.
  let isReceived: Bool
  /// The handle that interrupts statements. SQLite keeps its address, so it must outlive the connection.
  var interrupt: InterruptHandle?

  init(_ pointer: OpaquePointer, _ path: String, isBorrowed: Bool = false, isReceived: Bool = false) {
    (self.pointer, self.path, self.isBorrowed, self.isReceived) = (pointer, path, isBorrowed, isReceived)
  }

  deinit { if !isBorrowed { sqlite3_close_v2(pointer) } }

  /// Whether a system call on the file or its log has failed since the connection was opened.
  var hasDiskFailed: Bool { seedbank_sqlite_system_error(pointer) != 0 }

  func error(_ code: Int32, _ subject: String) -> DatabaseError {
    // SQLite (3.40.1) also reports an unreadable page as corruption.
    if ResultCode.damage.contains(code & 0xFF), hasDiskFailed { return .unread(subject) }
    let extended = sqlite3_extended_errcode(pointer)
    // The handle's message belongs to its latest failure, which may be a different one.
    let isCurrent = extended & 0xFF == code & 0xFF
    let offset = isCurrent ? Int(sqlite3_error_offset(pointer)) : -1
    return DatabaseError(
      code: isCurrent ? extended : code,
      message: String(cString: isCurrent ? sqlite3_errmsg(pointer) : sqlite3_errstr(code)),
      subject: subject, offset: offset < 0 ? nil : offset,
      place: place(of: code & 0xFF))
  }

  /// If the database is read-only, only SQLite's scratch files can have filled a disk.
  private func place(of code: Int32) -> DatabaseError.Place? {
    guard [SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY].contains(code) else { return nil }
    if code == SQLITE_CANTOPEN, FileError.isExhausted(sqlite3_system_errno(pointer)) { return .descriptors }
    let name = sqlite3_db_filename(pointer, "main").map { String(cString: $0) } ?? ""
    // SQLite has no name for a scratch database or a file that it could not open. Only the latter's path has a slash.
    let file = name.isEmpty && path.contains("/") ? path : name
    let isWritten = sqlite3_db_readonly(pointer, "main") == 0
    return file.isEmpty || (code == SQLITE_FULL && !isWritten) ? .scratch : .database(file)
  }
}

extension Connection {
  /// How a file is opened, depending on its owner and its use.
  package enum OpenMode: Sendable {
    case memory
    /// A temporary database that spills to an unnamed file.
    case scratch
    /// The operator's database, read while other processes write it.
    case origin
    /// A working copy or another file that only Seedbank writes.
    case writer
    /// Like ``writer``, but creates a missing file.
    case creator
    /// An app's own database, written by an import. Its schema is trusted.
    case own
    /// A store's live file, which its one writer may change at any time. It was checked as a ``snapshot``.
    case reader
    /// A snapshot, Seedbank's own or from elsewhere, that no other process has open.
    case snapshot
    /// A file from elsewhere that another process may write.
    case received
    /// A seed, Seedbank's own or from elsewhere, to which indexes are added and deltas are applied.
    case seed
    /// A temporary copy of a file from elsewhere, in an unnamed file.
    case copy
  }
}

extension Connection.OpenMode {
  private static let lockMilliseconds: Int32 = 10_000

  var busyMilliseconds: Int32 {
    [.memory, .scratch, .copy, .snapshot].contains(self) ? 0 : Self.lockMilliseconds
  }

  var openFlags: Int32 {
    // NOMUTEX: a connection has one owner, so SQLite's own locking is only overhead.
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch self {
    case .memory: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
    case .origin, .reader, .received: return common | SQLITE_OPEN_READONLY
    case .snapshot: return common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    case .writer, .own, .seed: return common | SQLITE_OPEN_READWRITE
    case .creator, .scratch, .copy: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
  }

  func location(_ path: String) -> String {
    switch self {
    case .memory: ":memory:"
    case .scratch, .copy: ""
    case .snapshot: "file:\(percentEncoded(path))?immutable=1"
    case .origin, .writer, .creator, .own, .reader, .received, .seed: path
    }
  }

  func setUp(_ connection: Connection) throws(DatabaseError) {
    // The operator's views may call functions that SQLite considers untrusted.
    if self == .origin { return }
    if isForeign {
      sqlite3_limit(connection.handle, SQLITE_LIMIT_ATTACHED, 0)
      try connection.set(SQLITE_DBCONFIG_ENABLE_VIEW, false)
    }
    if self == .memory { connection.limitDepth() }
    try connection.set(SQLITE_DBCONFIG_DEFENSIVE, true)
    // Without this trust, SQLite before 3.41 rejects its own JSON functions in a schema. An import could then not write
    // a table that calls one in a CHECK, an index or a generated column.
    try connection.set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, self == .own)
    try connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try connection.set(SQLITE_DBCONFIG_ENABLE_FKEY, false)
    try connection.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    // SQLite before 3.51.3 can corrupt a WAL that two connections reset, so readers never checkpoint.
    if [.reader, .received].contains(self) { try connection.execute("PRAGMA wal_autocheckpoint = 0") }
    if isReceived { try connection.loadReceivedSchema() }
  }

  /// Whether part of the file may be untrusted. If so, views are disabled, and no other file can be attached.
  private var isForeign: Bool { ![.memory, .scratch, .origin, .creator, .own].contains(self) }

  /// Whether the file's schema may come from an attacker.
  var isReceived: Bool { isForeign && ![.writer, .reader].contains(self) }
}

/// Escapes only characters with a meaning in a `file:` URI.
package func percentEncoded(_ path: String) -> String {
  path.replacing(scalars: "%", with: "%25").replacing(scalars: "?", with: "%3f")
    .replacing(scalars: "#", with: "%23")
}
