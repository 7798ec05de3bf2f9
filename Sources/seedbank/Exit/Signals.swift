import Dispatch
import SeedSystem

/// Waits for a signal that ends the process.
///
/// It has to be made before what it is to end begins, or an early signal would kill the process. After the
/// first signal the system's way is back: whoever does not want to wait for a graceful end sends another.
struct Signals: Sendable {
  private let arrivals: AsyncStream<Int32>
  private let arrival: AsyncStream<Int32>.Continuation

  /// From here on these signals no longer kill.
  init(_ numbers: [Int32] = [SIGTERM, SIGINT]) {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Int32.self)
    // Dispatch's sources may be cancelled from any thread, which their Swift type does not say.
    nonisolated(unsafe) let sources = numbers.map { number in
      Self.source(number) { arrival.yield(number) }
    }
    arrival.onTermination = { _ in Self.restore(sources, numbers) }
    (self.arrivals, self.arrival) = (arrivals, arrival)
  }

  /// Returns at the first of the signals, with its number.
  func first() async -> Int32? {
    // The stream lives as long as its owner: it does not end by nobody's listening.
    defer { arrival.finish() }
    for await number in arrivals { return number }
    return nil
  }

  /// Dispatch takes a source's handler back some time after the cancellation: the system's way comes after that.
  private static func restore(_ sources: [any DispatchSourceSignal], _ numbers: [Int32]) {
    for (source, number) in zip(sources, numbers) {
      source.setCancelHandler { signal(number, SIG_DFL) }
      source.cancel()
    }
  }

  /// Runs `body` until it is done or one of the signals comes: then it is cancelled, and its end waited for.
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
      // Whichever ends first ends the other: the signals are no longer waited for, or the body is cancelled.
      try await group.next()
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  private static func source(
    _ number: Int32, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    source.activate()
    return source
  }
}
