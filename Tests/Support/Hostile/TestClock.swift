import SeedDatabase

/// A clock under a test's control: short waits end at once, long ones when the test permits.
package final class TestClock: Sendable {
  private struct State {
    var now = Duration.zero
    var sleepers: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextSleeper = 0
  }

  /// The longest wait that ends at once: a client's pause between two attempts.
  private static let short = Duration.seconds(15)

  private let state = Shared(State())

  package init() {}

  package var uptime: Duration { state.withLock { $0.now } }

  package func sleep(_ duration: Duration) async throws {
    if duration > Self.short { await permission() }
    try Task.checkCancellation()
    state.withLock { $0.now += duration }
    await Task.yield()
  }

  /// Ends the current long waits.
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
    // Ends with permission or with its task.
    for await _ in stream {}
    state.withLock { $0.sleepers[sleeper] = nil }
  }
}
