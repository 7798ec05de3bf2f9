import CSQLite

/// What SQLite refused, with what was asked of it.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code.
  package let code: Int32
  /// SQLite's own words.
  package let message: String
  /// The statement, or the path where a file could not be opened. Bound values are never kept.
  package let subject: String
  /// Where in the subject it is, in bytes, as far as SQLite says.
  package let offset: Int?
  /// Which file has no room or fails, if that is what went wrong.
  package let place: Place?

  package init(
    code: Int32, message: String, subject: String, offset: Int? = nil, place: Place? = nil
  ) {
    (self.code, self.message, self.subject, self.offset) = (code, message, subject, offset)
    self.place = place
  }

  /// A file, or files, that SQLite works with.
  package enum Place: Hashable, Sendable {
    /// A database at that path; or what SQLite sorts for it in its scratch files.
    case database(String)
    /// Scratch files of SQLite's own, in `TMPDIR`: nothing else was written.
    case scratch
  }

  /// The subject's line that is at fault, counted from 1.
  package var line: Int? { offset.map { 1 + subject.utf8.prefix($0).count { $0 == UInt8(ascii: "\n") } } }

  /// The code without its extension.
  package var primaryCode: Int32 { code & 0xFF }

  /// True if the file is damaged, or no database: trying again does not help.
  package var saysDamage: Bool { ResultCode.damage.contains(primaryCode) }

  /// True where there was no room for something.
  package var saysFull: Bool { primaryCode == SQLITE_FULL }

  /// True if the disk or the memory hinders SQLite, which says nothing of the data.
  package var saysHindrance: Bool {
    [SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_NOMEM].contains(primaryCode)
  }

  /// True where a writer died in the middle of a transaction, and its journal must be rolled back before anyone reads.
  package var saysUnfinished: Bool { code == seedbank_sqlite_unfinished }

  /// True where a database in WAL mode lacks files that a reader may not make.
  package var saysNoLogIndex: Bool {
    primaryCode == SQLITE_CANTOPEN || (primaryCode == SQLITE_READONLY && !saysUnfinished)
  }

  /// The disk does not give back what is in the file; the file may be in order.
  static func unread(_ subject: String) -> DatabaseError {
    let code = ResultCode.unread
    return DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)), subject: subject)
  }

  package var description: String { "\(cause) to: \(subject.shortSQL)" }

  /// Without the statement, which tells an operator nothing.
  fileprivate var cause: String { "SQLite says \"\(message)\" (\(code))" }
}

extension Error {
  /// What went wrong, for a sentence that says already with what.
  package var cause: String { (self as? DatabaseError)?.cause ?? "\(self)" }
}

extension String {
  /// Of a statement that goes on for pages, as one with a long list of values, as much as tells which it is.
  package var shortSQL: String {
    // In characters.
    let longest = 500
    return utf8.count <= longest ? self : "\(prefix(longest))… (\(utf8.count) bytes)"
  }
}

/// SQLite's result codes that this project tells apart, for modules that do not import it.
package enum ResultCode {
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
  /// A trigger's RAISE.
  package static let trigger = seedbank_sqlite_constraint_trigger
  /// Something else than an integer for an INTEGER PRIMARY KEY.
  package static let mismatch = SQLITE_MISMATCH
  package static let notADatabase = SQLITE_NOTADB
  static let damage: Set<Int32> = [corrupt, notADatabase]
  /// The disk does not give a page back.
  package static let unread = seedbank_sqlite_unread
  /// Some other row holds the value.
  package static let taken: Set<Int32> = [
    seedbank_sqlite_constraint_primary_key, seedbank_sqlite_constraint_unique,
    seedbank_sqlite_constraint_rowid,
  ]
}
