/// Lets one at a time pass, in the order of their coming. Part of an actor, which guards it.
struct Turns {
  private var isTaken = false
  private var waiting = Waiters()

  /// Takes the turn if nobody has it.
  mutating func takeIfFree() -> Bool {
    guard !isTaken else { return false }
    isTaken = true
    return true
  }

  /// Waits behind the others; resumed with whether the turn is taken.
  mutating func wait(_ continuation: CheckedContinuation<Bool, Never>, at place: Waiters.Place = .init()) {
    waiting.add(continuation, at: place)
  }

  /// Ends a waiting without the turn, if it still goes on.
  mutating func giveUp(_ place: Waiters.Place) { waiting.giveUp(place) }

  /// Hands the turn to the next one.
  mutating func end() {
    if waiting.isEmpty { isTaken = false } else { waiting.resumeFirst() }
  }
}
