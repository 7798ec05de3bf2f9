import SeedFormat
import SeedSystem
import SeedTrust

import struct Foundation.Date

/// The part of ``SeedState`` that outlives a restart and that no file of the data says.
struct StateRecord: Hashable, Sendable {
  var lastChecked: Int?
  var lastUpdated: Int?
  var publishedAt: Int?
  var newestVersion: Int?
  var lifecycle: Lifecycle?

  private static let longest = 64 * 1024
  /// Seconds by which a record may lag behind where nothing but the last look has changed: a look every minute must
  /// not cost a write every minute.
  private static let tolerance = 3600

  /// False where nothing but the time of the last look has changed, and that only a little.
  func isWorthKeeping(over stored: StateRecord) -> Bool {
    var aged = stored
    aged.lastChecked = lastChecked
    guard self == aged, let now = lastChecked, let before = stored.lastChecked else { return self != stored }
    // A clock that was set back counts as well.
    return abs(now - before) >= Self.tolerance
  }

  /// An empty record where there is none, or one that cannot be read: nothing depends on it.
  static func read(_ layout: StoreLayout) -> StateRecord {
    let bytes = (try? DurableFile.readIfPresent(layout.record, limit: longest)) ?? nil
    return bytes.flatMap { try? StateRecord(parsing: $0) } ?? StateRecord()
  }

  func write(_ layout: StoreLayout) throws(FileError) {
    let numbers: [JSONMember] = .init(
      ("checked", lastChecked.map { JSONValue($0) }), ("updated", lastUpdated.map { JSONValue($0) }),
      ("published", publishedAt.map { JSONValue($0) }), ("newest", newestVersion.map { JSONValue($0) }))
    let whole = JSONValue.object(numbers + .init(("lifecycle", lifecycle?.json))).bytes
    // A publisher's endless words must not take along what is read with them.
    let bytes = whole.count <= Self.longest ? whole : JSONValue.object(numbers).bytes
    try DurableFile.write(bytes, to: layout.record, mode: 0o600)
  }
}

extension StateRecord {
  fileprivate init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var fields = try JSONObjectReader(parsing: bytes)
    lastChecked = try fields.integerIfPresent("checked", from: 0)
    lastUpdated = try fields.integerIfPresent("updated", from: 0)
    publishedAt = try fields.integerIfPresent("published", from: 0)
    newestVersion = try fields.integerIfPresent("newest", from: 1)
    lifecycle = try Lifecycle(readingIfPresent: "lifecycle", in: &fields)
  }
}

extension SeedState {
  var record: StateRecord {
    StateRecord(
      lastChecked: lastChecked?.seconds, lastUpdated: lastUpdated?.seconds, publishedAt: publishedAt?.seconds,
      newestVersion: head?.number, lifecycle: lifecycle)
  }

  mutating func restore(_ record: StateRecord) {
    lastChecked = lastChecked ?? record.lastChecked.map(Date.init(seconds:))
    lastUpdated = lastUpdated ?? record.lastUpdated.map(Date.init(seconds:))
    publishedAt = publishedAt ?? record.publishedAt.map(Date.init(seconds:))
    head = head ?? record.newestVersion.flatMap { try? Version($0) }
    lifecycle = lifecycle ?? record.lifecycle
  }
}

extension Date {
  fileprivate init(seconds: Int) { self.init(timeIntervalSince1970: Double(seconds)) }
  fileprivate var seconds: Int { Int(timeIntervalSince1970) }
}
