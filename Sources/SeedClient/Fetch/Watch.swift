import SeedDatabase
import SeedSystem

/// Ends a transfer that is too slow or takes too long.
final class Watch: Sendable {
  let url: String
  let patience: SeedPatience
  let surroundings: Surroundings
  /// When the transfer must be over, by the surroundings' clock.
  let deadline: Duration
  /// Bytes that have arrived.
  let received = Mutex(0)

  init(url: String, patience: SeedPatience, surroundings: Surroundings, deadline: Duration) {
    (self.url, self.patience, self.surroundings) = (url, patience, surroundings)
    self.deadline = deadline
  }

  /// Runs `transfer` while its bytes come fast enough; one that does not is cancelled.
  func run(_ transfer: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await transfer() }
      group.addTask { try await self.patrol() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Never returns but by an error.
  private func patrol() async throws {
    while true {
      let before = received.withLock { $0 }
      let start = surroundings.uptime()
      try await wait(until: min(start + patience.window, deadline))
      let now = surroundings.uptime()
      guard now < deadline else { throw TransportError.tooLate(url: url, after: patience.total) }
      let bytes = received.withLock { $0 } - before
      guard bytes >= patience.leastBytes else {
        throw TransportError.tooSlow(url: url, bytes: bytes, in: patience.window)
      }
    }
  }

  /// The clock decides, not the sleep: a test's may be short.
  private func wait(until end: Duration) async throws {
    while surroundings.uptime() < end {
      try Task.checkCancellation()
      try await surroundings.sleep(end - surroundings.uptime())
    }
  }
}
