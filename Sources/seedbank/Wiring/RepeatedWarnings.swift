import SeedSystem
import SeedTrust

/// Lets a warning that stays true through once a day, so that a log is not filled with it.
final class RepeatedWarnings: Sendable {
  /// Seconds for which the same warning is not said again.
  private static let restSeconds = UTCTime.secondsPerDay

  private let said = Mutex<[String: UTCTime]>([:])

  /// Whether to say it now.
  func isDue(_ warning: String, now: UTCTime) -> Bool {
    said.withLock { said in
      // A clock that was set back must not keep it silent until then.
      if let last = said[warning],
        (0..<Self.restSeconds).contains(now.secondsSinceEpoch - last.secondsSinceEpoch)
      {
        return false
      }
      said[warning] = now
      return true
    }
  }
}
