import CSQLite

/// A SQLite error, with the statement that caused it.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32
  package let message: String
  /// The statement, or the path of a file that could not be opened. Bound values are never kept.
  package let subject: String
  /// The error's byte offset in the subject, if SQLite reports one.
  package let offset: Int?
  /// The location that is full, failing or not writable, if this caused the error.
  package let place: Place?
  /// True if the statement failed when it ran, not when it was prepared.
  package internal(set) var isFromRun = false

  package init(code: Int32, message: String, subject: String, offset: Int? = nil, place: Place? = nil) {
    (self.code, self.message, self.subject, self.offset) = (code, message, subject, offset)
    self.place = place
  }

  /// The same error, with the file at `path` as its location.
  func at(_ path: String) -> DatabaseError {
    DatabaseError(code: code, message: message, subject: subject, offset: offset, place: .database(path))
  }

  package enum Place: Hashable, Sendable {
    /// A database, or the scratch files in which SQLite sorts its rows: the error does not show which.
    case database(String)
    /// SQLite's scratch files in `TMPDIR`; nothing else was written.
    case scratch
    /// The file descriptors of the process or the system.
    case descriptors
  }

  /// The line of the subject that contains the error, counted from 1.
  package var line: Int? { offset.map { 1 + subject.utf8.prefix($0).count { $0 == UInt8(ascii: "\n") } } }

  package var primaryCode: Int32 { code & 0xFF }

  /// True if the file is damaged or not a database, so that a retry cannot help.
  package var saysDamage: Bool { ResultCode.damage.contains(primaryCode) }

  /// True if a disk is full or a size limit is reached.
  package var saysFull: Bool { primaryCode == SQLITE_FULL }

  /// True if the disk or memory failed; the data may be sound.
  package var saysHindrance: Bool {
    [SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_NOMEM].contains(primaryCode)
  }

  /// True if the values of a row caused the error. Functions report SQLite's generic error, as json_extract does for
  /// malformed text in a CHECK, an index or a generated column.
  package var saysBadRow: Bool {
    [SQLITE_MISMATCH, SQLITE_CONSTRAINT].contains(primaryCode)
      || isFromRun && [SQLITE_ERROR, SQLITE_TOOBIG].contains(primaryCode)
  }

  /// True if no file descriptors are left.
  package var saysExhausted: Bool { place == .descriptors }

  /// True if a file cannot be opened although file descriptors are left.
  package var saysNotOpened: Bool { primaryCode == SQLITE_CANTOPEN && !saysExhausted }

  /// True if a writer died in a transaction and its journal must be rolled back before the next read.
  package var saysUnfinished: Bool { code == seedbank_sqlite_unfinished }

  /// True if a WAL database lacks files that a reader may not create.
  package var saysNoLogIndex: Bool {
    saysNotOpened || (primaryCode == SQLITE_READONLY && !saysUnfinished)
  }

  /// The error for an unreadable page; the file itself may be sound.
  static func unread(_ subject: String) -> DatabaseError {
    let code = ResultCode.unread
    return DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)), subject: subject)
  }

  package var description: String { "\(cause) for: \(subject.shortSQL)" }

  /// Omits the statement, which does not help an operator.
  fileprivate var cause: String { "SQLite reports \"\(message)\" (\(code))" }
}

extension Error {
  /// The cause, for a message that already names the subject.
  package var cause: String { (self as? DatabaseError)?.cause ?? "\(self)" }
}

extension String {
  package var shortSQL: String {
    // In characters.
    let longest = 500
    return utf8.count <= longest ? self : "\(prefix(longest))… (\(utf8.count) bytes)"
  }
}

/// SQLite's result codes for modules that do not import SQLite.
package enum ResultCode {
  package static let error = SQLITE_ERROR
  package static let denied = SQLITE_PERM
  package static let busy = SQLITE_BUSY
  package static let noMemory = SQLITE_NOMEM
  package static let readOnly = SQLITE_READONLY
  package static let interrupted = SQLITE_INTERRUPT
  package static let io = SQLITE_IOERR
  package static let corrupt = SQLITE_CORRUPT
  package static let full = SQLITE_FULL
  package static let cannotOpen = SQLITE_CANTOPEN
  package static let lockProtocol = SQLITE_PROTOCOL
  package static let constraint = SQLITE_CONSTRAINT
  package static let notADatabase = SQLITE_NOTADB
  static let damage: Set<Int32> = [corrupt, notADatabase]
  package static let unread = seedbank_sqlite_unread
  /// The codes for a unique value that another row holds.
  package static let taken: Set<Int32> = [
    seedbank_sqlite_constraint_primary_key, seedbank_sqlite_constraint_unique,
    seedbank_sqlite_constraint_rowid,
  ]
}
