import SeedFormat
package import SeedSystem
package import SeedTrust

/// When a series gets its next snapshots.
package struct UpcomingSnapshots: Hashable, Sendable {
  /// When the next one is due; `nil` where nothing changed since the newest.
  package let due: UTCTime?
  /// The next moments of its calendar, where it has one.
  package let calendarTimes: [UTCTime]
  /// The calendar's clock, where it has one.
  package let clock: ZoneClock?
  /// Seconds by which each comes later at most.
  package let jitterSeconds: Int

  /// Moments of a calendar that are told.
  private static let told = 3

  /// Of what is published of a series; `seen` is up to where a publisher looked at its calendar.
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

  init(due: UTCTime?, calendarTimes: [UTCTime], clock: ZoneClock?, jitterSeconds: Int) {
    (self.due, self.calendarTimes, self.clock) = (due, calendarTimes, clock)
    self.jitterSeconds = jitterSeconds
  }
}
