import SeedDatabase

/// Time as a test owns it: short waits pass at once, long ones when they are let pass.
package final class TestClock: Sendable {
  private struct State {
    var now = Duration.zero
    var sleepers: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextSleeper = 0
  }

  /// The longest wait that passes by itself: what a client waits between two attempts.
  private static let short = Duration.seconds(15)

  private let state = Shared(State())

  package init() {}

  /// The time that has passed.
  package var uptime: Duration { state.withLock { $0.now } }

  /// Sleeps in this time.
  package func sleep(_ duration: Duration) async throws {
    if duration > Self.short { await permission() }
    try Task.checkCancellation()
    state.withLock { $0.now += duration }
    await Task.yield()
  }

  /// Lets the long waits pass that there are now.
  package func letTimePass() {
    let sleepers = state.withLock { state in
      defer { state.sleepers = [:] }
      return state.sleepers.values.map { $0 }
    }
    for sleeper in sleepers { sleeper.finish() }
  }

  private func permission() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let sleeper = state.withLock { state in
      state.nextSleeper += 1
      state.sleepers[state.nextSleeper] = continuation
      return state.nextSleeper
    }
    // It ends when it is let pass, or with its task.
    for await _ in stream {}
    state.withLock { $0.sleepers[sleeper] = nil }
  }
}
