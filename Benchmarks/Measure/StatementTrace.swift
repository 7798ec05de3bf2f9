import CSQLite
import Foundation

/// Counts the statements of every connection opened after ``start()``. Not used in timed runs, because tracing takes
/// time.
enum StatementTrace {
  /// Written by SQLite's callback on the only importing thread.
  nonisolated(unsafe) fileprivate static var ran = 0
  nonisolated(unsafe) fileprivate static var looked = 0

  static var count: Int { ran }
  /// Statements that only look up.
  static var lookups: Int { looked }

  static func start() {
    let entry: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Int32 = {
      database, _, _ in
      sqlite3_trace_v2(database, UInt32(SQLITE_TRACE_STMT), countStatement, nil)
    }
    // SQLite declares entry points as functions without parameters but calls them with three.
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
  }

  fileprivate static let lookup = Array("SELECT".utf8CString.dropLast())
}

@Sendable private func countStatement(
  _ kind: UInt32, _ context: UnsafeMutableRawPointer?, _ statement: UnsafeMutableRawPointer?,
  _ text: UnsafeMutableRawPointer?
) -> Int32 {
  StatementTrace.ran += 1
  let start = text?.assumingMemoryBound(to: CChar.self)
  if let start, strncmp(start, StatementTrace.lookup, StatementTrace.lookup.count) == 0 {
    StatementTrace.looked += 1
  }
  return 0
}
