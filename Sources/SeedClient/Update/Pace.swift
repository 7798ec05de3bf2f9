/// The wait between two updates of ``SeedStore/keepUpdated(_:onFailure:)``. Pure.
///
/// After an outage of any length the devices come at most at about twice their usual rate: each has tried once more before
/// it is back at the pace, and at a time of its own.
package struct Pace: Sendable {
  /// Seconds that the publisher asks for between two updates.
  package let pollSeconds: Int

  /// Used until signed metadata says something else.
  package static let unknown = Pace(pollSeconds: 60)
  /// Longest wait in seconds, whatever was signed, before the jitter: a day.
  private static let longest = 86_400.0
  /// The share of the pace that the first failure waits; each further one doubles it, up to the pace. At a smaller share
  /// more tries fall into one pace, and so do they all at the end of an outage.
  private static let firstRetry = 1.0 / 3
  /// Shortest wait after a failure, in seconds.
  private static let shortestRetry = 5.0
  /// The share by which a wait is made longer or shorter, so that many devices do not come at once.
  private static let jitter = 0.1

  package init(pollSeconds: Int) { self.pollSeconds = pollSeconds }

  private var poll: Double { min(Double(pollSeconds), Self.longest) }
  private var retry: Double { max(poll * Self.firstRetry, Self.shortestRetry) }

  /// The wait after so many failures in a row; `chance` is a number from 0 to 1. `asked` is what the server's
  /// `Retry-After` said after the last failure: it is waited for, up to a day, and then a little longer, for others may
  /// have been told the same moment.
  package func wait(afterFailures failures: Int, chance: Double, asked: Duration? = nil) -> Duration {
    guard failures > 0 else {
      return Backoff(first: poll, longest: poll, jitter: Self.jitter).wait(1, chance: chance)
    }
    let wait = Backoff(first: retry, longest: max(poll, retry), jitter: Self.jitter).wait(
      failures, chance: chance)
    guard let asked else { return wait }
    return max(wait, min(asked, .seconds(Self.longest)) + .seconds(retry * chance))
  }
}
