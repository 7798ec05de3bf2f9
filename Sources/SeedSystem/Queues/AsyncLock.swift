/// A lock that tasks await, held by one or a few at a time, in order of arrival.
package final class AsyncLock: Sendable {
  private final class Place: Sendable {}

  private struct State {
    var free: Int
    var waiting: [(place: Place, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state: Mutex<State>

  package init(holders: Int = 1) { state = Mutex(State(free: holders)) }

  /// False if the task is cancelled.
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

  /// Waits even if the task is cancelled, for mandatory work.
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
