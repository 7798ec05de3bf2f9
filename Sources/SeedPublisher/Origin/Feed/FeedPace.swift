import SeedSystem

/// When a program is started again. One that failed is left alone for a while, and what was wrong counts on.
final class FeedPace: Sendable {
  private let failure = Mutex<(error: any Error, at: Int)?>(nil)

  /// Seconds after a failure, at most.
  private static let longestPause = 60

  static func pause(_ everySeconds: Int) -> Int { min(everySeconds, longestPause) }

  /// A clock that was set back must not make it wait until then.
  static func isDue(_ last: Int, every seconds: Int, now: Int) -> Bool { !(0..<seconds).contains(now - last) }

  /// Runs `body`, unless it failed less than so many seconds ago: then it fails as it did.
  func trying(_ pause: Int, now: Int, _ body: () throws -> Void) throws {
    if let last = failure.withLock(\.self), !Self.isDue(last.at, every: pause, now: now) { throw last.error }
    do {
      try body()
      failure.withLock { $0 = nil }
    } catch {
      failure.withLock { $0 = (error, UTCTime.now().secondsSinceEpoch) }
      throw error
    }
  }
}
