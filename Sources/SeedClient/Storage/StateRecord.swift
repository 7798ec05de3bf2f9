import SeedFormat
import SeedSystem
import SeedTrust

import struct Foundation.Date

extension StateRecord {
  private static let longest = 64 * 1024
  /// Allowed inaccuracy of the last check's time, in seconds: a check every minute must not write every minute.
  static let tolerance = 3600

  /// False if only the time of the last check has changed, within the tolerance.
  func isWorthKeeping(over stored: StateRecord) -> Bool {
    var aged = stored
    aged.lastChecked = lastChecked
    guard self == aged, let now = lastChecked, let before = stored.lastChecked else { return self != stored }
    // Also saves after the clock was set back.
    return abs(now.secondsSinceEpoch - before.secondsSinceEpoch) >= Self.tolerance
  }

  /// Returns an empty record if the file is missing or unreadable, or about another major: nothing depends on it.
  static func read(_ layout: StoreLayout, _ series: SeedSeries) -> StateRecord {
    let bytes = (try? DurableFile.readIfPresent(layout.record, limit: longest)) ?? nil
    return bytes.flatMap { try? StateRecord(parsing: $0, series) } ?? StateRecord()
  }

  func write(_ layout: StoreLayout, _ series: SeedSeries) throws(FileError) {
    let numbers: [JSONMember] = .init(
      ("major", JSONValue(series.major)), ("checked", lastChecked?.json), ("updated", lastUpdated?.json),
      ("published", publishedAt?.json),
      ("newest", newestVersion.map { JSONValue($0.number) }), ("poll", pollSeconds.map { JSONValue($0) }))
    let whole = JSONValue.object(numbers + .init(("lifecycle", lifecycle?.json))).bytes
    // Drops an oversized lifecycle text, because an unreadable record would lose the other fields too.
    let bytes = whole.count <= Self.longest ? whole : JSONValue.object(numbers).bytes
    try DurableFile.write(bytes, to: layout.record, mode: 0o600)
  }

  private init?(parsing bytes: [UInt8], _ series: SeedSeries) throws(MalformedJSON) {
    var fields = try JSONObjectReader(parsing: bytes)
    guard try fields.integerIfPresent("major", from: 0) == series.major else { return nil }
    lastChecked = try fields.timeIfPresent("checked")
    lastUpdated = try fields.timeIfPresent("updated")
    publishedAt = try fields.timeIfPresent("published")
    newestVersion = try fields.integerIfPresent("newest", from: 1).flatMap { try? SeedVersion($0) }
    pollSeconds = try fields.integerIfPresent("poll", from: 0)
    lifecycle = try SeedLifecycle(readingIfPresent: "lifecycle", in: &fields)
  }
}

extension UTCTime { fileprivate var json: JSONValue { JSONValue(secondsSinceEpoch) } }

extension JSONObjectReader {
  fileprivate mutating func timeIfPresent(_ name: String) throws(MalformedJSON) -> UTCTime? {
    try integerIfPresent(name, from: 0).map(UTCTime.init(secondsSinceEpoch:))
  }
}
