import SeedFormat
import SeedPublication
import SeedPublisher

extension DatasetConfiguration {
  /// A dataset's snapshot schedule as configured; ``schedule`` is the result.
  struct SnapshotSettings: Hashable {
    /// Maximum age of a snapshot; nil for the default.
    var seconds: Int?
    var times: WeeklyTimes?
    var clock: ZoneClock?

    var schedule: SnapshotSchedule {
      if let times { return .calendar(SnapshotCalendar(times, clock ?? .utc)) }
      return .every(seconds: seconds ?? PublishingPolicy.usualSnapshotSeconds)
    }

    /// The value of `snapshotSeconds`; nil if times set the schedule.
    var shownSeconds: Int? { times == nil ? seconds ?? PublishingPolicy.usualSnapshotSeconds : nil }
  }

  static let snapshotSettings: [Setting<Self>] = [
    Setting(
      key: "schedule.snapshotSeconds", type: Setting<Self>.words(60...2_592_000),
      usual: "\(PublishingPolicy.usualSnapshotSeconds)",
      meaning:
        "seconds after which a series that changed gets a new snapshot. Instead of it there may be `schedule.snapshots`",
      read: { dataset, value throws(Refusal) in
        dataset.snapshots.seconds = try value.integer(in: 60...2_592_000)
      }, json: { JSONValue($0.snapshots.shownSeconds) }),
    Setting(
      key: "schedule.snapshots", type: "text such as `03:30`, `Mon-Fri 03:30; Sat,Sun 06:00,18:00`",
      isSeldom: true,
      meaning:
        "the times of a week at which a series that changed gets a new snapshot. One that was missed is made up for",
      read: { dataset, value throws(Refusal) in
        dataset.snapshots.times = try value.written(WeeklyTimes.expected, WeeklyTimes.init)
        guard dataset.snapshots.times == nil || dataset.snapshots.seconds == nil else {
          throw value.error(
            "expected only one of it and \"schedule.snapshotSeconds\", found both; remove one")
        }
      }, json: { JSONValue($0.snapshots.times?.text) }),
    Setting(
      key: "schedule.timeZone", type: "IANA name such as `Europe/Zurich`", usual: "`UTC`", isSeldom: true,
      meaning: "the time zone of `schedule.snapshots`",
      read: { dataset, value throws(Refusal) in
        if let clock = try value.written(ZoneClock.expected, ZoneClock.init) {
          guard dataset.snapshots.times != nil else {
            throw value.error("expected \"schedule.snapshots\", to which it applies")
          }
          dataset.snapshots.clock = clock
        }
        // Set by the last of these settings, because the schedule depends on all of them.
        dataset.policy.snapshotSchedule = dataset.snapshots.schedule
      }, json: { JSONValue($0.snapshots.clock?.name) }),
  ]
}

extension ConfigurationValue {
  fileprivate func written<Value>(
    _ expected: String, _ read: (String) -> Value?
  ) throws(Refusal) -> Value? {
    guard let text = try text() else { return nil }
    guard let value = read(text) else { throw error("expected \(expected), found \"\(text.printable)\"") }
    return value
  }
}
