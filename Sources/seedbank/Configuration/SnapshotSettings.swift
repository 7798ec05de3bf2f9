import SeedFormat
import SeedPublication
import SeedPublisher

extension DatasetConfiguration {
  /// A dataset's snapshot schedule as configured; ``schedule`` is the result.
  struct SnapshotSettings: Hashable {
    /// Maximum age of a snapshot; nil for the default.
    var seconds: Int?
    var every: WrittenDuration?
    var times: WeeklyTimes?
    var clock: ZoneClock?
    var jitter: WrittenDuration?

    static let exclusiveKeys = ["schedule.snapshotSeconds", "schedule.snapshots", "schedule.every"]

    var isGiven: Bool { seconds != nil || every != nil || times != nil }

    private var rule: SnapshotSchedule.Rule {
      if let times { return .calendar(SnapshotCalendar(times, clock ?? .utc)) }
      return .age(seconds: every?.seconds ?? seconds ?? PublishingPolicy.usualSnapshotSeconds)
    }

    var schedule: SnapshotSchedule { SnapshotSchedule(rule, jitterSeconds: jitter?.seconds ?? 0) }

    /// The value of `snapshotSeconds`; nil if another key sets the schedule.
    var shownSeconds: Int? {
      every == nil && times == nil ? seconds ?? PublishingPolicy.usualSnapshotSeconds : nil
    }
  }
}

extension DatasetConfiguration {
  private static let secondsRange = 60...2_592_000

  static let snapshotSettings: [Setting<Self>] = [
    Setting(
      key: "schedule.snapshotSeconds", type: Setting<Self>.words(secondsRange),
      usual: "\(PublishingPolicy.usualSnapshotSeconds)",
      meaning:
        "seconds after which a series that changed gets a new snapshot. Instead of it there may be "
        + "`schedule.every` or `schedule.snapshots`",
      read: { dataset, value throws(ConfigurationError) in
        dataset.snapshots.seconds = try dataset.sole(value) { value throws(ConfigurationError) in
          try value.integer(in: secondsRange)
        }
      }, json: { JSONValue($0.snapshots.shownSeconds) }),
    Setting(
      key: "schedule.every", type: "text such as `6h`, `90m`, `1d`", isSeldom: true,
      meaning: "the same as a length of time",
      read: { dataset, value throws(ConfigurationError) in
        dataset.snapshots.every = try dataset.sole(value) { value throws(ConfigurationError) in
          try value.duration(in: secondsRange)
        }
      }, json: { JSONValue($0.snapshots.every?.text) }),
    Setting(
      key: "schedule.snapshots", type: "text such as `03:30`, `Mon-Fri 03:30; Sat,Sun 06:00,18:00`",
      isSeldom: true,
      meaning:
        "the times of a week at which a series that changed gets a new snapshot. One that was missed is made up for",
      read: { dataset, value throws(ConfigurationError) in
        dataset.snapshots.times = try dataset.sole(value) { value throws(ConfigurationError) in
          try value.written(WeeklyTimes.init)
        }
      }, json: { JSONValue($0.snapshots.times?.text) }),
    Setting(
      key: "schedule.timeZone", type: "IANA name such as `Europe/Zurich`", usual: "`UTC`", isSeldom: true,
      meaning: "the time zone of `schedule.snapshots`",
      read: { dataset, value throws(ConfigurationError) in
        guard let clock = try value.written(ZoneClock.init) else { return }
        guard dataset.snapshots.times != nil else {
          throw value.error("expected \"schedule.snapshots\", to which it applies")
        }
        dataset.snapshots.clock = clock
      }, json: { JSONValue($0.snapshots.clock?.name) }),
    Setting(
      key: "schedule.jitter", type: "text such as `10m`", isSeldom: true,
      meaning:
        "the longest random delay of a snapshot, so that many publishers do not all begin at once; each "
        + "snapshot gets another one",
      read: readJitter, json: { JSONValue($0.snapshots.jitter?.text) }),
  ]

  /// Reads a key that excludes all others of the snapshot schedule.
  private func sole<Value>(
    _ value: ConfigurationValue, _ read: (ConfigurationValue) throws(ConfigurationError) -> Value?
  ) throws(ConfigurationError) -> Value? {
    guard let found = try read(value) else { return nil }
    guard !snapshots.isGiven else {
      throw value.error(
        "expected only one of \(alternatives(SnapshotSettings.exclusiveKeys)), found two; remove one")
    }
    return found
  }

  /// Read last, because it depends on the schedule.
  @Sendable private static func readJitter(
    _ dataset: inout Self, _ value: ConfigurationValue
  ) throws(ConfigurationError) {
    let jitter = try value.duration(in: 1...secondsRange.upperBound)
    let period = dataset.snapshots.schedule.shortestSeconds
    if let jitter, jitter.seconds >= period {
      throw value.error(
        "expected less than the \(period) seconds between two snapshots, found \"\(jitter.text)\"")
    }
    dataset.snapshots.jitter = jitter
    dataset.policy.snapshotSchedule = dataset.snapshots.schedule
  }
}

extension ConfigurationValue {
  fileprivate func written<Value>(
    _ read: (String) throws(ScheduleMistake) -> Value
  ) throws(ConfigurationError) -> Value? {
    guard let text = try text() else { return nil }
    do throws(ScheduleMistake) {
      return try read(text)
    } catch { throw self.error(error.description) }
  }

  fileprivate func duration(in range: ClosedRange<Int>) throws(ConfigurationError) -> WrittenDuration? {
    guard let found = try written(WrittenDuration.init) else { return nil }
    guard range.contains(found.seconds) else {
      throw error("expected from \(range.lowerBound) to \(range.upperBound) seconds, found \"\(found.text)\"")
    }
    return found
  }
}
