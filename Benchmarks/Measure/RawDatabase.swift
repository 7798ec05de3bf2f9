import CSQLite
import SeedFormat

/// SQLite's C interface as other authors use it, with checks of return codes only.
final class RawDatabase {
  let handle: OpaquePointer

  /// The settings of every contender's target.
  static let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"

  init(_ path: String) throws {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
      throw BenchmarkError.sqlite("cannot open", subject: path)
    }
    self.handle = handle
    try execute(Self.settings)
  }

  deinit { sqlite3_close(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
  }

  func prepare(_ sql: String) throws -> RawStatement { try RawStatement(self, sql) }

  func transaction(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    do {
      try body()
      try execute("COMMIT")
    } catch {
      try execute("ROLLBACK")
      throw error
    }
  }

  func error(_ subject: String) -> BenchmarkError {
    .sqlite(String(cString: sqlite3_errmsg(handle)), subject: subject)
  }
}

final class RawStatement {
  let handle: OpaquePointer
  private let database: RawDatabase
  private let sql: String

  fileprivate init(_ database: RawDatabase, _ sql: String) throws {
    var handle: OpaquePointer?
    guard sqlite3_prepare_v2(database.handle, sql, -1, &handle, nil) == SQLITE_OK, let handle else {
      throw database.error(sql)
    }
    self.handle = handle
    self.database = database
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SeedValue]) {
    for (index, value) in values.enumerated() { bind(value, Int32(index + 1)) }
  }

  private func bind(_ value: SeedValue, _ index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let value): sqlite3_bind_int64(handle, index, value)
    case .real(let value): sqlite3_bind_double(handle, index, value)
    case .text(var value):
      _ = value.withUTF8 { bindText($0, index) }
    case .blob(let value):
      _ = value.withUnsafeBytes {
        sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), seedbank_sqlite_transient)
      }
    }
  }

  private func bindText(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int32) -> Int32 {
    bytes.withMemoryRebound(to: CChar.self) { text in
      sqlite3_bind_text64(
        handle, index, text.baseAddress, UInt64(text.count), seedbank_sqlite_transient, UInt8(SQLITE_UTF8))
    }
  }

  /// True if there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw database.error(sql)
    }
  }

  func run(_ values: [SeedValue]) throws {
    defer { sqlite3_reset(handle) }
    bind(values)
    while try step() {}
  }

  func integer(_ index: Int32) -> SeedValue { .integer(sqlite3_column_int64(handle, index)) }

  /// Whether the statement yields a row.
  func finds(_ values: [SeedValue]) throws -> Bool {
    defer { sqlite3_reset(handle) }
    bind(values)
    return try step()
  }
}
