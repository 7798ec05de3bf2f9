import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

/// When a series gets its next snapshots.
struct UpcomingSnapshots {
  /// When the next one is due; `nil` where nothing changed since the newest.
  let due: UTCTime?
  /// The next moments of its calendar, where it has one.
  let calendarTimes: [UTCTime]
  private let clock: ZoneClock?
  private let jitterSeconds: Int

  /// Moments of a calendar that are told.
  private static let told = 3

  init(_ metadata: SeriesMetadata?, _ schedule: SnapshotSchedule, seen: UTCTime?, now: UTCTime) {
    jitterSeconds = schedule.jitterSeconds
    let isAlive = metadata?.state.lifecycle.isRetired == false
    let past = metadata.flatMap { isAlive && $0.lacksSnapshot ? $0.snapshotPast(seen: seen) : nil }
    due = past.map { schedule.next($0, now: now) }
    guard isAlive, case .calendar(let calendar) = schedule.rule else {
      (calendarTimes, clock) = ([], nil)
      return
    }
    clock = calendar.clock
    calendarTimes = (0..<Self.told).reduce(into: []) { times, _ in
      times.append(calendar.next(after: times.last ?? now))
    }
  }

  var text: String? {
    let snapshot = due.map { "a snapshot at \(shown($0))" }
    guard !calendarTimes.isEmpty else { return snapshot }
    let times = calendarTimes.map(shown).joined(separator: ", ") + later
    return snapshot.map { "\($0); times of the calendar: \(times)" }
      ?? "a snapshot of what changes by then at \(times)"
  }

  private var later: String { jitterSeconds > 0 ? ", each up to \(jitterSeconds) s later" : "" }

  private func shown(_ time: UTCTime) -> String { clock.map { "\($0.text(time)) (\(time))" } ?? "\(time)" }

  func json(_ time: UTCTime) -> JSONValue {
    ["time": .string(time.text), "local": JSONValue(clock?.text(time))]
  }
}
