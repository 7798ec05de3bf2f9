import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import Support
import Testing

/// Due snapshots over a year of steps, with machines that were off and clocks that jump.
@Suite struct SnapshotScheduleTests {
  private static let start = UTCTime("2026-01-01T00:00:00Z")!

  private static func past(_ newest: UTCTime?, seen: UTCTime? = nil) -> SnapshotPast {
    SnapshotPast(newest: newest, seen: seen)
  }

  /// A year of steps: scheduled times per snapshot, and after each step the time and the newest snapshot.
  private static func year(
    _ calendar: SnapshotCalendar, _ random: inout SplitMix, canJumpBack: Bool
  ) -> (served: [UTCTime], steps: [(now: UTCTime, newest: UTCTime)]) {
    var (now, newest) = (start, start)
    var (served, steps): ([UTCTime], [(UTCTime, UTCTime)]) = ([], [])
    while now < start.adding(days: 366) {
      if SnapshotSchedule.calendar(calendar).isDue(past(newest), now: now) {
        served.append(calendar.turn(at: now))
        newest = now
      }
      steps.append((now, newest))
      switch Int.random(in: 0..<400, using: &random) {
      case 0: now = now.adding(seconds: Int.random(in: 0..<5 * 86_400, using: &random))
      case 1 where canJumpBack:
        // At most as far as the schedule tolerates.
        now = max(
          newest.adding(seconds: -80_000), now.adding(seconds: -Int.random(in: 0..<80_000, using: &random)))
      default: now = now.adding(seconds: Int.random(in: 1..<1200, using: &random))
      }
    }
    return (served, steps)
  }

  /// Checks that no scheduled time is served twice and that no step leaves a past one unserved.
  private static func check(_ calendar: SnapshotCalendar, canJumpBack: Bool) {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    let (served, steps) = year(calendar, &random, canJumpBack: canJumpBack)
    #expect(served.count > 100, "seed \(seed)")
    #expect(Set(served).count == served.count && served == served.sorted(), "seed \(seed)")
    for (now, newest) in steps {
      let turn = calendar.turn(at: now)
      #expect(turn <= newest || turn < start, "seed \(seed): at \(now)")
    }
  }

  @Test(
    .full, arguments: ["UTC", "Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
  func `no scheduled time is lost or served twice in a year of outages and clock jumps`(zone: String) throws {
    let calendar = try CalendarTests.calendar("Mon-Fri 02:30; Sat,Sun 06:00,18:00", zone)
    for canJumpBack in [false, true] { Self.check(calendar, canJumpBack: canJumpBack) }
  }

  @Test func `dates from a clock that was days ahead block no snapshot`() throws {
    let schedule = try SnapshotSchedule.calendar(CalendarTests.calendar("03:30", "UTC"))
    let now = Self.start.adding(days: 100)
    let (near, far) = (now.adding(seconds: 80_000), now.adding(days: 300))
    #expect(!schedule.isDue(Self.past(near), now: now))
    #expect(schedule.isDue(Self.past(far), now: now))
    #expect(schedule.isDue(Self.past(far, seen: far), now: now))
    // The following snapshot has the correct date.
    #expect(!schedule.isDue(Self.past(now, seen: far), now: now.adding(seconds: 60)))
    #expect(SnapshotSchedule.every(seconds: 60).isDue(Self.past(near), now: now))
  }

  @Test func `a served time waits for the next one and a missed time is due at once`()
    throws
  {
    let schedule = try SnapshotSchedule.calendar(CalendarTests.calendar("03:30", "UTC"))
    let (monday, wednesday) = (Self.start.adding(days: 4), Self.start.adding(days: 6))
    let noon = wednesday.adding(seconds: 43_200)
    let seen = wednesday.adding(seconds: 3 * 3600 + 1800)
    #expect(schedule.isDue(Self.past(monday), now: noon))
    #expect(!schedule.isDue(Self.past(monday, seen: seen), now: noon))
    #expect(schedule.next(Self.past(monday, seen: seen), now: noon) == seen.adding(days: 1))
    #expect(schedule.next(Self.past(monday), now: noon) == seen)
  }

  // MARK: The publisher

  private func deployment() throws -> TestDeployment {
    let deployment = try PublisherFixture.deployment()
    deployment.job.snapshotSchedule = try SnapshotSchedule.calendar(CalendarTests.calendar("03:30", "UTC"))
    // Noon of a day ahead.
    let day = deployment.clock.secondsSinceEpoch / 86_400 + 2
    deployment.clock = UTCTime(secondsSinceEpoch: day * 86_400 + 43_200)
    _ = try deployment.step(forcingSnapshot: true)
    return deployment
  }

  @Test func `a change waits for the scheduled night and missed nights cause one snapshot`() throws {
    let deployment = try deployment()
    #expect(
      try deployment.publish("UPDATE stop SET name = 'w'").snapshotBytes == nil, "it was there by then")
    #expect(try deployment.publish("UPDATE stop SET name = 'x'").snapshotBytes == nil)
    deployment.clock = deployment.clock.adding(days: 3)
    #expect(try deployment.verifiedStep().snapshotBytes != nil, "three nights without a publisher")
    #expect(try deployment.publish("UPDATE stop SET name = 'y'").snapshotBytes == nil)
  }

  @Test func `a failure to save the schedule's mark fails the step and keeps the publication`() throws {
    let deployment = try deployment()
    _ = try deployment.publish("UPDATE stop SET name = 'w'")
    _ = try deployment.step(forcingSnapshot: true)
    let mark = deployment.folder("state/test-2.calendar")
    try Folder.remove(mark)
    try Folder.create(mark)
    deployment.clock = deployment.clock.adding(days: 1)
    #expect(throws: FileError.self) { try deployment.step() }
    try deployment.verify()
    try Folder.removeAll(mark)
    #expect(try deployment.verifiedStep().outcome == .unchanged)
    #expect(CalendarMark(SeedSeries("test", model: "2.0"), in: deployment.folder("state")).time != nil)
  }

  @Test func `a publisher that ran at night makes no snapshot by day`() throws {
    let deployment = try deployment()
    _ = try deployment.publish("UPDATE stop SET name = 'w'")
    _ = try deployment.step(forcingSnapshot: true)
    deployment.clock = deployment.clock.adding(seconds: 16 * 3600)
    #expect(try deployment.verifiedStep().snapshotBytes == nil, "nothing changed")
    deployment.clock = deployment.clock.adding(seconds: 6 * 3600)
    #expect(try deployment.publish("UPDATE stop SET name = 'x'").snapshotBytes == nil)
    // A lost mark costs one snapshot at most.
    try Folder.remove(deployment.folder("state/test-2.calendar"))
    #expect(try deployment.publish("UPDATE stop SET name = 'y'").snapshotBytes != nil)
    deployment.clock = deployment.clock.adding(seconds: 20 * 3600)
    #expect(try deployment.publish("UPDATE stop SET name = 'z'").snapshotBytes != nil)
  }
}
