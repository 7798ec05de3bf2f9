import Dispatch

/// Runs an actor's jobs on a dispatch queue, so that blocking work does not occupy Swift's thread pool.
/// `DispatchSerialQueue`, which is such an executor, does not exist on Linux.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor whose jobs may block, because they run on its own dispatch queue.
package protocol BlockingActor: Actor { nonisolated var executor: QueueExecutor { get } }

extension BlockingActor {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

/// Runs blocking work outside the concurrency pool, which has only one thread per core.
package func blocking<Result: Sendable>(
  _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    // A new queue, because a shared one may have a single thread, so this work would delay signal handling.
    DispatchQueue(label: "seedbank.blocking").async {
      continuation.resume(with: Swift.Result(catching: work))
    }
  }
}

/// A lock for tasks. Up to `holders` hold it at a time; the others wait in order of arrival.
package final class AsyncLock: Sendable {
  private final class Place: Sendable {}

  private struct State {
    var free: Int
    var waiting: [(place: Place, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state: Mutex<State>

  package init(holders: Int = 1) { state = Mutex(State(free: holders)) }

  /// Returns false if the task is cancelled while it waits.
  package func acquire() async -> Bool {
    let place = Place()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        acquireOrWait(continuation, at: place)
        // The handler may have run before the continuation was added.
        if Task.isCancelled { giveUp(place) }
      }
    } onCancel: {
      giveUp(place)
    }
  }

  package func acquireIgnoringCancellation() async {
    _ = await withCheckedContinuation { acquireOrWait($0, at: Place()) }
  }

  package func release() {
    let next = state.withLock { state in
      if state.waiting.isEmpty { state.free += 1 }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }

  private func acquireOrWait(_ continuation: CheckedContinuation<Bool, Never>, at place: Place) {
    let isAcquired = state.withLock { state in
      if state.free > 0 {
        state.free -= 1
        return true
      }
      state.waiting.append((place, continuation))
      return false
    }
    if isAcquired { continuation.resume(returning: true) }
  }

  private func giveUp(_ place: Place) {
    let left = state.withLock { state in
      state.waiting.firstIndex { $0.place === place }.map { state.waiting.remove(at: $0).continuation }
    }
    left?.resume(returning: false)
  }
}
