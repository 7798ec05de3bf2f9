import SeedFormat
import SeedTrust

struct TimestampJudge {
  enum Finding: Hashable {
    case absent
    case same
    /// Older, and either written by this publisher or inherited. Its version may be higher if versions restarted.
    case older
  }

  let image: MirrorImage
  let memory: MirrorMemory
  let options: MirrorOptions

  func look(at found: StoredFile?) throws -> Finding {
    guard let found else { return .absent }
    let sha256 = SHA256Digest.of(found.bytes)
    if sha256 == image.timestamp.sha256 { return .same }
    // The keys of any root of the publication are accepted.
    let roots = image.published.formerRoots + [image.published.root]
    guard let theirs = try? Metadata<Timestamp>(parsing: found.bytes),
      roots.contains(where: { $0.hasSigned(theirs) })
    else { throw MirrorError.foreign }
    let (there, here) = (theirs.signed.version, image.version)
    // Versions restart only when keys are replaced, because clients then forget the old versions.
    if try !image.published.root.hasSigned(theirs) && isOwn(theirs.signed, sha256) { return .older }
    if there > here { throw MirrorError.ahead(there: there, here: here) }
    if there == here { throw MirrorError.forked(version: here) }
    guard try options.replaces || there < options.inheritsBelow || isOwn(theirs.signed, sha256) else {
      throw MirrorError.overtaken(there: there, here: here)
    }
    return .older
  }

  /// Whether the memory lists the timestamp, or this publication still has the TUF snapshot role that the timestamp
  /// names. That role determines all other files, so this publication's history then contains everything that the
  /// mirror shows.
  private func isOwn(_ timestamp: Timestamp, _ sha256: SHA256Digest) throws -> Bool {
    if memory.written.contains(sha256.hex) { return true }
    let version = timestamp.snapshot.version
    let ours = try image.publication.metadata(MetadataName.versioned(SnapshotRole.type, version))
    return ours.map { MetaFile(version: version, of: $0) } == timestamp.snapshot
  }
}

extension Root {
  fileprivate func hasSigned(_ timestamp: Metadata<Timestamp>) -> Bool {
    (try? timestamp.check(Timestamp.type, signedFor: self)) != nil
  }
}
