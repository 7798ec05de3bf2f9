import SeedFormat
package import SeedSystem
import SeedTrust

/// What a publisher knows of a mirror without asking it. It may be lost: then the mirror is listed.
package struct MirrorMemory: Hashable, Sendable {
  /// The timestamp that was put last.
  package struct Commit: Hashable, Sendable {
    package let tag: String
    package let version: Int
    let sha256: String
    package let at: UTCTime
  }

  /// The files that are there, with their bytes.
  var held: [String: Int] = [:]
  package var commit: Commit?
  /// SHA-256 of the timestamps that were put from here, or may have been where no answer came; the newest last.
  private(set) var put: [String] = []
  /// Since when the timestamp there does not lead to a file any more.
  var unnamed: [String: UTCTime] = [:]
  /// When it was looked at as a whole.
  var listedAt: UTCTime?
  /// Since when it has been behind, `nil` where it is not.
  package var behindSince: UTCTime?
  /// Why, where that is known.
  package var problem: String?

  /// Seconds after which it is looked at as a whole again: somebody may have removed files there.
  static let listSeconds = UTCTime.secondsPerDay

  /// An answer that did not come is looked for long before so many more timestamps are put.
  private static let mostPut = 100

  package init() {}

  /// To be kept before the timestamp is put: whoever dies of it must know it again.
  mutating func noteAttempt(_ image: MirrorImage) {
    let sha256 = image.timestamp.sha256.hex
    if !put.contains(sha256) { put = (put + [sha256]).suffix(Self.mostPut) }
  }

  func claim(_ options: MirrorOptions) -> MirrorClaim {
    MirrorClaim(
      put: Set(put + [commit?.sha256].compactMap(\.self)), inheritsBelow: options.inheritsBelow,
      isUndisputed: options.replaces)
  }

  /// A clock that was set back lists once more, too.
  func needsList(_ now: UTCTime) -> Bool {
    guard let listedAt else { return true }
    return !(0..<Self.listSeconds).contains(now.secondsSinceEpoch - listedAt.secondsSinceEpoch)
  }

  /// Whether the mirror shows just that.
  package func shows(_ image: MirrorImage) -> Bool { commit?.sha256 == image.timestamp.sha256.hex }

  /// The timestamp there is that of the image from now on.
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
  /// Where a mirror is remembered: by its place, for the order in a configuration means nothing.
  package static func file(of place: String, in stateFolder: String) -> String {
    "\(stateFolder)/mirrors/\(SHA256Digest.of(Array(place.utf8)).hex.prefix(nameDigits)).json"
  }

  private static let nameDigits = 16

  /// Empty where it cannot be read.
  package init(file: String) {
    let bytes = (try? DurableFile.readIfPresent(file, limit: PublicationDirectory.mostFileBytes)) ?? nil
    guard let bytes, let json = try? JSONValue(parsing: bytes) else { return }
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

  func write(to file: String) throws(FileError) { try DurableFile.write(json.bytes, to: file, mode: 0o600) }

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
