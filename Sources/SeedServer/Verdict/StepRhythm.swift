import SeedSystem

/// How often steps must come. The page, the metrics with their alert, and `seedbank status --check` share it.
package enum StepRhythm {
  /// A process that publishes on may rest so long, and tells of it so late.
  static let longestRestSeconds = 90
  /// Turns that may be missed before anyone is told.
  static let missedTurns = 5
  /// Where a timer publishes, nobody knows its times: a day, and two hours for a step that takes long.
  static let timerSeconds = 26 * 3600

  /// Seconds between two looks at most, of a process that looks every so many seconds.
  static func expectedSeconds(_ checkSeconds: Int) -> Int { max(checkSeconds, longestRestSeconds) }

  /// Seconds after which a step is missed; `nil` stands for a timer.
  package static func patienceSeconds(_ checkSeconds: Int?) -> Int {
    guard let checkSeconds else { return timerSeconds }
    // Of a number that nobody vouches for.
    return missedTurns * expectedSeconds(min(checkSeconds, UTCTime.secondsPerDay))
  }
}
