import SeedSystem

/// Waits for SIGTERM or SIGINT. Make it before the work that it stops: until then, a signal kills the process.
/// After the first signal the system's behaviour is back: a user who does not want to wait sends another.
struct StopSignals: Sendable {
  private let arrivals: AsyncStream<Int32>
  private let arrival: AsyncStream<Int32>.Continuation

  /// From here on the signals no longer kill, and none is lost.
  init() {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Int32.self)
    (self.arrivals, self.arrival) = (arrivals, arrival)
    let listener = SignalListeners.shared.add(arrival)
    arrival.onTermination = { _ in SignalListeners.shared.remove(listener) }
  }

  func first() async -> Int32? {
    // The stream does not end by itself when its iteration does.
    defer { arrival.finish() }
    for await number in arrivals { return number }
    return nil
  }

  /// Runs `body` until it ends or a signal comes: then it is cancelled, and its end waited for.
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
      // Whichever ends first ends the other: the wait for signals, or the body.
      try await group.next()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  // MARK: Cleaning up before the process ends

  private static let received = Mutex<Int32?>(nil)

  /// Seconds after which the process exits by itself if the signal does not end it.
  private static let exitSeconds: UInt32 = 5

  /// From here on every failure is a consequence of the signal.
  static func beginCleanup(after signal: Int32) { received.withLock { $0 = signal } }

  /// After ``beginCleanup(after:)``, ends the process as the signal would have done; else returns.
  static func endProcess() {
    guard let number = received.withLock(\.self) else { return }
    signal(number, SIG_DFL)
    // To the process: threads of a pool block signals, and the first thread that does not takes it.
    kill(getpid(), number)
    sleep(exitSeconds)
    _exit(128 + number)
  }
}
