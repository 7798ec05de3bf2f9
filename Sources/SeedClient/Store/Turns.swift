/// Lets one at a time pass, or a few, in the order of their coming. Part of an actor, which guards it.
struct Turns {
  private var free: Int
  private var waiting = Waiters()

  /// Turns of which so many can be taken at once.
  init(atOnce places: Int = 1) { free = places }

  /// Takes a turn if one is free.
  mutating func takeIfFree() -> Bool {
    guard free > 0 else { return false }
    free -= 1
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
    if waiting.isEmpty { free += 1 } else { waiting.resumeFirst() }
  }
}
