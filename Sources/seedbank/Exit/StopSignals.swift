import SeedSystem

/// Waits for SIGTERM or SIGINT. Create it before the work that it stops: until then, a signal kills the process. After
/// the first signal the default is restored, so that a second one ends the process at once.
struct StopSignals: Sendable {
  private let arrivals: AsyncStream<Int32>
  private let arrival: AsyncStream<Int32>.Continuation

  init() throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Int32.self)
    (self.arrivals, self.arrival) = (arrivals, arrival)
    let listeners = try SignalListeners.shared.get()
    let listener = listeners.add(arrival)
    arrival.onTermination = { _ in listeners.remove(listener) }
  }

  func first() async -> Int32? {
    defer { arrival.finish() }
    for await number in arrivals { return number }
    return nil
  }

  /// Runs `body`; a signal cancels it and waits for its end.
  func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask {
        do {
          try await body()
        } catch is CancellationError {
          return
        }
      }
      group.addTask { _ = await first() }
      // The first to end, signal or body, ends the other.
      try await group.next()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  // MARK: Cleanup before the process ends

  private static let received = Mutex<Int32?>(nil)

  /// Timeout after which the process exits if the signal does not end it.
  private static let exitSeconds: UInt32 = 5

  /// From here on every failure is a consequence of the signal.
  static func beginCleanup(after signal: Int32) { received.withLock { $0 = signal } }

  /// After ``beginCleanup(after:)``, ends the process with the signal's default effect; otherwise returns.
  static func endProcess() {
    guard let number = received.withLock(\.self) else { return }
    signal(number, SIG_DFL)
    // To the process, because pool threads block signals; another thread receives it.
    kill(getpid(), number)
    sleep(exitSeconds)
    _exit(128 + number)
  }
}
