import SeedFormat

/// A fact for the programs that are told of its kind.
struct Notice: Equatable {
  let fact: JSONValue
  /// What is remembered once it is told, for a fact that is told once.
  var once: NoticeMemory.Entry?
}

/// Notices of one kind that wait for the program that is told of them. Pure: one batch is under way at a time, and what
/// comes meanwhile waits for the next.
struct NoticeQueue {
  /// What one start of the program is told.
  struct Batch: Equatable {
    var notices: [Notice] = []
    /// Facts, the oldest, that are left out because too many came.
    var dropped = 0
  }

  /// Facts that wait at most.
  static let mostFacts = 100

  private var waiting = Batch()
  private(set) var isBusy = false

  /// Takes a notice; returns a batch to begin with where none is under way, and what had to go.
  mutating func add(_ notice: Notice) -> (batch: Batch?, dropped: Notice?) {
    var dropped: Notice?
    waiting.notices.append(notice)
    if waiting.notices.count > Self.mostFacts {
      dropped = waiting.notices.removeFirst()
      waiting.dropped += 1
    }
    return (isBusy ? nil : next(), dropped)
  }

  /// Returns what has come during the batch that is over, if anything has.
  mutating func next() -> Batch? {
    isBusy = !waiting.notices.isEmpty
    guard isBusy else { return nil }
    defer { waiting = Batch() }
    return waiting
  }

  /// Lets all go that waits.
  mutating func clear() { waiting = Batch() }
}
