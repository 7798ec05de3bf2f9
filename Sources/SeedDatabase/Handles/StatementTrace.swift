import CSQLite

/// Shows every statement that a connection runs, as long as it lives.
package final class StatementTrace {
  private let connection: Connection
  fileprivate let show: (String) -> Void

  package init(_ connection: Connection, _ show: @escaping (String) -> Void) {
    self.connection = connection
    self.show = show
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_trace_v2(connection.handle, UInt32(SQLITE_TRACE_STMT), traceStatement, context)
  }

  deinit { sqlite3_trace_v2(connection.handle, 0, nil, nil) }
}

// X points to the statement's text as it was prepared: bound values are not shown.
private func traceStatement(
  _ kind: UInt32, _ context: UnsafeMutableRawPointer?, _ statement: UnsafeMutableRawPointer?,
  _ text: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context, let text else { return 0 }
  Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
    .show(String(cString: text.assumingMemoryBound(to: CChar.self)))
  return 0
}
