import CSQLite
import SeedSystem

/// Interrupts a connection's statements from any thread, until it is cleared. The connection polls a flag, because
/// `sqlite3_interrupt` has no effect between two statements and is unsafe during close.
package final class InterruptHandle: Sendable {
  private let flag = Mutex(false)

  package init() {}

  package var isInterrupted: Bool { flag.withLock { $0 } }

  package func interrupt() { flag.withLock { $0 = true } }

  package func clear() { flag.withLock { $0 = false } }
}

extension Connection {
  /// SQLite instructions between two checks for cancellation: fractions of a millisecond.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Lets a long statement fail with ``ResultCode/interrupted`` after its task is cancelled or `interrupt` is set.
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
  /// Instructions for about ten rows of an index, because each row may take long.
  private static let stepsBetweenRows: Int32 = 64

  private struct Bound {
    let end: Int
    let size: Int64
    let handle: OpaquePointer

    var isReached: Bool { end <= Connection.computedSeconds || size < seedbank_sqlite_file_size(handle) }
  }

  /// Runs `body`. Its statements fail with ``ResultCode/interrupted`` after `seconds` of CPU time, if the file grows beyond
  /// `size`, or if the task is cancelled. Time in which the process waits or is suspended does not count.
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

  private static var computedSeconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }
}

/// Passes every statement that a connection runs to `show` during its lifetime.
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

// X points to the SQL text as prepared, without bound values.
private func traceStatement(
  _ kind: UInt32, _ context: UnsafeMutableRawPointer?, _ statement: UnsafeMutableRawPointer?,
  _ text: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context, let text else { return 0 }
  Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
    .show(String(cString: text.assumingMemoryBound(to: CChar.self)))
  return 0
}
