/// Whether a store is suspended, and who waits for its resumption. Part of an actor, which guards it.
struct Suspension {
  private(set) var isSuspended = false
  private var waiting = Waiters()
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
    waiting.resumeAll()
  }

  /// Waits for the end of the suspension; resumed with whether it has come.
  mutating func wait(_ continuation: CheckedContinuation<Bool, Never>, at place: Waiters.Place) {
    waiting.add(continuation, at: place)
  }

  /// Ends a waiting before that, if it still goes on.
  mutating func giveUp(_ place: Waiters.Place) { waiting.giveUp(place) }

  /// Says how to end what is under way now.
  mutating func watch(_ cancel: (@Sendable () -> Void)?) { self.cancel = cancel }
}
