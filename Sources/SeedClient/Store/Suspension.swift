/// Whether a store is suspended, and who waits for its resumption. Part of an actor, which guards it.
struct Suspension {
  private(set) var isSuspended = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Ends what is under way; absent while nothing is.
  private var cancel: (@Sendable () -> Void)?

  /// Ends what is under way, and lets nothing else begin.
  mutating func begin() {
    isSuspended = true
    cancel?()
  }

  /// Ends the suspension.
  mutating func end() {
    isSuspended = false
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Waits for the end of the suspension.
  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

  /// Says how to end what is under way now.
  mutating func watch(_ cancel: (@Sendable () -> Void)?) { self.cancel = cancel }
}
