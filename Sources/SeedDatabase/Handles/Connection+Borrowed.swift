import CSQLite

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
