// What a client accepts (TUF specification 1.0, §5.3 to §5.6). There is no I/O here.
//
//  1. Trust begins with the root that the client was given. It must be signed by its own keys.
//  2. A new root has exactly the next version and is signed by the threshold of the old root's keys and by
//     that of its own. No root is accepted once a timestamp is.
//  3. Only the last root of the chain must not be expired, and it must not be when a timestamp is accepted.
//  4. A timestamp is signed by the threshold of the root's timestamp keys. It is never older than the trusted
//     one, nor is the TUF snapshot version that it names. Of two with equal versions the trusted one stays,
//     and whoever asked is told whether the other one says something else.
//  5. The TUF snapshot role has the length, digests and version that the timestamp names. It drops no role
//     that the trusted one lists, and lowers no role's version.
//  6. A targets role, at the top or delegated, has the version (and length, digests) that the TUF snapshot
//     role lists, and is signed by the threshold of the keys that its delegator names.
//  7. A delegated role speaks only for the paths that were delegated to it.
//  8. Nothing that is expired at the reference time is accepted. There is one such time for a whole refresh.
//  9. A threshold counts different keys, whatever ids they go by; a key id occurs once among the signatures.
// 10. Stored metadata of an earlier refresh is verified anew. An expired stored timestamp or TUF snapshot
//     role, or a TUF snapshot role that is no longer announced (by version, length or digest), still counts
//     against rollback, and for nothing else. Stored metadata whose keys the root has since replaced counts for nothing: so a
//     repository recovers when a stolen key was used to raise versions (fast-forward attack).
// 11. A publisher that reads its own publication also takes what former roots' keys signed, so that it can sign it
//     anew (`acceptKeys`). A client never does.

package import SeedFormat
package import SeedSystem

/// The metadata that is trusted so far, and the rules by which more becomes trusted.
package struct TrustedMetadataSet: Sendable {
  /// The reference time: everything must be valid beyond it.
  package let now: UTCTime
  /// The newest trusted root.
  package private(set) var root: Root
  /// The trusted timestamp; it may be expired if it was stored.
  package var timestamp: Timestamp? { signedTimestamp?.signed }
  private var signedTimestamp: Metadata<Timestamp>?
  /// The trusted TUF snapshot role; it may be expired or no longer announced if it was stored.
  package private(set) var snapshot: SnapshotRole?
  /// The trusted targets roles, at the top and delegated, by name.
  package private(set) var targets: [String: Targets] = [:]
  private var formerRoots: [Root] = []
  private(set) var outdated: Set<String> = []

  /// Starts from a root that the caller trusts.
  package init(root bytes: [UInt8], now: UTCTime) throws(TrustError) {
    let metadata = try Metadata<Root>.read(bytes, Root.type)
    try metadata.check(Root.type, signedFor: metadata.signed)
    root = metadata.signed
    self.now = now
  }

  // MARK: Root

  /// Rule 2.
  package mutating func updateRoot(_ bytes: [UInt8]) throws(TrustError) {
    guard timestamp == nil else { throw .outOfOrder(role: Root.type) }
    let metadata = try Metadata<Root>.read(bytes, Root.type)
    try metadata.check(Root.type, signedFor: root)
    guard metadata.signed.version == root.version + 1 else {
      throw .wrongVersion(role: Root.type, expected: root.version + 1, offered: metadata.signed.version)
    }
    try metadata.check(Root.type, signedFor: metadata.signed)
    root = metadata.signed
  }

  /// Rule 3, to be asked when the chain of roots has ended.
  package func checkRoot() throws(TrustError) { try checkExpiry(of: root, Root.type) }

  /// Rule 11, for a publisher alone.
  mutating func acceptKeys(of formerRoots: [Root]) { self.formerRoots = formerRoots }

  private mutating func check<Role>(_ metadata: Metadata<Role>, _ role: String) throws(TrustError) {
    do {
      try metadata.check(role, signedFor: root)
    } catch {
      let isFormer = formerRoots.contains { (try? metadata.check(role, signedFor: $0)) != nil }
      guard isFormer else { throw error }
      outdated.insert(role)
    }
  }

  // MARK: Timestamp

  /// A timestamp of an earlier refresh, against which rollback is judged (rule 10).
  package mutating func loadStoredTimestamp(_ bytes: [UInt8]) throws(TrustError) {
    signedTimestamp = try verifiedTimestamp(bytes)
  }

  package enum TimestampOffer: Hashable, Sendable {
    /// It is newer, and trusted from now on.
    case newer
    /// It has the same version and says the same.
    case same
    /// It has the same version and says something else; the trusted one stays.
    case conflicting
  }

  /// Rule 4.
  package mutating func updateTimestamp(_ bytes: [UInt8]) throws(TrustError) -> TimestampOffer {
    let metadata = try verifiedTimestamp(bytes)
    let offered = metadata.signed
    if let known = signedTimestamp {
      let trusted = known.signed
      try checkRollback(Timestamp.type, trusted.version, offered.version)
      guard offered.version > trusted.version else {
        // Signatures may differ: the same words signed by other keys are no other timestamp.
        guard metadata.signedBytes == known.signedBytes else { return .conflicting }
        try checkExpiry(of: trusted, Timestamp.type)
        return .same
      }
      try checkRollback(SnapshotRole.type, trusted.snapshot.version, offered.snapshot.version)
    }
    try checkExpiry(of: offered, Timestamp.type)
    signedTimestamp = metadata
    return .newer
  }

  private mutating func verifiedTimestamp(_ bytes: [UInt8]) throws(TrustError) -> Metadata<Timestamp> {
    guard snapshot == nil else { throw .outOfOrder(role: Timestamp.type) }
    try checkRoot()
    let metadata = try Metadata<Timestamp>.read(bytes, Timestamp.type)
    try check(metadata, Timestamp.type)
    return metadata
  }

  private func validTimestamp(for role: String) throws(TrustError) -> Timestamp {
    guard let timestamp else { throw .outOfOrder(role: role) }
    try checkExpiry(of: timestamp, Timestamp.type)
    return timestamp
  }

  // MARK: TUF snapshot role

  /// A TUF snapshot role of an earlier refresh (rule 10); whether it is the announced one and valid.
  package mutating func loadStoredSnapshot(_ bytes: [UInt8]) throws(TrustError) -> Bool {
    let announced = try validTimestamp(for: SnapshotRole.type).snapshot
    let stored = try verifiedSnapshot(bytes)
    snapshot = stored
    guard stored.version == announced.version, stored.expires > now else { return false }
    return (try? announced.check(bytes, of: SnapshotRole.type)) != nil
  }

  /// Rule 5.
  package mutating func updateSnapshot(_ bytes: [UInt8]) throws(TrustError) {
    let announced = try validTimestamp(for: SnapshotRole.type).snapshot
    try announced.check(bytes, of: SnapshotRole.type)
    let offered = try verifiedSnapshot(bytes)
    try checkVersion(SnapshotRole.type, announced.version, offered.version)
    for (file, trusted) in snapshot?.meta ?? [:] {
      let role = String(file.dropLast(".json".count))
      guard let meta = offered.meta[file] else { throw .missingRole(role: role, place: SnapshotRole.type) }
      try checkRollback(role, trusted.version, meta.version)
    }
    try checkExpiry(of: offered, SnapshotRole.type)
    snapshot = offered
  }

  private mutating func verifiedSnapshot(_ bytes: [UInt8]) throws(TrustError) -> SnapshotRole {
    guard targets.isEmpty else { throw .outOfOrder(role: SnapshotRole.type) }
    let metadata = try Metadata<SnapshotRole>.read(bytes, SnapshotRole.type)
    try check(metadata, SnapshotRole.type)
    return metadata.signed
  }

  // MARK: Targets

  /// The TUF snapshot role's entry for a targets role: version, perhaps length and digests.
  package func announced(_ role: String) throws(TrustError) -> MetaFile {
    let timestamp = try validTimestamp(for: role)
    guard let snapshot else { throw .outOfOrder(role: role) }
    try checkVersion(SnapshotRole.type, timestamp.snapshot.version, snapshot.version)
    try checkExpiry(of: snapshot, SnapshotRole.type)
    guard let meta = snapshot.meta["\(role).json"] else {
      throw .missingRole(role: role, place: SnapshotRole.type)
    }
    return meta
  }

  /// Rule 6 for the top-level targets role.
  package mutating func updateTargets(_ bytes: [UInt8]) throws(TrustError) {
    let metadata = try announcedTargets(bytes, Targets.type)
    try check(metadata, Targets.type)
    try take(metadata, Targets.type)
  }

  /// Rule 6 for a role that `delegator`, a trusted targets role, names.
  package mutating func updateDelegated(
    _ bytes: [UInt8], role: String, delegator: String = Targets.type
  ) throws(TrustError) {
    guard let parent = targets[delegator] else { throw .outOfOrder(role: role) }
    let metadata = try announcedTargets(bytes, role)
    try metadata.check(role, signedFor: parent)
    try take(metadata, role)
  }

  private func announcedTargets(_ bytes: [UInt8], _ role: String) throws(TrustError) -> Metadata<Targets> {
    try announced(role).check(bytes, of: role)
    return try Metadata<Targets>.read(bytes, role)
  }

  private mutating func take(_ metadata: Metadata<Targets>, _ role: String) throws(TrustError) {
    try checkVersion(role, announced(role).version, metadata.signed.version)
    try checkExpiry(of: metadata.signed, role)
    targets[role] = metadata.signed
  }

  // MARK: The series

  /// Rule 7, then what the series' role says.
  package func series(_ series: Series) throws(TrustError) -> SeriesMetadata {
    let name = series.roleName
    guard let role = targets[name] else { throw .outOfOrder(role: name) }
    let delegated = targets[Targets.type]?.delegations?[name]
    guard let delegated else { throw .missingRole(role: name, place: Targets.type) }
    for path in role.targets.keys.sorted() where !delegated.paths.admit(path) {
      throw .pathNotDelegated(role: name, path: path)
    }
    do {
      return try SeriesMetadata(series, in: role)
    } catch {
      throw .malformed(role: name, error)
    }
  }

  // MARK: Comparisons

  private func checkExpiry(of role: some SignedRole, _ name: String) throws(TrustError) {
    guard role.expires > now else { throw .expired(role: name, at: role.expires) }
  }

  private func checkRollback(_ role: String, _ trusted: Int, _ offered: Int) throws(TrustError) {
    guard offered >= trusted else { throw .rollback(role: role, trusted: trusted, offered: offered) }
  }

  private func checkVersion(_ role: String, _ expected: Int, _ offered: Int) throws(TrustError) {
    guard offered == expected else { throw .wrongVersion(role: role, expected: expected, offered: offered) }
  }
}
