import SeedFormat
import SeedFront
import SeedPublication
import SeedTrust

/// Reports once when a rollback holds a series and when the hold ends, whichever process did it.
struct HoldFollower {
  static let restSeconds = 1

  private var known: [Series: SeriesHold] = [:]

  mutating func records(for now: [Series: SeriesHold]) -> [LogRecord] {
    defer { known = now }
    return Set(known.keys).union(now.keys).sorted().compactMap { series in
      guard known[series] != now[series] else { return nil }
      return now[series].map { Self.begin(series, $0) } ?? Self.end(series)
    }
  }

  private static func begin(_ series: Series, _ hold: SeriesHold) -> LogRecord {
    LogRecord(
      .warning,
      "\(series): held at the content of version \(hold.version) since \(hold.since):"
        + " 'seedbank regenerate --resume' publishes the origin again",
      [JSONMember("series", .string("\(series)")), JSONMember("hold", JSONValue(hold.version.number))])
  }

  private static func end(_ series: Series) -> LogRecord {
    LogRecord(
      .notice, "\(series): held no longer: its origin is published again",
      [JSONMember("series", .string("\(series)"))])
  }
}

extension Front {
  func followHolds(_ console: Console) async {
    var follower = HoldFollower()
    while !Task.isCancelled {
      follower.records(for: holds).forEach(console.tell)
      try? await Task.sleep(for: .seconds(HoldFollower.restSeconds))
    }
  }
}
