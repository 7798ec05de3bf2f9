import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// What a store still knows after a restart, though no file of its data says it.
struct StateRecord: Hashable, Sendable {
  /// Seconds since 1970.
  var lastChecked: Int?
  var lastUpdated: Int?
  var publishedAt: Int?
  var newestVersion: Int?
  var lifecycle: Lifecycle?

  /// Bytes that a record has at most.
  private static let longest = 64 * 1024
  /// Seconds by which a record may lag behind where nothing but the last look has changed: a look every minute must
  /// not cost a write every minute.
  private static let tolerance = 3600

  /// Whether the record is worth being written over `stored`.
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
    guard let json = bytes.flatMap({ try? JSONValue(parsing: $0) }) else { return StateRecord() }
    return StateRecord(
      lastChecked: json["checked"]?.integer, lastUpdated: json["updated"]?.integer,
      publishedAt: json["published"]?.integer, newestVersion: json["newest"]?.integer,
      lifecycle: json["lifecycle"].flatMap { try? Lifecycle(json: $0) })
  }

  func write(_ layout: StoreLayout) throws(FileError) {
    let members = [
      ("checked", lastChecked), ("updated", lastUpdated), ("published", publishedAt),
      ("newest", newestVersion),
    ]
    let numbers = members.compactMap { name, value in value.map { JSONMember(name, .integer(Int64($0))) } }
    let words = lifecycle.map { [JSONMember("lifecycle", $0.json)] } ?? []
    let whole = Self.bytes(numbers + words)
    // A publisher's endless words must not take along what is read with them.
    let bytes = whole.count <= Self.longest ? whole : Self.bytes(numbers)
    try DurableFile.write(bytes, to: layout.record, mode: 0o600)
  }

  private static func bytes(_ members: [JSONMember]) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONWriter.append(.object(members), to: &bytes)
    return bytes
  }
}
