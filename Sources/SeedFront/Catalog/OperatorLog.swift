import SeedPublication
import SeedSystem

/// Logs each problem once instead of once per request.
final class OperatorLog: Sendable {
  private static let messages = 64

  private let write: @Sendable (LogRecord) -> Void
  private let said = Mutex<Set<String>>([])
  /// The start of each ongoing trouble, by a monotonic clock because the wall clock may be set.
  private let began = Mutex<[String: ContinuousClock.Instant]>([:])
  private let now: @Sendable () -> ContinuousClock.Instant

  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
    _ write: @escaping @Sendable (LogRecord) -> Void
  ) {
    (self.now, self.write) = (now, write)
  }

  func callAsFunction(_ message: String) {
    let isNew = said.withLock { $0.count < Self.messages && $0.insert(message).inserted }
    if isNew { write(LogRecord(.warning, message)) }
  }

  func reset() { said.withLock { $0.removeAll() } }

  /// Logs the end of a trouble, named by its message, with the time that it lasted.
  func follow(_ isOn: Bool, end: String) {
    let lasted = began.withLock { began -> Duration? in
      guard isOn else { return began.removeValue(forKey: end).map { now() - $0 } }
      if began[end] == nil { began[end] = now() }
      return nil
    }
    if let lasted { write(LogRecord(.notice, "\(end), after \(TimeSpan(lasted))")) }
  }
}
