/// Decides whether and when a request that failed is sent again within the same update. Pure. Every 16 KiB that
/// arrive allow one more failure, so a large file gets through a network that breaks again and again; three failures in
/// a row with less than 1 KiB between them end the update. `Retry-After` is honoured twice: here, up to two seconds, for
/// a user may be waiting, and between two updates by ``Pace``, to which ``SeedStore/keepUpdated(_:onFailure:)`` passes
/// what the last failure asked for.
struct RetryRule: Hashable, Sendable {
  private(set) var failures = 0
  /// Failures in a row between which less than ``fruitBytes`` arrived.
  private var fruitless = 0
  private var received = 0

  /// Failures in a row, with less than ``fruitBytes`` between them, that end the update.
  private static let mostFruitless = 3
  private static let fruitBytes = 1024
  private static let bytesPerFailure = 16 * 1024
  /// Waits in seconds. If the server asks for more than `longest`, the update fails, and it is for the caller to wait:
  /// `keepUpdated` does, by ``Pace``.
  private static let backoff = Backoff(first: 0.5, longest: 2, jitter: 0.25)

  /// The wait before the next attempt, if there is one; `received` are the bytes that came by all attempts.
  mutating func wait(after error: TransportError, received: Int, chance: Double) -> Duration? {
    failures += 1
    fruitless = received - self.received >= Self.fruitBytes ? 1 : fruitless + 1
    self.received = received
    let isPaid = failures < Self.mostFruitless + received / Self.bytesPerFailure
    guard error.mayPass, fruitless < Self.mostFruitless, isPaid else { return nil }
    let asked = error.retryAfter ?? .zero
    return asked > .seconds(Self.backoff.longest)
      ? nil : max(Self.backoff.wait(fruitless, chance: chance), asked)
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

  /// Too Many Requests, and what a server or its gateway says while it is in trouble.
  private static let passing: Set<Int> = [429, 500, 502, 503, 504]
}

struct Backoff: Sendable {
  /// Seconds of the first wait.
  let first: Double
  /// Seconds of the longest wait.
  let longest: Double
  let jitter: Double

  /// Beyond this many failures the wait has long reached its bound.
  private static let mostDoublings = 20

  /// - Parameters:
  ///   - number: Failures so far, from 1 on.
  ///   - chance: A number from 0 to 1.
  func wait(_ number: Int, chance: Double) -> Duration {
    let doubled = first * Double(1 << min(max(number, 1) - 1, Self.mostDoublings))
    return .seconds(min(doubled, longest) * (1 + jitter * (2 * chance - 1)))
  }
}
