import SeedFormat
import SeedTrust

struct TimestampJudge {
  enum Finding: Hashable {
    case absent
    case same
    /// Older, and either written by this publisher or inherited.
    case older
  }

  let store: any MirrorStore
  let image: MirrorImage
  let memory: MirrorMemory
  let options: MirrorOptions

  func look(at found: StoredFile?) throws -> Finding {
    guard let found else { return .absent }
    let sha256 = SHA256Digest.of(found.bytes)
    if sha256 == image.timestamp.sha256 { return .same }
    guard let theirs = try? Metadata<Timestamp>(parsing: found.bytes), image.published.hasSigned(theirs)
    else { throw MirrorError.foreign }
    let (there, here) = (theirs.signed.version, image.version)
    if there > here { throw MirrorError.ahead(there: there, here: here) }
    if there == here { throw MirrorError.forked(version: here) }
    guard try mayReplace(theirs.signed, sha256) else { throw MirrorError.overtaken(there: there, here: here) }
    return .older
  }

  /// If the memory lacks the timestamp, compares the files.
  private func mayReplace(_ older: Timestamp, _ sha256: SHA256Digest) throws -> Bool {
    try options.replaces || older.version < options.inheritsBelow || memory.written.contains(sha256.hex)
      || isOurs(older)
  }

  /// Whether the mirror's snapshot role, which determines all other files, is still in this publication. If so, this
  /// publication's history contains everything that the mirror shows.
  private func isOurs(_ timestamp: Timestamp) throws -> Bool {
    let name = MetadataName.versioned(SnapshotRole.type, timestamp.snapshot.version)
    guard let ours = try image.publication.metadata(name) else { return false }
    return try store.read("metadata/\(name)")?.bytes == ours
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
