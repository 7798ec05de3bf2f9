import SeedFormat

enum DatasetKey: String, ConfigurationKey {
  case origin, schedule, retention, shrink, encodings, indexes, expirySeconds, pollSeconds, lifecycle
  case license, attribution, source
}

enum ScheduleKey: String, ConfigurationKey {
  case checkSeconds, snapshotSeconds
}

enum RetentionKey: String, ConfigurationKey {
  case snapshots, snapshotAgeSeconds, graceSeconds
}

enum ShrinkKey: String, ConfigurationKey {
  case percent, minimumRows
}

extension DatasetConfiguration {
  /// Reads a dataset's folder, by its absolute path.
  init(
    _ name: DatasetName, readingFolder folder: String, overrides: ConfigurationOverrides
  ) throws(ConfigurationError) {
    let file = "\(folder)/\(Self.fileName)"
    let place = ConfigurationPlace(file: file, prefix: "datasets.\(name).", overrides: overrides)
    let top = try ConfigurationObject<DatasetKey>(ConfigurationDocument.value(inFile: file), at: place)
    self.init(
      name: name, folder: folder,
      origin: try OriginConfiguration(top.value(.origin), at: top.place(of: .origin)), models: [])
    schedule = try ScheduleConfiguration(top.object(.schedule))
    retention = try RetentionConfiguration(top.object(.retention))
    shrink = try ShrinkConfiguration(top.object(.shrink))
    encodings = try Self.encodings(top) ?? encodings
    if let text = try top.text(.indexes) { indexes = try choice(text, at: top.place(of: .indexes)) }
    expirySeconds = try Self.expiry(top, schedule)
    pollSeconds = try top.integer(.pollSeconds, in: Self.polls, default: pollSeconds)
    lifecycle = try SeriesLifecycle.table(top.value(.lifecycle), at: top.place(of: .lifecycle))
    license = try top.text(.license)
    attribution = try top.text(.attribution)
    source = try top.text(.source)
    models = try ModelFolder.all(inDataset: folder)
  }

  /// A given time must suit the schedule; the usual one grows with it.
  private static func expiry(
    _ top: ConfigurationObject<DatasetKey>, _ schedule: ScheduleConfiguration
  ) throws(ConfigurationError) -> Int {
    let shortest = schedule.shortestExpiry
    guard let given = try top.integer(.expirySeconds, in: expiries) else { return max(usualExpiry, shortest) }
    guard given >= shortest else {
      throw top.place(of: .expirySeconds).error(
        "expected at least \(shortest), three times the longest schedule, found \(given)")
    }
    return given
  }

  private static func encodings(
    _ top: ConfigurationObject<DatasetKey>
  ) throws(ConfigurationError) -> [SnapshotEncoding]? {
    guard let entries = try top.texts(.encodings) else { return nil }
    var encodings: [SnapshotEncoding] = []
    for entry in entries {
      let encoding: SnapshotEncoding = try choice(entry.text, at: entry.place)
      guard !encodings.contains(encoding) else {
        throw entry.place.error("expected each encoding once, found \"\(encoding.rawValue)\" again")
      }
      encodings.append(encoding)
    }
    guard encodings.contains(.gzip) else {
      throw top.place(of: .encodings).error(
        "expected \"gzip\" among them, which every client can read; add it")
    }
    return encodings
  }
}

extension ScheduleConfiguration {
  fileprivate init(_ object: ConfigurationObject<ScheduleKey>) throws(ConfigurationError) {
    checkSeconds = try object.integer(.checkSeconds, in: Self.checks, default: checkSeconds)
    snapshotSeconds = try object.integer(.snapshotSeconds, in: Self.snapshots, default: snapshotSeconds)
  }
}

extension RetentionConfiguration {
  fileprivate init(_ object: ConfigurationObject<RetentionKey>) throws(ConfigurationError) {
    snapshots = try object.integer(.snapshots, in: Self.counts, default: snapshots)
    snapshotAgeSeconds = try object.integer(.snapshotAgeSeconds, in: Self.ages)
    graceSeconds = try object.integer(.graceSeconds, in: Self.graces, default: graceSeconds)
  }
}

extension ShrinkConfiguration {
  fileprivate init(_ object: ConfigurationObject<ShrinkKey>) throws(ConfigurationError) {
    percent = try object.integer(.percent, in: Self.percents, default: percent)
    minimumRows = try object.integer(.minimumRows, in: Self.counts, default: minimumRows)
  }
}

/// One of a closed set of words.
func choice<Word: RawRepresentable & CaseIterable>(
  _ text: String, at place: ConfigurationPlace
) throws(ConfigurationError) -> Word where Word.RawValue == String {
  guard let word = Word(rawValue: text) else {
    let known = alternatives(Word.allCases.map(\.rawValue))
    throw place.error("expected \(known), found \"\(text.clipped)\"")
  }
  return word
}
