package import SeedDatabase
package import SeedFormat
package import SeedSystem

/// Unsigned information about a series, for people and monitors. Clients do not read it. Its JSON contains
/// no error messages because they include private paths and rows.
package struct SeriesFacts: Hashable, Sendable {
  package let series: SeedSeries
  package var writtenAt: UTCTime
  package var look: Look
  /// The tables of the newest version, sorted by name. Empty if the working copy has another version.
  package var tables: [Table] = []
  /// When the next snapshot is due; `nil` if the series has not changed since its newest snapshot.
  package var nextSnapshot: UTCTime?
  /// The interval at which `seedbank run` checks the origin, in seconds.
  package var checkSeconds: Int?
  /// The time limit of the program that fills a feed, in seconds.
  package var commandSeconds: Int?
  package var expectedChangeSeconds: Int?
  package var lifetimeSeconds: Int?
  /// The number of new tables, columns, indexes and views that clients do not get; `nil` if unknown. The names are not
  /// published.
  package var gained: Int?
  /// The newest steps that changed or rejected something, newest first.
  package var steps: [StepRecord] = []
  /// The number of steps in the recorded history, by outcome.
  package var counts: [StepRecord.Outcome: Int] = [:]
  /// The number of rows that the origin's log missed in the recorded history.
  package var missedRows = 0

  package struct Look: Hashable, Sendable {
    /// When the origin was last read and could be published.
    package var good: UTCTime?
    package var newest: StepRecord.Outcome?
    package var newestAt: UTCTime?
    package var reason: StepRecord.Reason?
    package var foundBy: FoundBy?
    /// When steps began to wait until a standby has caught up with the published data; `nil` if no step waits.
    package var behindSince: UTCTime?
    package var reading = OriginReading()

    package init(
      good: UTCTime? = nil, newest: StepRecord.Outcome? = nil, newestAt: UTCTime? = nil,
      reason: StepRecord.Reason? = nil
    ) { (self.good, self.newest, self.newestAt, self.reason) = (good, newest, newestAt, reason) }
  }

  package struct Table: Hashable, Sendable {
    package let name: String
    package let rows: Int
    package let columns: [Column]
    /// The model's `CREATE TABLE`, as in every snapshot.
    package let sql: String

    package init(name: String, rows: Int, columns: [Column], sql: String) {
      (self.name, self.rows, self.columns, self.sql) = (name, rows, columns, sql)
    }
  }

  package struct Column: Hashable, Sendable {
    package let name: String
    /// As declared; may be empty.
    package let type: String
    package let isKey: Bool

    package init(name: String, type: String, isKey: Bool) {
      (self.name, self.type, self.isKey) = (name, type, isKey)
    }
  }

  package init(_ series: SeedSeries, writtenAt: UTCTime, look: Look = Look()) {
    (self.series, self.writtenAt, self.look) = (series, writtenAt, look)
  }

  /// The form in the file and in the front's response.
  package var json: JSONValue {
    [
      "dataset": .string(series.dataset.text), "major": JSONValue(series.major),
      "writtenAt": .string(writtenAt.text),
      "look": .object(look.members + [JSONMember("gained", JSONValue(gained))]),
      "tables": .array(tables.map(\.json)), "upcoming": upcomingJSON,
      "steps": .array(steps.map { .object($0.publicMembers) }),
      "counts": .object(
        StepRecord.Outcome.allCases.compactMap { outcome in
          counts[outcome].map { JSONMember(outcome.rawValue, JSONValue($0)) }
        }), "missedRows": JSONValue(missedRows),
    ]
  }

  private var upcomingJSON: JSONValue {
    [
      "due": JSONValue(nextSnapshot?.text), "checkSeconds": JSONValue(checkSeconds),
      "commandSeconds": JSONValue(commandSeconds), "changeSeconds": JSONValue(expectedChangeSeconds),
      "expirySeconds": JSONValue(lifetimeSeconds),
    ]
  }

  /// Reads ``json`` and ignores unknown members. Returns `nil` if the facts are invalid.
  package init?(_ json: JSONValue) {
    guard let facts = try? SeriesFacts(reading: json) else { return nil }
    self = facts
  }

  private init(reading json: JSONValue) throws {
    let (upcoming, look) = (try json.needed("upcoming", \.object), try json.needed("look", \.object))
    let counts = try json.needed("counts", \.object)
    self.init(
      try SeedSeries(DatasetName(json.needed("dataset", \.string)), major: json.needed("major", \.count)),
      writtenAt: try json.needed("writtenAt", \.time), look: try Look(reading: look))
    nextSnapshot = try upcoming.optional("due", \.time)
    checkSeconds = try upcoming.optional("checkSeconds", \.count)
    commandSeconds = try upcoming.optional("commandSeconds", \.count)
    expectedChangeSeconds = try upcoming.optional("changeSeconds", \.count)
    lifetimeSeconds = try upcoming.optional("expirySeconds", \.count)
    gained = try look.optional("gained", \.count)
    missedRows = try json.needed("missedRows", \.count)
    tables = try json.needed("tables", \.elements).map(Table.init(reading:))
    steps = try json.needed("steps", \.elements).map {
      try StepRecord(reading: $0, of: series.dataset, series)
    }
    for outcome in StepRecord.Outcome.allCases {
      self.counts[outcome] = try counts.optional(outcome.rawValue, \.count)
    }
  }
}

extension SeriesFacts.Look {
  fileprivate var members: [JSONMember] {
    .init(
      ("good", JSONValue(good?.text)), ("newest", JSONValue(newest?.rawValue)),
      ("newestAt", JSONValue(newestAt?.text)), ("reason", JSONValue(reason?.rawValue)),
      ("foundBy", JSONValue(foundBy?.way.rawValue)), ("comparedWhy", JSONValue(foundBy?.why?.rawValue)),
      ("behindSince", JSONValue(behindSince?.text)), ("reading", reading.json))
  }

  fileprivate init(reading json: JSONValue) throws {
    self.init(
      good: try json.optional("good", \.time),
      newest: try json.optional("newest", \.outcome),
      newestAt: try json.optional("newestAt", \.time),
      // A newer publisher may have more reasons.
      reason: json["reason"]?.string.map { StepRecord.Reason(rawValue: $0) ?? .other })
    foundBy = FoundBy(reading: json)
    behindSince = try json.optional("behindSince", \.time)
    reading = json["reading"].map(OriginReading.init) ?? OriginReading()
  }
}

extension SeriesFacts.Table {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "rows": JSONValue(rows), "columns": .array(columns.map(\.json)),
      "sql": .string(sql),
    ]
  }

  fileprivate init(reading json: JSONValue) throws {
    self.init(
      name: try json.needed("name", \.string), rows: try json.needed("rows", \.count),
      columns: try json.needed("columns", \.elements).map { column in
        SeriesFacts.Column(
          name: try column.needed("name", \.string), type: try column.needed("type", \.string),
          isKey: column["key"] == true)
      }, sql: try json.needed("sql", \.string))
  }
}

extension SeriesFacts.Column {
  fileprivate var json: JSONValue { ["name": .string(name), "type": .string(type), "key": .bool(isKey)] }
}

extension StepRecord {
  /// The form in the history.
  package var historyJSON: JSONValue {
    .object(
      publicMembers
        + .init(
          ("dataset", .string(dataset.text)), ("major", series.map { JSONValue($0.major) }),
          ("reason", reason.map { .string($0.rawValue) }),
          ("foundReason", foundBy?.reason.map(JSONValue.string)), ("error", error.map(JSONValue.string))))
  }

  /// Omits `error` and `foundReason`, which may contain private paths, rows or table names.
  fileprivate var publicMembers: [JSONMember] {
    .init(
      ("at", .string(at.text)), ("last", .string(last.text)), ("times", JSONValue(times)),
      ("milliseconds", JSONValue(milliseconds)), ("outcome", .string(outcome.rawValue)),
      ("from", JSONValue(from)), ("to", JSONValue(to)),
      ("changes", JSONValue(changes) { .object($0.members) }), ("deltaBytes", JSONValue(deltaBytes)),
      ("snapshotBytes", JSONValue(snapshotBytes)), ("rows", JSONValue(rows)),
      ("foundBy", JSONValue(foundBy?.way.rawValue)), ("comparedWhy", JSONValue(foundBy?.why?.rawValue)),
      ("missedRows", JSONValue(missedRows)))
  }

  /// Reads ``historyJSON``.
  package init(reading json: JSONValue) throws {
    let dataset = try DatasetName(json.needed("dataset", \.string))
    try self.init(
      reading: json, of: dataset, json.optional("major", \.count).map { try SeedSeries(dataset, major: $0) })
    reason = json["reason"]?.string.flatMap(Reason.init)
    error = json["error"]?.string
  }

  fileprivate init(reading json: JSONValue, of dataset: DatasetName, _ series: SeedSeries?) throws {
    self.init(
      try json.needed("outcome", \.outcome), of: dataset, at: try json.needed("at", \.time),
      milliseconds: try json.needed("milliseconds", \.count))
    (self.series, last, times) = (series, try json.needed("last", \.time), try json.needed("times", \.count))
    func number(_ name: String) throws -> Int? { try json.optional(name, \.count) }
    (from, to, rows) = (try number("from"), try number("to"), try number("rows"))
    (deltaBytes, snapshotBytes) = (try number("deltaBytes"), try number("snapshotBytes"))
    foundBy = FoundBy(reading: json)
    missedRows = try json.needed("missedRows", \.count)
    for member in try json.needed("changes", \.object).members ?? [] {
      var found = TableChanges()
      found.inserted = try member.value.needed("inserted", \.count)
      found.updated = try member.value.needed("updated", \.count)
      found.deleted = try member.value.needed("deleted", \.count)
      changes[member.name] = found
    }
  }
}

extension TableChanges {
  package var members: [JSONMember] {
    [("inserted", inserted), ("updated", updated), ("deleted", deleted)].map { JSONMember($0, JSONValue($1)) }
  }
}

extension FoundBy {
  fileprivate init?(reading json: JSONValue) {
    guard let way = json["foundBy"]?.string.flatMap(Way.init) else { return nil }
    self.init(
      way, json["comparedWhy"]?.string.flatMap(ComparisonWhy.init), reason: json["foundReason"]?.string)
  }
}

extension JSONValue {
  fileprivate func needed<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws -> Value {
    guard let value = self[name].flatMap(read) else {
      throw MalformedJSON.field(path: name, reason: "is missing, or of another kind")
    }
    return value
  }

  /// Returns `nil` if the member is missing or null.
  fileprivate func optional<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws -> Value? {
    guard let value = self[name], value != .null else { return nil }
    return try needed(name, read)
  }

  fileprivate var object: JSONValue? { members == nil ? nil : self }
  var count: Int? { integer.flatMap { $0 < 0 ? nil : $0 } }
  var time: UTCTime? { string.flatMap { UTCTime($0) } }
  fileprivate var outcome: StepRecord.Outcome? { string.flatMap(StepRecord.Outcome.init) }
}
