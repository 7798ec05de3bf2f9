import SeedServer
import SeedSystem

/// What the loops of a running service are at, for those who watch over it.
///
/// Healthy is a process in which three things hold. Its tasks get their turn: the watchdog's loop is a task like all
/// others, so where they do not, it says nothing. Its front answers: it is asked over a connection. And each dataset's
/// loop looks at its origin when it said it would. A step may take as long as it likes, for it works on a thread
/// of its own and ends when its rows do; a restart would only begin it again.
final class ServiceHealth: Sendable {
  private struct State {
    var looks: [DatasetLoop: ContinuousClock.Instant] = [:]
    var failures: [DatasetLoop: String] = [:]
    var troubles = Troubles<DatasetLoop>()
  }

  private let state = Mutex(State())

  /// Seconds by which a loop may be late: a busy machine gives it its turn later.
  static let lateSeconds = 60

  /// The loop rests, and looks again at that moment.
  func rests(_ loop: DatasetLoop, until look: ContinuousClock.Instant) {
    state.withLock { $0.looks[loop] = look }
  }

  /// The loop works, for as long as that takes.
  func works(_ loop: DatasetLoop) { state.withLock { $0.looks[loop] = nil } }

  /// Notes that a turn of a loop failed; true where it failed by something else before, or by nothing.
  func failed(_ loop: DatasetLoop, _ message: String, at now: ContinuousClock.Instant = .now) -> Bool {
    state.withLock { state in
      _ = state.troubles.follow(loop, isOn: true, at: now)
      defer { state.failures[loop] = message }
      return state.failures[loop] != message
    }
  }

  /// Notes that a turn of a loop went well; how long it had failed, where it had.
  func succeeded(_ loop: DatasetLoop, at now: ContinuousClock.Instant = .now) -> TimeSpan? {
    state.withLock { state in
      state.failures[loop] = nil
      return state.troubles.follow(loop, isOn: false, at: now).map(TimeSpan.init)
    }
  }

  func isEachLoopOnTime(at now: ContinuousClock.Instant) -> Bool {
    state.withLock { $0.looks.values.allSatisfy { now < $0.advanced(by: .seconds(Self.lateSeconds)) } }
  }

  /// What went wrong last, of each loop whose last turn failed.
  var failures: [String] {
    state.withLock { state in
      state.failures.sorted { $0.key < $1.key }.map { "\($0.key.dataset): \($0.value)" }
    }
  }
}

/// One of the two loops of a dataset: what changes is published in one, snapshots are made in the other.
struct DatasetLoop: Hashable, Comparable {
  enum Work: Int { case changes, snapshots }

  let dataset: String
  let work: Work

  static func < (left: Self, right: Self) -> Bool {
    (left.dataset, left.work.rawValue) < (right.dataset, right.work.rawValue)
  }
}
