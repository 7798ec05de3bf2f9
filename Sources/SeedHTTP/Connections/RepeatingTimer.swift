internal import Dispatch

/// Calls its body again and again, on a thread of its own, for as long as it lives.
package final class RepeatingTimer: Sendable {
  // It may be cancelled from any thread, though its type does not say so.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  package init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "seedbank.timer"))
    timer.schedule(deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds))
    timer.setEventHandler(handler: body)
    timer.resume()
  }

  deinit { timer.cancel() }
}
