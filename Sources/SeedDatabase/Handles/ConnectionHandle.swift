import CSQLite

/// The pointer of a connection, owned by it and by its statements together: the last of them closes it.
final class ConnectionHandle {
  let pointer: OpaquePointer
  /// The file's path, for messages.
  let path: String
  /// Whether somebody else closes it.
  private let isBorrowed: Bool
  /// What else than its task can end a statement; SQLite has its address, so it ends after the connection.
  var interruption: Interruption?

  init(_ pointer: OpaquePointer, _ path: String, isBorrowed: Bool = false) {
    self.pointer = pointer
    self.path = path
    self.isBorrowed = isBorrowed
  }

  deinit { if !isBorrowed { sqlite3_close_v2(pointer) } }

  /// What went wrong in the latest call.
  func error(_ code: Int32, _ subject: String) -> DatabaseError {
    let extended = sqlite3_extended_errcode(pointer)
    // The handle's own message belongs to its latest failure; use it where it is about this one.
    let isCurrent = extended & 0xFF == code & 0xFF
    let offset = isCurrent ? Int(sqlite3_error_offset(pointer)) : -1
    return DatabaseError(
      code: isCurrent ? extended : code,
      message: String(cString: isCurrent ? sqlite3_errmsg(pointer) : sqlite3_errstr(code)),
      subject: subject, offset: offset < 0 ? nil : offset)
  }
}
