import Dispatch
import SeedSystem

/// Runs an actor's jobs on a dispatch queue, so that what blocks does not hold up Swift's own threads.
///
/// `DispatchSerialQueue`, which is such an executor, does not exist on Linux.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// Tasks that wait, in the order in which they came.
final class Waiters: Sendable {
  private final class Place: Sendable {}

  private let waiting = Mutex<[(place: Place, continuation: CheckedContinuation<Bool, Never>)]>([])

  /// Waits to be resumed; false where the task is cancelled before.
  func wait() async -> Bool {
    let place = Place()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(continuation, at: place)
        // The handler may have run before there was anything to give up.
        if Task.isCancelled { giveUp(place) }
      }
    } onCancel: {
      giveUp(place)
    }
  }

  /// Waits to be resumed, even in a cancelled task.
  func waitThroughCancellation() async {
    _ = await withCheckedContinuation { add($0, at: Place()) }
  }

  /// Resumes the task that has waited longest; false where none waits.
  func resumeFirst() -> Bool {
    let first = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    first?.continuation.resume(returning: true)
    return first != nil
  }

  func resumeAll() {
    while resumeFirst() {}
  }

  private func add(_ continuation: CheckedContinuation<Bool, Never>, at place: Place) {
    waiting.withLock { $0.append((place, continuation)) }
  }

  private func giveUp(_ place: Place) {
    let left = waiting.withLock { waiting in
      waiting.firstIndex { $0.place === place }.map { waiting.remove(at: $0) }
    }
    left?.continuation.resume(returning: false)
  }
}

/// Lets one caller at a time pass, or a few, in the order in which they came. Part of an actor, from which alone it is
/// used.
struct Turns {
  private var free: Int
  private let waiters = Waiters()

  init(atOnce count: Int = 1) { free = count }

  /// Takes a turn that is free; otherwise the caller must wait among these.
  mutating func takeIfFree() -> Waiters? {
    guard free > 0 else { return waiters }
    free -= 1
    return nil
  }

  mutating func end() { if !waiters.resumeFirst() { free += 1 } }
}

/// An actor that does some things one after the other, though it waits in the middle of them.
protocol TurnTaking: Actor {
  var turns: Turns { get set }
}

extension TurnTaking {
  /// For what must be done even if the task is cancelled.
  func takeTurn() async { await turns.takeIfFree()?.waitThroughCancellation() }

  /// False where the task was cancelled while it waited.
  func takeTurnUnlessCancelled() async -> Bool { await turns.takeIfFree()?.wait() ?? true }
}
