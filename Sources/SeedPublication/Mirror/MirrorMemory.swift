import SeedFormat
package import SeedSystem
import SeedTrust

/// A publisher's local record of a mirror's content. If it is lost, the mirror's files are listed again.
package struct MirrorMemory: Hashable, Sendable {
  package struct Commit: Hashable, Sendable {
    package let tag: String
    package let version: Int
    let sha256: String
    package let at: UTCTime
  }

  /// The length of each file in the mirror, or ``uncompared``.
  var held: [String: Int] = [:]
  package var commit: Commit?
  /// SHA-256 of the timestamps that this publisher wrote, including unanswered attempts; newest last.
  private(set) var put: [String] = []
  /// The time at which each file became unreachable from the mirror's timestamp.
  var unnamed: [String: UTCTime] = [:]
  /// The time of the last complete listing.
  var listedAt: UTCTime?
  /// `nil` if the mirror is up to date.
  package var behindSince: UTCTime?
  package var problem: String?

  /// Recorded instead of the length if a metadata file is in the mirror, but its content is unknown.
  static let uncompared = -1

  /// The interval of complete listings, which detect files removed by others.
  static let listSeconds = UTCTime.secondsPerDay

  /// The maximum length of ``put``. Far fewer timestamps are written before an unanswered attempt's outcome is known.
  private static let mostPut = 100

  /// Call this and save the memory before writing the timestamp, so that a restarted publisher recognises it.
  mutating func noteAttempt(_ image: MirrorImage) {
    let sha256 = image.timestamp.sha256.hex
    if !put.contains(sha256) { put = (put + [sha256]).suffix(Self.mostPut) }
  }

  /// SHA-256 of the timestamps that this publisher wrote. A power failure may lose the newest entry or all of them.
  var written: Set<String> { Set(put + [commit?.sha256].compactMap(\.self)) }

  /// Also true after the clock was set back.
  func needsList(_ now: UTCTime) -> Bool { listedAt.map { !now.isWithin(Self.listSeconds, of: $0) } ?? true }

  package func shows(_ image: MirrorImage) -> Bool { commit?.sha256 == image.timestamp.sha256.hex }

  /// Whether the mirror's timestamp is the one that was committed last.
  func committed(_ found: StoredFile?) -> Bool {
    commit?.sha256 == found.map { SHA256Digest.of($0.bytes).hex }
  }

  mutating func noteCommit(_ image: MirrorImage, tag: String, now: UTCTime) {
    if !shows(image) || commit?.tag != tag {
      commit = Commit(tag: tag, version: image.version, sha256: image.timestamp.sha256.hex, at: now)
    }
    noteAttempt(image)
    held[image.timestamp.path] = image.timestamp.length
    let named = image.paths
    unnamed = held.keys.filter { !named.contains($0) && MirrorImage.isRemovable($0) }
      .reduce(into: [:]) { since, path in since[path] = min(unnamed[path] ?? now, now) }
    (behindSince, problem) = (nil, nil)
  }
}

extension MirrorMemory {
  /// Returns the memory's file, which is named after the mirror's place, because the configuration may reorder mirrors.
  package static func file(of place: String, in stateFolder: String) -> String {
    "\(stateFolder)/mirrors/\(SHA256Digest.of(Array(place.utf8)).hex.prefix(nameDigits)).json"
  }

  private static let nameDigits = 16

  package init(file: String) {
    guard let json = StateFile.json(file) else { return }
    func time(_ json: JSONValue?) -> UTCTime? { json?.integer.map { UTCTime(secondsSinceEpoch: $0) } }
    for member in json["held"]?.members ?? [] { held[member.name] = member.value.integer }
    for member in json["unnamed"]?.members ?? [] { unnamed[member.name] = time(member.value) }
    (listedAt, behindSince) = (time(json["listedAt"]), time(json["behindSince"]))
    problem = json["problem"]?.string
    put = json["put"]?.elements?.compactMap(\.string) ?? []
    guard let commit = json["commit"], let tag = commit["tag"]?.string,
      let version = commit["version"]?.integer,
      let sha256 = commit["sha256"]?.string, let at = time(commit["at"])
    else { return }
    self.commit = Commit(tag: tag, version: version, sha256: sha256, at: at)
  }

  /// Without a sync, a power failure may leave the previous file or none; see ``TimestampJudge``.
  func write(to file: String, isSynced: Bool = true) throws(FileError) {
    if isSynced {
      try DurableFile.write(json.bytes, to: file, mode: 0o600)
    } else {
      try DurableFile.replace(file, with: json.bytes, mode: 0o600)
    }
  }

  private var json: JSONValue {
    func time(_ time: UTCTime?) -> JSONValue { JSONValue(time?.secondsSinceEpoch) }
    return [
      "commit": commit.map {
        [
          "tag": .string($0.tag), "version": JSONValue($0.version), "sha256": .string($0.sha256),
          "at": time($0.at),
        ]
      } ?? .null, "listedAt": time(listedAt), "behindSince": time(behindSince), "problem": JSONValue(problem),
      "put": JSONValue(strings: put),
      "unnamed": JSONValue(unnamed) { time($0) }, "held": JSONValue(held) { JSONValue($0) },
    ]
  }
}

/// Records that this publication continues another one, so it may replace mirrored timestamps below a version.
package enum MirrorInheritance {
  private static func file(_ stateFolder: String) -> String { "\(stateFolder)/mirrors/inherits.json" }

  /// 0 if nothing is inherited.
  static func version(in stateFolder: String) -> Int {
    StateFile.json(file(stateFolder))?["below"]?.integer ?? 0
  }

  /// Allows the publisher to overwrite mirrors whose timestamp has a lower version.
  package static func claim(below version: Int, in stateFolder: String) throws {
    let path = file(stateFolder)
    try Folder.create(Folder.parent(of: path), mode: 0o700)
    try DurableFile.write((["below": JSONValue(version)] as JSONValue).bytes, to: path, mode: 0o600)
  }
}
