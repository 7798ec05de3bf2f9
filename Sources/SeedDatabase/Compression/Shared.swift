import class Foundation.NSLock

/// A value that one thread at a time has.
///
/// Its lock is Foundation's, which the thread sanitizer knows: the one inside Synchronization's `Mutex` is
/// invisible to it (Swift 6.3 on Linux), and every right use by two threads is reported as a race.
package final class Shared<Value: ~Copyable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// Guards `value` from here on.
  package init(_ value: consuming sending Value) { self.value = value }

  /// Calls `body` with the value while no other thread has it. A call within a call would wait for ever.
  package func withLock<Result, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
