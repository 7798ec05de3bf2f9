import CSQLite

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
    case .origin, .writer, .creator, .reader: Self.lockMilliseconds
    }
  }

  var openFlags: Int32 {
    // NOMUTEX: a connection has one owner, so SQLite's own locking would only cost.
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch self {
    case .memory: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
    case .origin, .reader: return common | SQLITE_OPEN_READONLY
    case .snapshot: return common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    case .writer: return common | SQLITE_OPEN_READWRITE
    case .creator, .scratch: return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
  }

  func location(_ path: String) -> String {
    switch self {
    case .memory: ":memory:"
    case .scratch: ""
    case .snapshot: "file:\(percentEncoded(path))?immutable=1"
    case .origin, .writer, .creator, .reader: path
    }
  }

  func setUp(_ connection: Connection) throws(DatabaseError) {
    // An origin is the operator's own: its views may call what SQLite counts as untrusted.
    if case .origin = self { return }
    try connection.set(SQLITE_DBCONFIG_DEFENSIVE, true)
    try connection.set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
    try connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try connection.set(SQLITE_DBCONFIG_ENABLE_FKEY, false)
    try connection.execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    if case .snapshot = self { try connection.set(SQLITE_DBCONFIG_ENABLE_VIEW, false) }
    // SQLite before 3.51.3 can corrupt a WAL that two connections reset: readers never checkpoint.
    if case .reader = self { try connection.execute("PRAGMA wal_autocheckpoint = 0") }
  }

  /// Only what a `file:` URI would read as something else is escaped.
  private func percentEncoded(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }
}
