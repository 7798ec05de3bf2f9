import SeedSystem

/// The expected frequency of steps, shared by the page, the metrics and their alert, and `seedbank status --check`.
package enum StepRhythm {
  /// The longest pause of `seedbank run`, and the longest delay of its reports.
  static let longestRestSeconds = 90
  static let missedTurns = 5
  /// The schedule of a timer is unknown, so allow a day plus two hours for a slow step.
  static let timerSeconds = 26 * 3600

  /// The longest expected time between two checks of the origin.
  package static func expectedSeconds(_ checkSeconds: Int) -> Int { max(checkSeconds, longestRestSeconds) }

  /// The time after which a step counts as missed. Pass `nil` for a timer.
  package static func patienceSeconds(_ checkSeconds: Int?) -> Int {
    guard let checkSeconds else { return timerSeconds }
    // The facts are not signed, so limit the number.
    return missedTurns * expectedSeconds(min(checkSeconds, UTCTime.secondsPerDay))
  }
}
