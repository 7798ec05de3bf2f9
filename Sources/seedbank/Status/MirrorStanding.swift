import SeedFormat
import SeedPublication
import SeedSystem

/// The last known state of a mirror, without a request.
struct MirrorStanding {
  let place: String
  let commit: MirrorMemory.Commit?
  let versionsBehind: Int?
  /// The time of the first failed or missing push, if known.
  let behindSince: UTCTime?
  let problem: String?

  init(_ settings: MirrorSettings, in stateFolder: String, shows version: Int) {
    let memory = MirrorMemory(file: MirrorMemory.file(of: settings.place, in: stateFolder))
    (place, commit, problem) = (settings.place, memory.commit, memory.problem)
    versionsBehind = memory.commit.map { max(0, version - $0.version) }
    behindSince = memory.behindSince
  }

  private var isBehind: Bool { versionsBehind != 0 }

  func line(_ now: UTCTime) -> String {
    guard let commit else { return "\(place): nothing mirrored yet\(reason)" }
    guard isBehind else { return "\(place): up to date since \(commit.at)\(reason)" }
    let time = behindSince.map { " for \(TimeSpan(from: $0, to: now))" } ?? ""
    return
      "\(place): has the state of \(commit.at), \(versionsBehind ?? 0) signings behind\(time)\(reason)"
  }

  private var reason: String { problem.map { "; \($0)" } ?? "" }

  func warning(_ now: UTCTime) -> String? {
    guard behindSince != nil else { return nil }
    return "the mirror \(line(now))"
  }

  var json: JSONValue {
    [
      "place": .string(place), "mirroredAt": JSONValue(commit?.at.text),
      "versionsBehind": JSONValue(versionsBehind),
      "behindSince": JSONValue(behindSince?.text), "problem": JSONValue(problem),
    ]
  }
}
