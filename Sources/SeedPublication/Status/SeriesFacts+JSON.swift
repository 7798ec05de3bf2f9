package import SeedDatabase
package import SeedFormat
import SeedSystem

extension SeriesFacts {
  /// The form in the file and in the front's response.
  package var json: JSONValue {
    [
      "dataset": .string(series.dataset.text), "major": JSONValue(series.major),
      "writtenAt": .string(writtenAt.text), "look": lookJSON, "tables": .array(tables.map(\.json)),
      "upcoming": upcomingJSON, "steps": .array(steps.map(\.publicJSON)),
      "counts": .object(
        StepRecord.Outcome.allCases.compactMap { outcome in
          counts[outcome].map { JSONMember(outcome.rawValue, JSONValue($0)) }
        }), "missedRows": JSONValue(missedRows),
    ]
  }

  private var lookJSON: JSONValue {
    .object(
      look.members + [JSONMember("gained", JSONValue(gained)), JSONMember("lacksKeys", .bool(lacksKeys))])
  }

  private var upcomingJSON: JSONValue {
    [
      "due": JSONValue(upcoming.due?.text), "times": JSONValue(strings: upcoming.calendarTimes.map(\.text)),
      "zone": JSONValue(upcoming.clock?.name), "jitterSeconds": JSONValue(upcoming.jitterSeconds),
      "checkSeconds": JSONValue(checkSeconds), "changeSeconds": JSONValue(expectedChangeSeconds),
      "expirySeconds": JSONValue(lifetimeSeconds),
    ]
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
}

extension SeriesFacts.Table {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "rows": JSONValue(rows), "columns": .array(columns.map(\.json)),
      "sql": .string(sql),
    ]
  }
}

extension SeriesFacts.Column {
  fileprivate var json: JSONValue { ["name": .string(name), "type": .string(type), "key": .bool(isKey)] }
}

extension StepRecord {
  /// Leaves out the error and the words of a comparison's reason.
  fileprivate var publicJSON: JSONValue {
    [
      "at": .string(at.text), "last": .string(last.text), "times": JSONValue(times),
      "milliseconds": JSONValue(milliseconds), "outcome": .string(outcome.rawValue), "from": JSONValue(from),
      "to": JSONValue(to), "changes": JSONValue(changes) { .object($0.members) },
      "deltaBytes": JSONValue(deltaBytes),
      "snapshotBytes": JSONValue(snapshotBytes), "rows": JSONValue(rows),
      "foundBy": JSONValue(foundBy?.way.rawValue), "comparedWhy": JSONValue(foundBy?.why?.rawValue),
      "missedRows": JSONValue(missedRows),
    ]
  }

}

extension TableChanges {
  package var members: [JSONMember] {
    [("inserted", inserted), ("updated", updated), ("deleted", deleted)].map { JSONMember($0, JSONValue($1)) }
  }
}
