import SeedDatabase
package import SeedFormat
import SeedSystem

/// The facts are unreadable. They count as missing until the next step rewrites them, so no reason is kept.
private struct DamagedFacts: Error {}

extension SeriesFacts {
  /// Reads ``json`` and ignores unknown members. Returns `nil` if the facts are invalid.
  package init?(_ json: JSONValue) {
    guard let facts = try? SeriesFacts(reading: json) else { return nil }
    self = facts
  }

  private init(reading json: JSONValue) throws {
    let (upcoming, counts) = (try json.object("upcoming"), try json.object("counts"))
    self.init(
      try SeedSeries(DatasetName(json.text("dataset")), major: json.count("major")),
      writtenAt: try json.time("writtenAt"), look: try Look(reading: json.object("look")),
      upcoming: try UpcomingSnapshots(reading: upcoming))
    checkSeconds = try upcoming.optional("checkSeconds") { try $0.count("checkSeconds") }
    expectedChangeSeconds = try upcoming.optional("changeSeconds") { try $0.count("changeSeconds") }
    lifetimeSeconds = try upcoming.optional("expirySeconds") { try $0.count("expirySeconds") }
    let look = try json.object("look")
    gained = try look.optional("gained") { try $0.count("gained") }
    lacksKeys = look["lacksKeys"] == true
    missedRows = try json.count("missedRows")
    tables = try json.elements("tables").map(Table.init(reading:))
    steps = try json.elements("steps").map { try StepRecord(reading: $0, of: series) }
    for outcome in StepRecord.Outcome.allCases {
      self.counts[outcome] = try counts.optional(outcome.rawValue) { try $0.count(outcome.rawValue) }
    }
  }
}

extension SeriesFacts.Look {
  fileprivate init(reading json: JSONValue) throws {
    self.init(
      good: try json.optional("good") { try $0.time("good") },
      newest: try json.optional("newest") { try $0.outcome("newest") },
      newestAt: try json.optional("newestAt") { try $0.time("newestAt") },
      // A newer publisher may have more reasons.
      reason: json["reason"]?.string.map { StepRecord.Reason(rawValue: $0) ?? .other })
    foundBy = FoundBy(reading: json)
    behindSince = try json.optional("behindSince") { try $0.time("behindSince") }
    reading = json["reading"].map(OriginReading.init) ?? OriginReading()
  }
}

extension SeriesFacts.Table {
  fileprivate init(reading json: JSONValue) throws {
    self.init(
      name: try json.text("name"), rows: try json.count("rows"),
      columns: try json.elements("columns").map { column in
        SeriesFacts.Column(
          name: try column.text("name"), type: try column.text("type"), isKey: column["key"] == true)
      }, sql: try json.text("sql"))
  }
}

extension FoundBy {
  fileprivate init?(reading json: JSONValue) {
    guard let way = json["foundBy"]?.string.flatMap(Way.init) else { return nil }
    self.init(way, json["comparedWhy"]?.string.flatMap(ComparisonWhy.init), reason: nil)
  }
}

extension StepRecord {
  fileprivate init(reading json: JSONValue, of series: SeedSeries) throws {
    self.init(
      try json.outcome("outcome"), of: series.dataset, at: try json.time("at"),
      milliseconds: try json.count("milliseconds"))
    (self.series, last, times) = (series, try json.time("last"), try json.count("times"))
    func number(_ name: String) throws -> Int? { try json.optional(name) { try $0.count(name) } }
    (from, to, rows) = (try number("from"), try number("to"), try number("rows"))
    (deltaBytes, snapshotBytes) = (try number("deltaBytes"), try number("snapshotBytes"))
    foundBy = FoundBy(reading: json)
    missedRows = try json.count("missedRows")
    for member in try json.object("changes").members ?? [] {
      var found = TableChanges()
      found.inserted = try member.value.count("inserted")
      found.updated = try member.value.count("updated")
      found.deleted = try member.value.count("deleted")
      changes[member.name] = found
    }
  }
}

extension UpcomingSnapshots {
  fileprivate init(reading json: JSONValue) throws {
    self.init(
      due: try json.optional("due") { try $0.time("due") },
      calendarTimes: try json.elements("times").map { value in
        guard let time = value.string.flatMap({ UTCTime($0) }) else { throw DamagedFacts() }
        return time
      },
      // Falls back to UTC if this version does not have the zone.
      clock: json["zone"]?.string.flatMap { try? ZoneClock($0) },
      jitterSeconds: try json.count("jitterSeconds")
    )
  }
}

extension JSONValue {
  fileprivate func needed(_ name: String) throws -> JSONValue {
    guard let value = self[name] else { throw DamagedFacts() }
    return value
  }

  fileprivate func object(_ name: String) throws -> JSONValue {
    guard let value = self[name], value.members != nil else { throw DamagedFacts() }
    return value
  }

  /// Returns `nil` if the member is missing or null.
  fileprivate func optional<Value>(_ name: String, _ read: (JSONValue) throws -> Value) throws -> Value? {
    guard let value = self[name], value != .null else { return nil }
    return try read(self)
  }

  fileprivate func text(_ name: String) throws -> String {
    guard let text = try needed(name).string else { throw DamagedFacts() }
    return text
  }

  fileprivate func count(_ name: String) throws -> Int {
    guard let number = try needed(name).integer, number >= 0 else { throw DamagedFacts() }
    return number
  }

  fileprivate func time(_ name: String) throws -> UTCTime {
    guard let time = UTCTime(try text(name)) else { throw DamagedFacts() }
    return time
  }

  fileprivate func outcome(_ name: String) throws -> StepRecord.Outcome {
    guard let outcome = StepRecord.Outcome(rawValue: try text(name)) else { throw DamagedFacts() }
    return outcome
  }

  fileprivate func elements(_ name: String) throws -> [JSONValue] {
    guard let elements = try needed(name).elements else { throw DamagedFacts() }
    return elements
  }
}
