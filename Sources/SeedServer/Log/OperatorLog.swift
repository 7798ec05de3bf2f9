import SeedSystem

/// Tells the operator what goes wrong behind the answers, once and not with every request that meets it.
final class OperatorLog: Sendable {
  /// Different messages that are told apart until something is published.
  private static let messages = 64

  private let write: @Sendable (LogRecord) -> Void
  private let said = Mutex<Set<String>>([])

  init(_ write: @escaping @Sendable (LogRecord) -> Void) { self.write = write }

  func callAsFunction(_ message: String) {
    let isNew = said.withLock { $0.count < Self.messages && $0.insert(message).inserted }
    if isNew { write(LogRecord(.warning, message)) }
  }

  /// What is wrong from now on is news again.
  func reset() { said.withLock { $0.removeAll() } }
}
