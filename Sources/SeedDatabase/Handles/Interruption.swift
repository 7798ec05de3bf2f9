import CSQLite
import SeedSystem

/// Asks whoever uses a connection, from any thread, to come to an end.
///
/// It is a flag that stays up until it is taken back, and that the connection itself looks at. `sqlite3_interrupt` would
/// be lost where it falls between two statements, and must not meet a connection that is being closed.
package final class Interruption: Sendable {
  private let isUp = Mutex(false)

  /// One that nobody has asked for yet.
  package init() {}

  /// Whether the end was asked for.
  package var isAsked: Bool { isUp.withLock { $0 } }

  /// Asks for the end.
  package func ask() { isUp.withLock { $0 = true } }

  /// Takes it back, for the next use.
  package func clear() { isUp.withLock { $0 = false } }
}

extension Connection {
  /// Steps of SQLite's machine between two looks at the task: fractions of a millisecond.
  private static let stepsBetweenLooks: Int32 = 10_000

  /// Lets a statement that goes on for long fail with ``ResultCode/interrupted`` once the task that runs it is cancelled,
  /// or its end is asked for.
  package func endWithTask(or interruption: Interruption? = nil) {
    owner.interruption = interruption
    sqlite3_progress_handler(
      handle, Self.stepsBetweenLooks,
      { context in
        if Task.isCancelled { return 1 }
        guard let context else { return 0 }
        return Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().isAsked ? 1 : 0
      }, interruption.map { Unmanaged.passUnretained($0).toOpaque() })
  }
}
