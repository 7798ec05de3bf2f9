import SeedSystem

import struct Foundation.UUID

/// Lets tasks wait until something holds that others change, without a clock.
final class AsyncCondition: Sendable {
  private let waiting = Mutex<[UUID: AsyncStream<Void>.Continuation]>([:])

  /// Returns once `holds` is true, or its task is cancelled.
  func wait(until holds: @Sendable () -> Bool) async {
    while !Task.isCancelled {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let id = UUID()
      waiting.withLock { $0[id] = continuation }
      defer { waiting.withLock { $0[id] = nil } }
      // Only now, so that no change goes unnoticed.
      if holds() { return }
      for await _ in stream {}
    }
  }

  /// To be called after every change of what somebody may be waiting for.
  func notify() {
    let all = waiting.withLock { Array($0.values) }
    for one in all { one.finish() }
  }
}

/// Where tasks stop while it is closed.
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

  /// Goes on once the gate is open; throws where its task was cancelled meanwhile.
  func pass() async throws {
    guard state.withLock({ $0.isClosed }) else { return }
    state.withLock { $0.standing += 1 }
    defer { state.withLock { $0.standing -= 1 } }
    condition.notify()
    await condition.wait { !self.state.withLock { $0.isClosed } }
    try Task.checkCancellation()
  }

  /// Returns once somebody stands here.
  func untilSomebodyStands() async {
    await condition.wait { self.state.withLock { $0.standing > 0 } }
  }
}
