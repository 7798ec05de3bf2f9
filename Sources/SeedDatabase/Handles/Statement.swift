import CSQLite
package import SeedFormat

/// A prepared statement, which owns its pointer and keeps its connection open.
package final class Statement {
  let handle: OpaquePointer
  private let owner: ConnectionHandle
  package let sql: String
  /// The statement's length in bytes; the text after it was not parsed.
  let length: Int

  init(_ connection: Connection, _ sql: String) throws(DatabaseError) {
    var handle: OpaquePointer?
    var length = 0
    let code = sql.withCString { text in
      var tail: UnsafePointer<CChar>?
      defer { length = tail.map { $0 - text } ?? 0 }
      return sqlite3_prepare_v3(connection.handle, text, -1, 0, &handle, &tail)
    }
    guard code == SQLITE_OK else { throw connection.error(code, sql) }
    guard let handle else {
      throw DatabaseError(code: SQLITE_MISUSE, message: "an empty statement", subject: sql)
    }
    self.handle = handle
    owner = connection.owner
    self.sql = sql
    self.length = length
  }

  deinit { sqlite3_finalize(handle) }

  package func bind(_ values: some Sequence<SeedValue>) throws(DatabaseError) {
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  /// Binds one value; `index` counts from 1.
  package func bind(_ value: SeedValue, at index: Int32) throws(DatabaseError) {
    let code = value.withBorrowed { bind($0, at: index, copied: true) }
    guard code == SQLITE_OK else { throw owner.error(code, sql) }
  }

  /// Binds a value without a copy; its memory must stay valid until the parameter is bound again.
  package func lend(_ value: BorrowedValue, at index: Int32) throws(DatabaseError) {
    let code = bind(value, at: index, copied: false)
    guard code == SQLITE_OK else { throw owner.error(code, sql) }
  }

  @inline(__always)
  private func bind(_ value: BorrowedValue, at index: Int32, copied: Bool) -> Int32 {
    let destructor = copied ? seedbank_sqlite_transient : nil
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let value): return sqlite3_bind_int64(handle, index, value)
    case .real(let value): return sqlite3_bind_double(handle, index, value)
    case .text(let bytes):
      // An empty text may have no address, and a null pointer would bind NULL.
      let text = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? Self.empty
      return sqlite3_bind_text64(handle, index, text, UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8))
    case .blob(let bytes) where bytes.isEmpty: return sqlite3_bind_zeroblob(handle, index, 0)
    case .blob(let bytes):
      return sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), destructor)
    }
  }

  /// Borrows a value of the current row until the next step; a string is not validated.
  package func borrow(_ column: Int32) -> BorrowedValue {
    // Looks the value up once: each `sqlite3_column_*` function would look it up and lock again.
    let value = sqlite3_column_value(handle, column)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let bytes = sqlite3_value_text(value)
      return .text(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
    case SQLITE_BLOB:
      let bytes = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
      return .blob(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
    default: return .null
    }
  }

  /// Borrows the current row until the next step; strings are not validated.
  package func borrowRow(into row: inout [BorrowedValue]) {
    let count = columnCount
    if row.count != count { row = Array(repeating: .null, count: count) }
    // A subscript would check at each access whether the array's storage is shared.
    row.withUnsafeMutableBufferPointer { row in
      for column in 0..<count { row[column] = borrow(Int32(column)) }
    }
  }

  func holds(_ value: BorrowedValue, at column: Int32) -> Bool { BorrowedValue.same(borrow(column), value) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Runs a statement that returns no rows, and rewinds it. Returns the error instead of throwing it: the compiler
  /// (6.3.1) crashes on `catch where` after a typed throw in code that writes rows.
  package func attempt() -> DatabaseError? {
    defer { rewind() }
    do throws(DatabaseError) {
      _ = try step()
      return nil
    } catch { return error }
  }

  /// Resets the statement but keeps its bindings, which callers replace before the next step.
  package func rewind() { sqlite3_reset(handle) }

  /// A byte with a permanent address, for empty strings.
  private nonisolated(unsafe) static let empty: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()

  package func step() throws(DatabaseError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      var error = owner.error(code, sql)
      error.isFromRun = true
      sqlite3_reset(handle)
      throw error
    }
  }

  package func run(_ values: [SeedValue] = []) throws(DatabaseError) {
    try bind(values)
    while try step() {}
    reset()
  }

  package func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  package var path: String { owner.path }

  private var columnCount: Int { Int(sqlite3_column_count(handle)) }

  package var hasParameters: Bool { sqlite3_bind_parameter_count(handle) > 0 }

  package var columnNames: [String] {
    (0..<Int32(columnCount)).map { String(cString: sqlite3_column_name(handle, $0)) }
  }

  package func row() throws(InvalidText) -> [SeedValue] {
    try (0..<columnCount).map { index throws(InvalidText) in try value(index) }
  }

  /// A value of the current row; columns count from 0.
  package func value(_ column: Int) throws(InvalidText) -> SeedValue {
    let value = borrow(Int32(column))
    guard case .text(let bytes) = value else { return value.owned }
    guard let text = String(utf8: bytes) else {
      throw InvalidText(column: String(cString: sqlite3_column_name(handle, Int32(column))))
    }
    return .text(text)
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

/// Text that is not valid UTF-8. JSON cannot represent it, so a publisher rejects it.
package struct InvalidText: Error, Hashable, Sendable, CustomStringConvertible {
  package let column: String

  package init(column: String) { self.column = column }

  package var description: String { "the column \"\(column)\" holds text that is not valid UTF-8" }
}
