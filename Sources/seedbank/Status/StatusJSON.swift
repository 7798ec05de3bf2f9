import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension DeploymentStatus {
  var json: JSONValue {
    [
      "time": .string(now.text), "series": .array(series.map { $0.json(now) }),
      "roles": .array(roles.map(Self.json)), "keys": .array(keys.map(Self.json)),
      "publicationBytes": JSONValue(publicationBytes), "stateBytes": JSONValue(stateBytes),
      "warnings": JSONValue(strings: warnings),
    ]
  }

  private static func json(_ role: Role) -> JSONValue {
    ["name": .string(role.name), "version": JSONValue(role.version), "expires": .string(role.expires.text)]
  }

  private static func json(_ key: KeyStatus) -> JSONValue {
    [
      "role": .string(key.role.rawValue), "state": .string(key.word),
      "problem": JSONValue(key.faults.first?.problem),
    ]
  }
}

extension SeriesStatus {
  fileprivate func json(_ now: UTCTime) -> JSONValue {
    let state = published?.metadata.state
    return [
      "series": .string("\(series)"), "model": JSONValue(state?.model.description),
      "epoch": JSONValue(state?.epoch.text), "head": JSONValue(state?.head.number),
      "floor": JSONValue(state?.floor.number), "publishedAt": JSONValue(state?.publishedAt.text),
      "ageSeconds": JSONValue(state.map { now.secondsSinceEpoch - $0.publishedAt.secondsSinceEpoch }),
      "lifecycle": JSONValue(state?.lifecycle.word), "sunset": JSONValue(state?.lifecycle.sunset),
      "message": JSONValue(state?.lifecycle.message), "hold": state?.hold.map(Self.json) ?? .null,
      "rows": rows.map { JSONValue($0) { JSONValue($0) } } ?? .null,
      "snapshots": .array(snapshots.map(Self.json)),
      "deltas": ["count": JSONValue(deltas.count), "bytes": JSONValue(deltaBytes)],
      "expires": JSONValue(published?.expires.text), "copyVersion": JSONValue(copyVersion?.number),
      "copyBytes": JSONValue(copyBytes), "lastBuild": lastBuild?.json ?? .null,
      "nextSnapshotAt": JSONValue(nextSnapshot?.text), "checkSeconds": JSONValue(checkSeconds),
    ]
  }

  private static func json(_ hold: SeriesHold) -> JSONValue {
    ["version": JSONValue(hold.version.number), "since": .string(hold.since.text)]
  }

  private static func json(_ snapshot: PublishedObject) -> JSONValue {
    [
      "version": JSONValue(snapshot.version.number), "encoding": .string(snapshot.encoding.rawValue),
      "bytes": JSONValue(snapshot.length), "rawBytes": JSONValue(snapshot.rawLength),
    ]
  }
}

extension StepRecord {
  var json: JSONValue {
    [
      "time": .string(at.text), "last": .string(last.text), "times": JSONValue(times),
      "milliseconds": JSONValue(milliseconds), "dataset": .string(dataset.text),
      "series": JSONValue(series?.description), "outcome": .string(outcome.rawValue), "from": JSONValue(from),
      "to": JSONValue(to), "tables": changes.json, "deltaBytes": JSONValue(deltaBytes),
      "snapshotBytes": JSONValue(snapshotBytes), "error": JSONValue(error),
    ]
  }
}
