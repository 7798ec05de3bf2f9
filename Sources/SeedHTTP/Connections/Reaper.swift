internal import Dispatch

/// Looks through the connections every half second until it goes.
final class Reaper: Sendable {
  private static let periodMilliseconds = 500
  // Safe to be cancelled from any thread, though its type does not say so.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  init(_ table: ConnectionTable) {
    let queue = DispatchQueue(label: "seedbank.reaper")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + .milliseconds(Self.periodMilliseconds),
      repeating: .milliseconds(Self.periodMilliseconds))
    timer.setEventHandler { @Sendable in table.reap(at: monotonicMilliseconds()) }
    timer.resume()
    self.timer = timer
  }

  deinit { timer.cancel() }
}
