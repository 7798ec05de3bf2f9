/// The wait between two updates of ``SeedStore/keepUpdated(_:onFailure:)``. Pure.
package struct Pace: Sendable {
  /// Seconds that the publisher asks for between two updates.
  package let pollSeconds: Int

  /// Used until signed metadata says something else.
  package static let unknown = Pace(pollSeconds: 60)
  /// Longest wait in seconds, whatever was signed, before the jitter: a day.
  private static let longest = 86_400.0
  /// Seconds to wait after the first failure; each further one doubles them, up to the publisher's pace.
  private static let firstRetry = 5.0
  /// The share by which a wait is made longer or shorter, so that many devices do not come at once.
  private static let jitter = 0.1

  package init(pollSeconds: Int) { self.pollSeconds = pollSeconds }

  /// The wait after so many failures in a row; `chance` is a number from 0 to 1. `asked` is what the server's
  /// `Retry-After` said after the last failure: it is waited for, up to a day.
  package func wait(afterFailures failures: Int, chance: Double, asked: Duration? = nil) -> Duration {
    let poll = min(Double(pollSeconds), Self.longest)
    let wait =
      failures == 0
      ? Backoff(first: poll, longest: poll, jitter: Self.jitter).wait(1, chance: chance)
      : Backoff(first: Self.firstRetry, longest: max(poll, Self.firstRetry), jitter: Self.jitter)
        .wait(failures, chance: chance)
    return max(wait, min(asked ?? .zero, .seconds(Self.longest)))
  }
}
