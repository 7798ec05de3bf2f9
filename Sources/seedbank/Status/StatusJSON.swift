import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension DeploymentStatus {
  var json: JSONValue {
    [
      "time": .string(now.text), "series": .array(series.map { $0.json(now) }),
      "roles": .array(
        roles.map {
          [
            "name": .string($0.name), "version": JSONValue($0.version),
            "expires": .string($0.expires.text),
          ]
        }),
      "keys": .array(
        keys.map {
          [
            "role": .string($0.role.rawValue), "state": .string($0.word),
            "problem": JSONValue($0.problems.first?.text),
          ]
        }),
      "publicationBytes": JSONValue(publicationBytes), "stateBytes": JSONValue(stateBytes),
      "warnings": .array(warnings.map { .string($0) }),
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
      "lifecycle": JSONValue(state?.lifecycle.word),
      "sunset": JSONValue(state?.lifecycle.sunset), "message": JSONValue(state?.lifecycle.message),
      "hold": state?.hold.map(Self.json) ?? .null,
      "rows": rows.map(Self.json) ?? .null, "snapshots": .array(snapshots.map(Self.json)),
      "deltas": [
        "count": JSONValue(deltas.count), "bytes": JSONValue(deltas.reduce(0) { $0 + $1.length }),
      ],
      "expires": JSONValue(published?.expires.text), "copyVersion": JSONValue(copyVersion?.number),
      "copyBytes": JSONValue(copyBytes), "lastBuild": lastBuild?.json ?? .null,
      "nextSnapshotAt": JSONValue(nextSnapshot?.text), "checkSeconds": JSONValue(checkSeconds),
    ]
  }

  private static func json(_ hold: SeriesHold) -> JSONValue {
    ["version": JSONValue(hold.version.number), "since": .string(hold.since.text)]
  }

  private static func json(_ rows: [String: Int]) -> JSONValue {
    .object(rows.sorted { $0.key < $1.key }.map { JSONMember($0.key, JSONValue($0.value)) })
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
      "series": JSONValue(series?.description), "outcome": .string(outcome.rawValue),
      "from": JSONValue(from), "to": JSONValue(to),
      "tables": changes.json,
      "deltaBytes": JSONValue(deltaBytes), "snapshotBytes": JSONValue(snapshotBytes),
      "error": JSONValue(error),
    ]
  }
}
