import SeedSystem

import struct Foundation.UUID

/// Lets tasks wait for a condition without polling.
final class AsyncCondition: Sendable {
  private let waiting = Mutex<[UUID: AsyncStream<Void>.Continuation]>([:])

  /// Returns once `holds` is true or the task is cancelled.
  func wait(until holds: @Sendable () -> Bool) async {
    while !Task.isCancelled {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let id = UUID()
      waiting.withLock { $0[id] = continuation }
      defer { waiting.withLock { $0[id] = nil } }
      // Checked after registering, so that no change is missed.
      if holds() { return }
      for await _ in stream {}
    }
  }

  /// Call after every change to a condition's inputs.
  func notify() {
    let all = waiting.withLock { Array($0.values) }
    for one in all { one.finish() }
  }
}

/// Blocks tasks while it is closed.
final class Gate: Sendable {
  private struct State {
    var isClosed = false
    var standing = 0
  }

  private let state = Mutex(State())
  private let condition = AsyncCondition()

  func close() { state.withLock { $0.isClosed = true } }

  func open() {
    state.withLock { $0.isClosed = false }
    condition.notify()
  }

  /// Waits until the gate is open; throws if the task is cancelled.
  func pass() async throws {
    guard state.withLock({ $0.isClosed }) else { return }
    state.withLock { $0.standing += 1 }
    defer { state.withLock { $0.standing -= 1 } }
    condition.notify()
    await condition.wait { !self.state.withLock { $0.isClosed } }
    try Task.checkCancellation()
  }

  func untilWaiting() async {
    await condition.wait { self.state.withLock { $0.standing > 0 } }
  }
}
