import SeedFormat
import SeedServer

/// A snapshot of PostgreSQL's: which transactions are over.
struct LogSnapshot: Hashable {
  let text: String
  /// All transactions before it are over.
  let floor: UInt64
  /// None from it on is.
  let ceiling: UInt64

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let floor = UInt64(parts[0]), let ceiling = UInt64(parts[1]) else { return nil }
    (self.text, self.floor, self.ceiling) = (text, floor, ceiling)
  }

  /// Without what is above the floor. A standby's snapshot leaves out transactions in progress, which are above it, and so
  /// would take their rows for seen.
  var collapsed: LogSnapshot { LogSnapshot("\(floor):\(floor):") ?? self }
}

/// A state of a database, as it can be told from another one.
struct LogPosition: Hashable {
  /// Which cluster; its copies have the same.
  let system: String
  let database: String
  let timeline: Int
  let isStandby: Bool
  /// When the server was started; empty on a standby, which loses nothing by a restart.
  let start: String
  /// What was seen for sure.
  let snapshot: LogSnapshot
  /// The first transaction of which nothing was seen.
  let ceiling: UInt64
  /// How far the write-ahead log had come, at least what was seen is in it.
  let reached: UInt64
  /// What makes other rows of the same tables: functions, views, policies, enums, and who reads.
  let definitions: String
  /// Which tables, views and indexes there are. Others make no doubt of what was noted, but what is read of them may be another.
  let relations: String

  /// Whether a standby may lack a part of an older state. A primary lacks nothing: an operator who restores an older state means it.
  func isBehind(_ older: LogPosition, replayedBefore: UInt64?) -> Bool {
    guard isStandby, system == older.system, database == older.database, timeline <= older.timeline else {
      return false
    }
    // The older place was asked for after its snapshot, so the snapshot saw nothing beyond it; this one before its snapshot, so
    // the snapshot sees all up to it. Both err towards waiting. A snapshot also has all if it is past the older one's newest number.
    let hasAll = snapshot.floor >= older.ceiling || (replayedBefore ?? 0) >= older.reached
    return timeline < older.timeline || !hasAll
  }

  /// Why nothing can be concluded from an older state, if this one lacks nothing of it.
  func doubt(since older: LogPosition) -> LogDoubt? {
    guard system == older.system, database == older.database else { return .otherDatabase }
    guard timeline == older.timeline else { return .otherTimeline }
    // A server that crashed may have lost commits that were seen, and gives their numbers away again.
    guard isStandby == older.isStandby, start == older.start else { return .otherServer }
    return definitions == older.definitions ? nil : .otherSchema
  }

  /// A place in the write-ahead log, as the server writes it.
  static func place(_ text: String?) -> UInt64? {
    let parts = (text ?? "").split(separator: "/").compactMap { UInt64($0, radix: 16) }
    return parts.count == 2 ? parts[0] << 32 | parts[1] : nil
  }
}

extension LogPosition {
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
