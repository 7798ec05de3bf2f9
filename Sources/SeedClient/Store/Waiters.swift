/// Those who wait for something, in the order of their coming. Part of an actor, which guards it.
struct Waiters {
  /// Tells one from all others.
  final class Place: Sendable {}

  private var all: [(place: Place, continuation: CheckedContinuation<Bool, Never>)] = []

  var isEmpty: Bool { all.isEmpty }

  /// Waits; resumed with whether what was waited for has come.
  mutating func add(_ continuation: CheckedContinuation<Bool, Never>, at place: Place) {
    all.append((place, continuation))
  }

  /// Ends the waiting of the first one.
  mutating func resumeFirst() { all.removeFirst().continuation.resume(returning: true) }

  /// Ends everyone's waiting.
  mutating func resumeAll() {
    while !isEmpty { resumeFirst() }
  }

  /// Ends the waiting of one in vain, if it still waits.
  mutating func giveUp(_ place: Place) {
    guard let index = all.firstIndex(where: { $0.place === place }) else { return }
    all.remove(at: index).continuation.resume(returning: false)
  }
}
