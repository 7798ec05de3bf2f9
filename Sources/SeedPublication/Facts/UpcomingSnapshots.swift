import SeedFormat
package import SeedSystem
package import SeedTrust

package struct UpcomingSnapshots: Hashable, Sendable {
  /// The next due time; `nil` if the series has not changed since its newest snapshot.
  package let due: UTCTime?
  package let calendarTimes: [UTCTime]
  package let clock: ZoneClock?
  /// The maximum delay of each snapshot.
  package let jitterSeconds: Int

  private static let told = 3

  /// `seen` is the time up to which a publisher has checked its calendar.
  package init(_ metadata: SeriesMetadata?, _ schedule: SnapshotSchedule, seen: UTCTime?, now: UTCTime) {
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

  package init(due: UTCTime?, calendarTimes: [UTCTime], clock: ZoneClock?, jitterSeconds: Int) {
    (self.due, self.calendarTimes, self.clock) = (due, calendarTimes, clock)
    self.jitterSeconds = jitterSeconds
  }
}
