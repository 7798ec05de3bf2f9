import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension DeploymentStatus {
  var text: String {
    var lines = series.flatMap { $0.lines(now) }
    lines += [
      "metadata", "  " + roles.map { "\($0.name) \($0.version) until \($0.expires)" }.joined(separator: ", "),
    ]
    lines += ["keys", "  " + keys.map { "\($0.role.rawValue) \($0.word)" }.joined(separator: ", ")]
    let state = "working copies and history \(ByteCount(bytes: stateBytes))"
    lines += ["disk", "  publication \(ByteCount(bytes: publicationBytes)), \(state)"]
    lines += verificationLines
    if !mirrors.isEmpty { lines += ["mirrors"] + mirrors.map { "  \($0.line(now))" } }
    lines += warnings.map { "warning: \($0)" }
    return lines.joined(separator: "\n")
  }

  private var verificationLines: [String] {
    guard let verification else { return [] }
    func ago(_ time: UTCTime) -> String { "\(time), \(TimeSpan(from: time, to: now)) ago" }
    if verification.isSound { return ["verification", "  sound at \(ago(verification.at))"] }
    let last = verification.soundAt.map { "; last sound at \(ago($0))" } ?? ""
    return ["verification", "  not sound at \(ago(verification.at))\(last)"]
  }

  var json: JSONValue {
    [
      "time": .string(now.text), "series": .array(series.map { $0.json(now) }),
      "roles": .array(roles.map(Self.json)), "keys": .array(keys.map(Self.json)),
      "publicationBytes": JSONValue(publicationBytes), "stateBytes": JSONValue(stateBytes),
      "mirrors": .array(mirrors.map(\.json)), "verification": verification?.json ?? .null,
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

extension LocalSeriesStatus {
  fileprivate func lines(_ now: UTCTime) -> [String] {
    guard let state = published?.metadata.state else { return ["\(series)", "  not published yet"] }
    let facts: [(String, String?)] = [
      ("model", "\(state.model), \(Self.words(state.lifecycle))"),
      ("version", "\(state.head), with deltas since version \(state.floor)"),
      ("published", "\(state.publishedAt), \(TimeSpan(from: state.publishedAt, to: now)) ago"),
      ("held", state.hold.map { "at the content of version \($0.version) since \($0.since)" }),
      ("rows", rows.map(Self.words)), ("snapshots", Self.words(snapshots)),
      ("deltas", "\(deltas.count.grouped), \(ByteCount(bytes: deltaBytes))"),
      ("last step", lastBuild.map(\.line)), ("origin", reading.words),
      ("log", log.map { "all rows last compared \(TimeSpan(from: $0.comparedAt, to: now)) ago" }),
      (
        "waiting",
        behindSince.map {
          "for the replica to reach the published state, \(TimeSpan(from: $0, to: now)) so far"
        }
      ),
      ("next", next),
    ]
    return ["\(series)"] + facts.compactMap { name, text in text.map { "  \(name): \($0)" } }
  }

  private var next: String {
    if published?.metadata.state.lifecycle.isRetired == true { return "nothing, it is retired" }
    let look =
      if case .command? = dataset.feed.source {
        "a start of origin.command every \(TimeSpan(seconds: dataset.feed.everySeconds).exactly)"
      } else {
        "a check of the origin every \(TimeSpan(seconds: dataset.checkSeconds).exactly)"
      }
    return "\(nextSnapshot.map { "a snapshot at \($0), " } ?? "")\(look) while 'seedbank run' is running"
  }

  private static func words(_ lifecycle: SeedLifecycle) -> String {
    lifecycle.word + (lifecycle.sunset.map { " until \($0)" } ?? "")
      + (lifecycle.message.map { " (\"\($0.printable)\")" } ?? "")
  }

  private static func words(_ snapshots: [PublishedObject]) -> String {
    snapshots.map { "\($0.version) \($0.encoding.rawValue) \(ByteCount(bytes: $0.length))" }.joined(
      separator: ", ")
  }

  private static func words(_ rows: [String: Int]) -> String {
    rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.grouped)" }.joined(separator: ", ")
  }

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
      "expires": JSONValue(published?.expires.text), "copyVersion": JSONValue(copy.version?.number),
      "copyBytes": JSONValue(copyBytes), "lastBuild": lastBuild?.json ?? .null,
      "comparedAt": JSONValue(log?.comparedAt.text), "logMissedAt": JSONValue(log?.missedAt?.text),
      "originBehindSince": JSONValue(behindSince?.text), "originReading": reading.operatorJSON,
      "nextSnapshotAt": JSONValue(nextSnapshot?.text), "checkSeconds": JSONValue(dataset.checkSeconds),
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

extension OriginReading {
  fileprivate var words: String? {
    let parts = [
      openMilliseconds.map { "last read held a transaction open for \(TimeSpan.taken(milliseconds: $0))" },
      role.map { $0.rawValue + (server.map { " \($0)" } ?? "") },
      lagSeconds.map { $0 == 0 ? "not behind" : "\(TimeSpan(seconds: $0)) behind at most" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension StepRecord {
  var failure: String {
    "the last step \(outcome == .failed ? "failed" : "was refused")" + (error.map { ": \($0)" } ?? "")
  }

  var line: String {
    let versions = outcome == .published || outcome == .rolledBack ? to.map { " version \($0)" } ?? "" : ""
    let parts = [
      "\(last) \(series?.description ?? dataset.text) \(outcome.rawValue)\(versions)",
      changes.isEmpty ? nil : changes.words, foundBy?.words,
      deltaBytes.map { "delta of \(ByteCount(bytes: $0))" },
      snapshotBytes.map { "snapshot of \(ByteCount(bytes: $0))" },
      TimeSpan.taken(milliseconds: milliseconds), times > 1 ? "\(times) times since \(at)" : nil, error,
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  var json: JSONValue {
    [
      "time": .string(at.text), "last": .string(last.text), "times": JSONValue(times),
      "milliseconds": JSONValue(milliseconds), "dataset": .string(dataset.text),
      "series": JSONValue(series?.description), "outcome": .string(outcome.rawValue), "from": JSONValue(from),
      "to": JSONValue(to), "tables": changes.json, "deltaBytes": JSONValue(deltaBytes),
      "snapshotBytes": JSONValue(snapshotBytes), "foundBy": JSONValue(foundBy?.way.rawValue),
      "foundWhy": JSONValue(foundBy?.why?.rawValue), "foundReason": JSONValue(foundBy?.reason),
      "missedRows": JSONValue(missedRows), "error": JSONValue(error),
    ]
  }
}
