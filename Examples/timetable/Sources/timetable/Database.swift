#if canImport(SQLite3)
import SQLite3
#else
import SQLite
#endif

/// A minimal SQLite wrapper: one connection, texts in and out.
final class Database {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let handle: OpaquePointer

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard let handle else { throw Failure(description: "out of memory") }
    self.handle = handle
    guard code == SQLITE_OK else { throw failure(path) }
  }

  deinit { sqlite3_close_v2(handle) }

  func run(_ sql: String, _ values: String...) throws { _ = try rows(sql, values) }

  func rows(_ sql: String, _ values: String...) throws -> [[String]] { try rows(sql, values) }

  private func rows(_ sql: String, _ values: [String]) throws -> [[String]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      sqlite3_bind_text(statement, Int32(index + 1), value, -1, copied)
    }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { text(statement, $0) })
      case SQLITE_DONE: return rows
      default: throw failure(sql)
      }
    }
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  private func failure(_ subject: String) -> Failure {
    Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(subject)")
  }
}

/// Makes SQLite copy bound values, which do not outlive the call.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
