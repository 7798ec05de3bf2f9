import CSQLite
import SeedFormat
import SeedSystem

/// Interrupts a connection's statements, from any thread, until ``clear()`` is called. The connection polls a flag,
/// because `sqlite3_interrupt` has no effect between two statements and is unsafe during close.
package final class InterruptHandle: Sendable {
  private let flag = Mutex(false)

  package init() {}

  package var isInterrupted: Bool { flag.withLock { $0 } }

  package func interrupt() { flag.withLock { $0 = true } }

  package func clear() { flag.withLock { $0 = false } }
}

extension Connection {
  /// The number of SQLite instructions, a fraction of a millisecond, between two checks for cancellation.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Makes a long statement fail with ``ResultCode/interrupted`` once its task is cancelled or `interrupt` is set.
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

  /// The number of instructions between two checks: about ten index rows, each of which may take a long time.
  static let stepsBetweenRows: Int32 = 64

  private struct Bound {
    let end: Int
    let size: Int64
    let handle: OpaquePointer
    let endsWithTask: Bool
    /// In nanoseconds, like `end`.
    var nextLook = 0

    /// Reads the CPU time only a hundred times per second, because each reading takes a system call.
    mutating func isReached() -> Bool {
      if endsWithTask, Task.isCancelled { return true }
      if size != .max, size < seedbank_sqlite_file_size(handle) { return true }
      let now = Connection.nanoseconds(CLOCK_MONOTONIC)
      guard now >= nextLook else { return false }
      nextLook = now + 10_000_000
      return end <= Connection.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    }
  }

  /// Runs `body`. Its statements fail with ``ResultCode/interrupted`` after `seconds` of CPU time, if the file grows
  /// beyond `size`, or when the task is cancelled. Time during which the process waits or is suspended does not
  /// count. `steps` is the number of instructions between two checks.
  func computing<Result, Failure: Error>(
    atMost seconds: Int, growingTo size: Int64 = .max, endingWithTask: Bool = true,
    looking steps: Int32 = stepsBetweenRows, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var bound = Bound(
      end: Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID) + seconds * 1_000_000_000, size: size, handle: handle,
      endsWithTask: endingWithTask)
    return try withUnsafeMutablePointer(to: &bound) { bound throws(Failure) in
      sqlite3_progress_handler(
        handle, steps,
        { context in
          context?.assumingMemoryBound(to: Bound.self).pointee.isReached() == true ? 1 : 0
        }, bound)
      defer {
        sqlite3_progress_handler(handle, 0, nil, nil)
        if isReceived { endWithTask() }
      }
      return try body()
    }
  }

  fileprivate static func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  package func triggers(of table: String) throws -> [String] {
    // `tbl_name` keeps the case of the CREATE TRIGGER statement.
    try rows(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name",
      .text(table)
    ).map(\.[0].text)
  }
}

/// Enables or disables a connection's triggers. Restores the former setting when this object is deallocated.
package final class TriggerSwitch {
  private let connection: Connection
  private let were: Bool

  package init(_ connection: Connection, areRunning: Bool) throws(DatabaseError) {
    self.connection = connection
    were = seedbank_sqlite_flag(connection.handle, SQLITE_DBCONFIG_ENABLE_TRIGGER) != 0
    try connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, areRunning)
  }

  // Setting the flag can fail only on a connection that is closed anyway.
  deinit { try? connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, were) }
}
