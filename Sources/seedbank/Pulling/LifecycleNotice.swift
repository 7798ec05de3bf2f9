import SeedClient
import SeedFormat
import SeedSystem
import SeedTrust

/// Tells whoever follows a series that it comes to its end, once for each thing that the publisher says of that.
final class LifecycleNotice: Sendable {
  private let console: Console
  private let series: Series
  /// Whether it is an event among others, and not only a warning beside the result, which names it.
  private let isEvent: Bool
  private let told = Mutex(Lifecycle.active)

  init(_ series: Series, _ console: Console, isEvent: Bool) {
    (self.series, self.console, self.isEvent) = (series, console, isEvent)
  }

  /// Takes what the last look found.
  func tell(_ lifecycle: Lifecycle) {
    let isNews = told.withLock { told in
      defer { told = lifecycle }
      return told != lifecycle
    }
    guard isNews else { return }
    console.warning(words(lifecycle))
    // Whoever reads the events has gone where this fails; the next event says so.
    if isEvent { try? console.result(["event": "lifecycle", "lifecycle": lifecycle.json]) }
  }

  private func words(_ lifecycle: Lifecycle) -> String {
    switch lifecycle {
    case .active: "\(series) goes on after all"
    case .deprecated(let sunset, let message):
      "\(series) is deprecated" + (sunset.map { " and ends on \($0)" } ?? "") + Self.clause(message)
        + ": move on to a newer model"
    case .retired(let message):
      "\(series) has ended and gets no more updates" + Self.clause(message) + ": move on to a newer model"
    }
  }

  private static func clause(_ message: String?) -> String { message.map { " (\($0))" } ?? "" }
}
