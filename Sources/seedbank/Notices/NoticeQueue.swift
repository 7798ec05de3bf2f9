import SeedFormat

/// Facts of one kind that wait for the program that is told of them. Pure: one batch is under way at a time, and what comes
/// meanwhile waits for the next.
struct NoticeQueue {
  /// What one start of the program is told.
  struct Batch: Equatable {
    var facts: [JSONValue] = []
    /// Facts, the oldest, that are left out because too many came.
    var dropped = 0
  }

  /// Facts that wait at most.
  static let mostFacts = 100

  private var waiting = Batch()
  private(set) var isBusy = false

  /// Takes a fact; returns a batch to begin with where none is under way.
  mutating func add(_ fact: JSONValue) -> Batch? {
    waiting.facts.append(fact)
    if waiting.facts.count > Self.mostFacts {
      waiting.facts.removeFirst()
      waiting.dropped += 1
    }
    return isBusy ? nil : next()
  }

  /// Returns what has come during the batch that is over, if anything has.
  mutating func next() -> Batch? {
    isBusy = !waiting.facts.isEmpty
    guard isBusy else { return nil }
    defer { waiting = Batch() }
    return waiting
  }

  /// Lets all go that waits.
  mutating func clear() { waiting = Batch() }
}
