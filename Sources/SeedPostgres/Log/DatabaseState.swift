import SeedFormat
import SeedPublisher

/// A PostgreSQL snapshot: the set of finished transactions.
struct LogSnapshot: Hashable {
  let text: String
  /// All transactions below have finished.
  let floor: UInt64
  /// No transaction from here on has finished.
  let ceiling: UInt64

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let floor = UInt64(parts[0]), let ceiling = UInt64(parts[1]) else { return nil }
    (self.text, self.floor, self.ceiling) = (text, floor, ceiling)
  }

  /// Without transactions above the floor: a standby's snapshot omits those in progress, so their rows would count as
  /// seen.
  var collapsed: LogSnapshot { LogSnapshot("\(floor):\(floor):") ?? self }
}

/// The state of a database, for a comparison with a later one.
struct DatabaseState: Hashable {
  /// The cluster's system identifier, which its copies share.
  let system: String
  let database: String
  let timeline: Int
  let isStandby: Bool
  /// The server's start time; empty for a standby, which loses no data in a restart.
  let start: String
  /// Transactions whose rows were certainly visible.
  let snapshot: LogSnapshot
  /// The first transaction without visible rows.
  let ceiling: UInt64
  /// A position in the write-ahead log after all visible rows.
  let reached: UInt64
  /// Digest of everything that can change rows without a write: functions, views, policies, enums, and the user.
  let definitions: String
  /// Digest of tables, views and indexes. A change does not invalidate the log, but may change which tables are read.
  let relations: String

  /// Whether a standby may lack a part of an older state. A primary never does, because its operator may restore an older
  /// state on purpose.
  func isBehind(_ older: DatabaseState, replayedBefore: UInt64?) -> Bool {
    guard isStandby, system == older.system, database == older.database, timeline <= older.timeline else {
      return false
    }
    // One position was read after its snapshot, the other before: both err towards waiting.
    let hasAll = snapshot.floor >= older.ceiling || (replayedBefore ?? 0) >= older.reached
    return timeline < older.timeline || !hasAll
  }

  /// Why a log since an older state proves nothing.
  func doubt(since older: DatabaseState) -> LogDoubt? {
    guard system == older.system, database == older.database else { return .otherDatabase }
    guard timeline == older.timeline else { return .otherTimeline }
    // A server that crashed may have lost visible commits and may assign their numbers again.
    guard isStandby == older.isStandby, start == older.start else { return .otherServer }
    return definitions == older.definitions ? nil : .otherSchema
  }

  /// Parses a position in the write-ahead log.
  static func place(_ text: String?) -> UInt64? {
    let parts = (text ?? "").split(separator: "/").compactMap { UInt64($0, radix: 16) }
    return parts.count == 2 ? parts[0] << 32 | parts[1] : nil
  }
}

extension DatabaseState {
  init?(_ json: JSONValue) {
    guard let system = json["system"]?.string, let database = json["database"]?.string,
      let timeline = json["timeline"]?.integer, let isStandby = json["standby"]?.bool,
      let start = json["start"]?.string, let snapshot = json["snapshot"]?.string.flatMap({ LogSnapshot($0) }),
      let ceiling = json["ceiling"]?.string.flatMap({ UInt64($0) }),
      let reached = json["reached"]?.string.flatMap({ UInt64($0) }),
      let definitions = json["definitions"]?.string, let relations = json["relations"]?.string
    else { return nil }
    self.init(
      system: system, database: database, timeline: timeline, isStandby: isStandby, start: start,
      snapshot: snapshot, ceiling: ceiling, reached: reached, definitions: definitions,
      relations: relations)
  }

  var members: [JSONMember] {
    [
      JSONMember("system", .string(system)), JSONMember("database", .string(database)),
      JSONMember("timeline", JSONValue(timeline)), JSONMember("standby", .bool(isStandby)),
      JSONMember("start", .string(start)), JSONMember("snapshot", .string(snapshot.text)),
      JSONMember("ceiling", .string("\(ceiling)")), JSONMember("reached", .string("\(reached)")),
      JSONMember("definitions", .string(definitions)), JSONMember("relations", .string(relations)),
    ]
  }
}
