import SeedSystem

/// The delay between updates in ``SeedStore/keepUpdated(_:onFailure:)``. Pure.
///
/// After an outage, the load stays below three times its mean: each device retries once at a random time
/// before its next poll, or waits a random time after `Retry-After`.
package struct PollInterval: Sendable {
  package let pollSeconds: Int

  /// The longest accepted delay in seconds, before jitter: a day.
  private static let longest = 86_400.0
  /// The first retry's delay as a share of the interval; each further failure doubles it, up to the interval. A smaller
  /// share would cause more retries, and so more load after an outage.
  private static let firstRetry = 1.0 / 3
  /// The longest random addition to `Retry-After`, as a share of the interval. Other devices poll as usual
  /// during the same time, so a share of a half would cause up to three times the mean load.
  private static let spreadShare = 2.0 / 3
  /// The shortest delay after a failure, and the shortest spread, in seconds.
  private static let shortestRetry = 5.0
  /// The random variation of a delay, so that devices spread their requests.
  private static let jitter = 0.1

  package init(pollSeconds: Int) { self.pollSeconds = pollSeconds }

  var poll: Double { min(Double(pollSeconds), Self.longest) }
  private var retry: Double { max(poll * Self.firstRetry, Self.shortestRetry) }
  private var spread: Double { max(poll * Self.spreadShare, Self.shortestRetry) }

  /// Returns the delay after `failures` in a row; `chance` is a number from 0 to 1. `asked` is the last `Retry-After`.
  /// It is honoured up to a day, with a random addition, because other devices may have received the same time.
  package func wait(afterFailures failures: Int, chance: Double, asked: Duration? = nil) -> Duration {
    guard failures > 0 else {
      return Backoff(first: poll, longest: poll, jitter: Self.jitter).wait(1, chance: chance)
    }
    let wait = Backoff(first: retry, longest: max(poll, retry), jitter: Self.jitter).wait(
      failures, chance: chance)
    guard let asked else { return wait }
    return max(wait, min(asked, .seconds(Self.longest)) + .seconds(spread * chance))
  }
}

extension StateRecord {
  /// The number of missed checks after which the data may be outdated.
  private static let missedChecks = 3.0

  /// Whether the last check is unknown or too long ago; allows for the inaccuracy of its time.
  func isOld(at now: UTCTime) -> Bool {
    guard let lastChecked else { return true }
    let age = abs(Double(now.secondsSinceEpoch) - Double(lastChecked.secondsSinceEpoch))
    return age > Self.missedChecks * pollInterval.poll + Double(Self.tolerance)
  }

  /// An interval of a minute until a check has found the publisher's.
  var pollInterval: PollInterval { PollInterval(pollSeconds: pollSeconds ?? 60) }
}
