import SeedFormat
import SeedTrust

/// The timestamps that a publisher may replace with its own.
struct MirrorClaim: Hashable {
  /// SHA-256 of the timestamps written from here, including unanswered attempts. Empty without a memory.
  let put: Set<String>
  /// Lower versions belong to the publication that 'recover' or 'new-epoch' continued.
  let inheritsBelow: Int
  /// The operator asserts that no other publisher runs.
  let isUndisputed: Bool

  /// Whether an older timestamp may be replaced, or `nil` if only comparing histories can decide.
  func covers(_ sha256: SHA256Digest, version: Int) -> Bool? {
    if isUndisputed || version < inheritsBelow || put.contains(sha256.hex) { return true }
    return put.isEmpty ? nil : false
  }
}

/// Compares a mirror's timestamp with the publication. Pure.
enum TimestampVerdict: Hashable {
  case absent
  case same
  /// Older, and written from here or inherited.
  case older
  /// Older, and there is no memory of this mirror.
  case doubtful(version: Int, snapshot: Int)
  case bad(MirrorError)

  init(_ found: [UInt8]?, _ image: MirrorImage, _ claim: MirrorClaim) {
    guard let found else {
      self = .absent
      return
    }
    let sha256 = SHA256Digest.of(found)
    if sha256 == image.timestamp.sha256 {
      self = .same
      return
    }
    guard let theirs = try? Metadata<Timestamp>(parsing: found), image.published.hasSigned(theirs) else {
      self = .bad(.foreign)
      return
    }
    self.init(theirs.signed, sha256, here: image.version, claim)
  }

  private init(_ theirs: Timestamp, _ sha256: SHA256Digest, here: Int, _ claim: MirrorClaim) {
    self =
      if theirs.version > here {
        .bad(.ahead(there: theirs.version, here: here))
      } else if theirs.version == here {
        .bad(.forked(version: here))
      } else {
        switch claim.covers(sha256, version: theirs.version) {
        case true?: .older
        case false?: .bad(.overtaken(there: theirs.version, here: here))
        case nil: .doubtful(version: theirs.version, snapshot: theirs.snapshot.version)
        }
      }
  }
}

extension PublishedMetadata {
  /// Accepts the keys of any root of the publication.
  fileprivate func hasSigned(_ timestamp: Metadata<Timestamp>) -> Bool {
    (formerRoots + [root]).contains { root in
      guard let keys = root.roles[Timestamp.type] else { return false }
      return timestamp.signerCount(of: keys, among: root.keys) >= keys.threshold
    }
  }
}

/// Decides whether a mirror's timestamp may be replaced.
struct TimestampJudge {
  enum Finding: Hashable { case absent, same, older }

  let store: any MirrorStore
  let image: MirrorImage
  let claim: MirrorClaim

  /// Throws if the timestamp must not be replaced. Reads more files of the mirror if the timestamp alone is not enough.
  func look(at found: StoredFile?) throws -> Finding {
    switch TimestampVerdict(found?.bytes, image, claim) {
    case .absent: return .absent
    case .same: return .same
    case .older: return .older
    case .bad(let error): throw error
    case .doubtful(let version, let snapshot):
      let isOurs = try image.descends(fromSnapshot: snapshot) { try store.read("metadata/\($0)")?.bytes }
      guard isOurs else { throw MirrorError.overtaken(there: version, here: image.version) }
      return .older
    }
  }
}

extension MirrorImage {
  /// Whether the mirror's content was once published from here, as far as this can be decided without a memory: its
  /// snapshot role equals the file here, or each of its series is at a state in the histories here.
  fileprivate func descends(fromSnapshot version: Int, _ read: (_ name: String) throws -> [UInt8]?) throws
    -> Bool
  {
    let name = MetadataName.versioned(SnapshotRole.type, version)
    if let ours = try publication.metadata(name) { return try read(name) == ours }
    let first = MetadataName.versioned(Root.type, (published.formerRoots.first ?? published.root).version)
    guard let root = ownRoot(first) else { return false }
    do {
      let theirs = try PublishedMetadata(root: root) { try ownRoot($0) ?? read($0) }
      return theirs.series.allSatisfy { series, theirs in
        published.series[series]?.metadata.descends(from: theirs.metadata) ?? false
      }
    } catch is TrustError { return false }
  }

  private func ownRoot(_ name: String) -> [UInt8]? {
    guard
      case .bytes(let bytes)? = metadata.first(where: { $0.isRoot && $0.path == "metadata/\(name)" })?.content
    else { return nil }
    return bytes
  }
}

extension SeriesMetadata {
  fileprivate func descends(from older: SeriesMetadata) -> Bool {
    guard state.epoch == older.state.epoch, state.head >= older.state.head else { return false }
    let digest = digest(at: older.state.head)
    return digest != nil && digest == older.digest(at: older.state.head)
  }

  /// The digest of the rows at a version, or `nil` if no object ends there.
  private func digest(at version: SeedVersion) -> SHA256Digest? {
    objects.first { $0.version == version }?.digest
  }
}
