import SeedFormat
import SeedPublication
import SeedSystem

extension UpcomingSnapshots {
  var text: String? {
    let snapshot = due.map { "a snapshot at \(shown($0))" }
    guard !calendarTimes.isEmpty else { return snapshot }
    let times = calendarTimes.map(shown).joined(separator: ", ") + later
    return snapshot.map { "\($0); times of the calendar: \(times)" }
      ?? "a snapshot, if rows change, at \(times)"
  }

  private var later: String {
    jitterSeconds > 0 ? ", each up to \(TimeSpan(seconds: jitterSeconds).exactly) later" : ""
  }

  private func shown(_ time: UTCTime) -> String { clock.map { "\($0.text(time)) (\(time))" } ?? "\(time)" }

  func json(_ time: UTCTime) -> JSONValue {
    ["time": .string(time.text), "local": JSONValue(clock?.text(time))]
  }
}
