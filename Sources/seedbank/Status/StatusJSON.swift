import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust

extension DeploymentStatus {
  /// All of it for a script.
  var json: JSONValue {
    [
      "time": .string(now.text), "series": .array(series.map { $0.json(now) }),
      "roles": .array(
        roles.map {
          [
            "name": .string($0.name), "version": .integer(Int64($0.version)),
            "expires": .string($0.expires.text),
          ]
        }),
      "keys": .array(
        keys.map {
          [
            "role": .string($0.role.rawValue), "state": .string($0.word),
            "problem": .optional($0.problems.first?.text),
          ]
        }),
      "publicationBytes": .integer(Int64(publicationBytes)), "stateBytes": .integer(Int64(stateBytes)),
      "warnings": .array(warnings.map { .string($0) }),
    ]
  }
}

extension SeriesStatus {
  fileprivate func json(_ now: UTCTime) -> JSONValue {
    let state = published?.metadata.state
    return [
      "series": .string("\(series)"), "model": .optional(state?.model.description),
      "epoch": .optional(state?.epoch.text), "head": .optional(state?.head.number),
      "floor": .optional(state?.floor.number), "publishedAt": .optional(state?.publishedAt.text),
      "ageSeconds": .optional(state.map { now.secondsSinceEpoch - $0.publishedAt.secondsSinceEpoch }),
      "lifecycle": .optional(state?.lifecycle.word),
      "sunset": .optional(state?.lifecycle.sunset), "message": .optional(state?.lifecycle.message),
      "hold": state?.hold.map(Self.json) ?? .null,
      "rows": rows.map(Self.json) ?? .null, "snapshots": .array(snapshots.map(Self.json)),
      "deltas": [
        "count": .integer(Int64(deltas.count)), "bytes": .integer(Int64(deltas.reduce(0) { $0 + $1.length })),
      ],
      "expires": .optional(published?.expires.text), "copyVersion": .optional(copyVersion?.number),
      "copyBytes": .integer(Int64(copyBytes)), "lastBuild": lastBuild?.json ?? .null,
      "nextSnapshotAt": .optional(nextSnapshot?.text), "checkSeconds": .integer(Int64(checkSeconds)),
    ]
  }

  private static func json(_ hold: SeriesHold) -> JSONValue {
    ["version": .integer(Int64(hold.version.number)), "since": .string(hold.since.text)]
  }

  private static func json(_ rows: [String: Int]) -> JSONValue {
    .object(rows.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer(Int64($0.value))) })
  }

  private static func json(_ snapshot: PublishedObject) -> JSONValue {
    [
      "version": .integer(Int64(snapshot.version.number)), "encoding": .string(snapshot.encoding.rawValue),
      "bytes": .integer(Int64(snapshot.length)), "rawBytes": .integer(Int64(snapshot.rawLength)),
    ]
  }
}

extension Build {
  /// One build for a script.
  var json: JSONValue {
    [
      "time": .string(at.text), "last": .string(last.text), "times": .integer(Int64(times)),
      "milliseconds": .integer(Int64(milliseconds)), "dataset": .string(dataset.text),
      "series": .optional(series?.description), "outcome": .string(outcome.rawValue),
      "from": .optional(from), "to": .optional(to),
      "tables": changes.json,
      "deltaBytes": .optional(deltaBytes), "snapshotBytes": .optional(snapshotBytes),
      "error": .optional(error),
    ]
  }
}

extension Lifecycle {
  /// As the configuration says it.
  var word: String {
    switch self {
    case .active: "active"
    case .deprecated: "deprecated"
    case .retired: "retired"
    }
  }

  /// The day on which it ends.
  var sunset: String? { if case .deprecated(let sunset, _) = self { sunset } else { nil } }

  /// For the people who use the app.
  var message: String? {
    switch self {
    case .active: nil
    case .deprecated(_, let message), .retired(let message): message
    }
  }

  /// All of it.
  var words: String {
    word + (sunset.map { " until \($0)" } ?? "") + (message.map { " (\"\($0)\")" } ?? "")
  }
}

extension JSONValue {
  /// The text, or null.
  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// The number, or null.
  static func optional(_ number: Int?) -> JSONValue { number.map { .integer(Int64($0)) } ?? .null }
}
