/// Decides whether and when a failed request is retried within an update. Pure. Each 16 KiB received allows one more
/// failure, so that a large file gets through an unstable network. Three failures in a row with less than 1 KiB between
/// them end the update. So does a `Retry-After` of more than two seconds, because a user may be waiting.
/// ``SeedStore/keepUpdated(_:onFailure:)`` then waits at least that long before the next update (see ``PollInterval``).
struct RetryRule: Hashable, Sendable {
  private(set) var failures = 0
  /// Consecutive failures with less than ``progressBytes`` between them.
  private var consecutiveFailures = 0
  private var received = 0

  private static let mostConsecutiveFailures = 3
  private static let progressBytes = 1024
  private static let bytesPerFailure = 16 * 1024
  /// Delays in seconds. If the server asks for more than `longest`, the update fails.
  private static let backoff = Backoff(first: 0.5, longest: 2, jitter: 0.25)

  /// Returns the delay before the next attempt; nil to give up. `received` counts the bytes of all attempts.
  mutating func wait(after error: TransportError, received: Int, chance: Double) -> Duration? {
    failures += 1
    consecutiveFailures = received - self.received >= Self.progressBytes ? 1 : consecutiveFailures + 1
    self.received = received
    let isPaid = failures < Self.mostConsecutiveFailures + received / Self.bytesPerFailure
    guard error.mayPass, consecutiveFailures < Self.mostConsecutiveFailures, isPaid else { return nil }
    let asked = error.retryAfter ?? .zero
    return asked > .seconds(Self.backoff.longest)
      ? nil : max(Self.backoff.wait(consecutiveFailures, chance: chance), asked)
  }
}

extension TransportError {
  var mayPass: Bool {
    switch self {
    case .unreachable, .tooSlow: true
    case .status(_, let status, _): Self.passing.contains(status)
    default: false
    }
  }

  /// Too Many Requests, and the statuses of a failing server or gateway.
  private static let passing: Set<Int> = [429, 500, 502, 503, 504]
}

struct Backoff: Sendable {
  let first: Double
  let longest: Double
  let jitter: Double

  private static let mostDoublings = 20

  /// `number` counts failures from 1; `chance` is a number from 0 to 1.
  func wait(_ number: Int, chance: Double) -> Duration {
    let doubled = first * Double(1 << min(max(number, 1) - 1, Self.mostDoublings))
    return .seconds(min(doubled, longest) * (1 + jitter * (2 * chance - 1)))
  }
}
