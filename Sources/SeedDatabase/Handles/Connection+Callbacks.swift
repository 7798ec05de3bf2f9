import CSQLite
import SeedSystem

/// Interrupts the statements of a connection from any thread, until it is cleared. A flag that the connection looks at
/// itself: `sqlite3_interrupt` would be lost between two statements, and must not meet a connection that is being
/// closed.
package final class InterruptHandle: Sendable {
  private let flag = Mutex(false)

  package init() {}

  package var isInterrupted: Bool { flag.withLock { $0 } }

  package func interrupt() { flag.withLock { $0 = true } }

  /// Lets statements run again.
  package func clear() { flag.withLock { $0 = false } }
}

extension Connection {
  /// Steps of SQLite's machine between two looks at the task: fractions of a millisecond.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Lets a long statement fail with ``ResultCode/interrupted`` once its task is cancelled, or by `interrupt`.
  package func endWithTask(or interrupt: InterruptHandle? = nil) {
    owner.interrupt = interrupt
    sqlite3_progress_handler(
      handle, Self.stepsBetweenLooks,
      { context in
        if Task.isCancelled { return 1 }
        guard let context else { return 0 }
        return Unmanaged<InterruptHandle>.fromOpaque(context).takeUnretainedValue().isInterrupted ? 1 : 0
      }, interrupt.map { Unmanaged.passUnretained($0).toOpaque() })
  }
}

extension Connection {
  /// For rows of which each may take long: those of some ten rows of an index.
  private static let stepsBetweenRows: Int32 = 64

  private struct Bound {
    let end: Int
    let size: Int64
    let handle: OpaquePointer

    var isReached: Bool { end <= Connection.computedSeconds || size < seedbank_sqlite_file_size(handle) }
  }

  /// Runs `body` while statements fail with ``ResultCode/interrupted`` once its task is cancelled, once it has computed
  /// for `seconds`, or once the file is larger than `size`. Time in which the process is suspended or waits does not count.
  func computing<Result>(
    atMost seconds: Int, growingTo size: Int64 = .max, _ body: () throws -> Result
  ) rethrows -> Result {
    var bound = Bound(end: Self.computedSeconds + seconds, size: size, handle: handle)
    return try withUnsafeMutablePointer(to: &bound) { bound in
      sqlite3_progress_handler(
        handle, Self.stepsBetweenRows,
        { context in
          guard let bound = context?.load(as: Bound.self) else { return 0 }
          return Task.isCancelled || bound.isReached ? 1 : 0
        }, bound)
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      return try body()
    }
  }

  /// Seconds that this thread has computed.
  private static var computedSeconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }
}

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
