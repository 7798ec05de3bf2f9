import Dispatch
import SeedSystem

/// Waits for SIGTERM or SIGINT; made before the work that it is to stop, or an early signal would kill the process.
/// After the first signal the system's behaviour is back: a user who does not want to wait sends another.
struct StopSignals: Sendable {
  private let arrivals: AsyncStream<Int32>
  private let arrival: AsyncStream<Int32>.Continuation

  /// From here on the signals no longer kill, and none is lost.
  init(_ numbers: [Int32] = [SIGTERM, SIGINT]) {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Int32.self)
    // Dispatch's sources may be cancelled from any thread, which their Swift type does not say.
    nonisolated(unsafe) let sources = numbers.map(Self.source)
    let (registered, restored) = (DispatchGroup(), DispatchGroup())
    for (source, number) in zip(sources, numbers) {
      registered.enter()
      restored.enter()
      source.setRegistrationHandler { registered.leave() }
      // Dispatch returns a handler some time after the cancellation, so the system's handler is set after that.
      source.setCancelHandler {
        signal(number, SIG_DFL)
        restored.leave()
      }
      // Nobody learns of the first signal before a second one would kill: it would be lost in between.
      source.setEventHandler {
        for source in sources { source.cancel() }
        restored.notify(queue: .global()) { arrival.yield(number) }
      }
      source.activate()
    }
    // Until Dispatch's own thread listens, a signal is ignored: on a busy machine that takes longer than a start.
    registered.wait()
    arrival.onTermination = { _ in for source in sources { source.cancel() } }
    (self.arrivals, self.arrival) = (arrivals, arrival)
  }

  func first() async -> Int32? {
    // The stream lives as long as its owner: it does not end when nobody iterates it.
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

  private static func source(_ number: Int32) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    return DispatchSource.makeSignalSource(signal: number, queue: .global())
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
