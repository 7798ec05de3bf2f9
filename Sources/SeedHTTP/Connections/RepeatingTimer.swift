internal import Dispatch

package final class RepeatingTimer: Sendable {
  // Cancelling is thread-safe, but the type does not declare it.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  package init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "seedbank.timer"))
    timer.schedule(deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds))
    timer.setEventHandler(handler: body)
    timer.resume()
  }

  deinit { timer.cancel() }
}
