/// The wait between two looks at the server. Pure.
package struct Pace: Sendable {
  /// Seconds that the publisher asks for between two looks.
  package let pollSeconds: Int

  /// Used until signed metadata says something else.
  package static let unknown = Pace(pollSeconds: 60)
  /// Longest wait in seconds, whatever was signed: a day.
  private static let longest = 86_400.0
  /// Seconds to wait after the first failure; each further one doubles them, up to the publisher's pace.
  private static let firstRetry = 5.0
  /// By how much of itself a wait is made longer or shorter, so that many devices do not come at once.
  private static let jitter = 0.1
  /// Beyond this many failures the wait has long reached its bound.
  private static let mostDoublings = 20

  package init(pollSeconds: Int) { self.pollSeconds = pollSeconds }

  /// The wait after so many failed looks in a row; `chance` is a number from 0 to 1.
  ///
  /// A server that asked for a longer wait gets it, up to the longest one that there is.
  package func wait(afterFailures failures: Int, chance: Double, asked: Duration? = nil) -> Duration {
    max(wait(failures, chance), min(asked ?? .zero, .seconds(Self.longest)))
  }

  private func wait(_ failures: Int, _ chance: Double) -> Duration {
    let poll = min(Double(pollSeconds), Self.longest)
    var seconds = poll
    if failures > 0 {
      var retry = Self.firstRetry
      for _ in 1..<min(max(failures, 1), Self.mostDoublings) { retry *= 2 }
      seconds = min(retry, max(poll, Self.firstRetry))
    }
    return .seconds(seconds * (1 + Self.jitter * (2 * chance - 1)))
  }
}
