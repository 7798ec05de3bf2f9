import SeedSystem
import Support
import Testing

@testable import SeedPublication

/// Checks scheduled times against a reference that walks through a year minute by minute.
@Suite struct CalendarTests {
  private static let zones = [
    "UTC", "Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca",
  ]

  static func calendar(_ times: String, _ zone: String = "UTC") throws -> SnapshotCalendar {
    SnapshotCalendar(try #require(WeeklyTimes(times)), try #require(ZoneClock(zone)))
  }

  private static func time(_ text: String) throws -> UTCTime { try #require(UTCTime(text)) }

  // MARK: The grammar

  @Test func `weekly times parse in all their forms`() throws {
    func hours(_ text: String) throws -> [Int] {
      try #require(WeeklyTimes(text)).minutes.map { $0 / 60 }
    }
    #expect(try hours("03:30") == [3, 27, 51, 75, 99, 123, 147])
    #expect(try hours("Mon 00:00") == [0])
    #expect(try hours("sun 23:59") == [167])
    #expect(try hours("Sat,Sun 06:00,18:00") == [126, 138, 150, 162])
    #expect(try hours("Mon-Wed 01:00; Fri 02:00") == [1, 25, 49, 98])
    #expect(try hours("Sat-Mon 01:00") == [1, 121, 145], "over the end of the week")
    #expect(try hours("Mon,Mon-Tue  01:00,01:00") == [1, 25], "twice is once")
    #expect(try #require(WeeklyTimes("Mon-Fri 03:30")).longestGapMinutes == 3 * 1440)
    #expect(try #require(WeeklyTimes("Tue 03:30")).longestGapMinutes == 7 * 1440)
  }

  @Test(arguments: [
    "", " ", "24:00", "03:60", "3:30", "03:3", "03.30", "0330", "+3:30", "03:30,", "Mon", "Mon-Fri",
    "Mon-Fri 03:30;",
    "Mon - Fri 03:30", "03:30 Mon", "٠٣:٣٠", "-1:00", "Mo-Fri 03:30", "Mon-Tue-Wed 03:30", "Mon,,Tue 03:30",
  ])
  func `an invalid weekly time is rejected`(text: String) { #expect(WeeklyTimes(text) == nil) }

  @Test func `an unknown time zone is rejected`() {
    #expect(ZoneClock("Mars/Olympus Mons") == nil)
    #expect(ZoneClock.utc.offset(at: 0) == 0)
  }

  // MARK: Daylight saving

  @Test func `a time skipped by daylight saving runs once, at the change`() throws {
    let calendar = try Self.calendar("02:15,02:45", "Europe/Zurich")
    let eve = try Self.time("2026-03-28T12:00:00Z")
    #expect(calendar.next(after: eve).text == "2026-03-29T01:00:00Z")
    #expect(calendar.next(after: calendar.next(after: eve)).text == "2026-03-30T00:15:00Z")
    #expect(calendar.previous(before: try Self.time("2026-03-29T12:00:00Z")).text == "2026-03-29T01:00:00Z")
  }

  @Test func `a time repeated by daylight saving runs only the first time`() throws {
    let calendar = try Self.calendar("02:30", "Europe/Zurich")
    let first = try Self.time("2026-10-25T00:30:00Z")
    #expect(calendar.next(after: first.adding(seconds: -1)) == first)
    #expect(calendar.next(after: first).text == "2026-10-26T01:30:00Z")
  }

  @Test func `a time on a day that its zone skips runs at the change`() throws {
    // Samoa skipped 2011-12-30 when it crossed the date line.
    let calendar = try Self.calendar("03:30", "Pacific/Apia")
    let eve = try Self.time("2011-12-29T20:00:00Z")
    #expect(calendar.next(after: eve).text == "2011-12-30T10:00:00Z")
    #expect(calendar.next(after: calendar.next(after: eve)).text == "2011-12-30T13:30:00Z")
  }

  /// All scheduled times of a year, found by reading the clock each minute.
  private static func reference(_ calendar: SnapshotCalendar, _ start: Int, minutes: Int) -> [Int] {
    let wanted = Set(calendar.times.minutes)
    var (moments, shown): ([Int], Set<Int>) = ([], [])
    var last = start / 60 - 1 + calendar.clock.offset(at: start - 60) / 60
    for moment in stride(from: start, to: start + minutes * 60, by: 60) {
      let local = moment / 60 + calendar.clock.offset(at: moment) / 60
      // Minutes that the clock reached or skipped since the last minute. 1970-01-01 was the week's fourth day.
      let passed = local > last ? last + 1...local : local...local
      let new = passed.filter { wanted.contains(($0 + 3 * 1440) % 10_080) && !shown.contains($0) }
      if !new.isEmpty { moments.append(moment) }
      shown.formUnion(new)
      last = local
    }
    return moments
  }

  private static func randomTimes(_ random: inout SplitMix) -> String {
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    func time() -> String {
      // Mostly near the hours of clock changes.
      let hour =
        Bool.random(using: &random)
        ? Int.random(in: 0...3, using: &random) : Int.random(in: 0..<24, using: &random)
      let minute = Int.random(in: 0..<60, using: &random)
      return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
    let times = (0..<Int.random(in: 1...3, using: &random)).map { _ in time() }.joined(separator: ",")
    let (first, last) = (days.randomElement(using: &random)!, days.randomElement(using: &random)!)
    return ["\(times)", "\(first)-\(last) \(times)", "\(first),\(last),Sun \(times)"].randomElement(
      using: &random)!
  }

  @Test(.full, arguments: zones)
  func `a year of scheduled times matches a minute by minute reference`(zone: String) throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    let start = try Self.time("2026-01-01T00:00:00Z").secondsSinceEpoch
    for _ in 0..<2 {
      let calendar = try Self.calendar(Self.randomTimes(&random), zone)
      let expected = Self.reference(calendar, start, minutes: 366 * 1440)
      let context = "seed \(seed): \(calendar.times.text) in \(zone)"
      var (found, moment): ([Int], UTCTime) = ([], UTCTime(secondsSinceEpoch: start - 1))
      while case let next = calendar.next(after: moment), next.secondsSinceEpoch < start + 366 * 86_400 {
        found.append(next.secondsSinceEpoch)
        moment = next
      }
      #expect(found == expected, "\(context)")
      for _ in 0..<200 {
        let time = Int.random(in: expected[0] + 1..<start + 366 * 86_400, using: &random)
        let previous = calendar.previous(before: UTCTime(secondsSinceEpoch: time))
        #expect(previous.secondsSinceEpoch == expected.last { $0 < time }, "\(context), before \(time)")
      }
      for index in expected.indices.dropFirst() {
        let time = UTCTime(secondsSinceEpoch: expected[index])
        #expect(calendar.previous(before: time).secondsSinceEpoch == expected[index - 1], "\(context)")
      }
    }
  }
}
