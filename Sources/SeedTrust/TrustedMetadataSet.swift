// The client's acceptance rules (TUF specification 1.0, §5.3 to §5.6). This file does no I/O.
//
//  1. The initial root is the trust anchor that the app ships. It must be signed by its own keys.
//  2. A new root has exactly the next version, and is signed by a threshold of the old root's keys and of its own. No
//     root is accepted after a timestamp.
//  3. Intermediate roots may be expired. The last one must be valid; this is checked again with each timestamp.
//  4. A timestamp is signed by a threshold of the root's timestamp keys. Neither its version nor that of its TUF
//     snapshot is lower than in the trusted timestamp. If the versions are equal, the trusted timestamp stays, and
//     the result reports whether the contents differ.
//  5. The TUF snapshot role has the length, digests and version that the timestamp lists. It omits no role that the
//     trusted one lists, and lowers no role's version.
//  6. A targets role, top-level or delegated, is signed by a threshold of its delegator's keys. Its version
//     (and its length and digests, if listed) are those in the TUF snapshot role.
//  7. A delegated role may list only paths that were delegated to it.
//  8. Everything accepted must be valid at the reference time, which is the same for a whole refresh.
//  9. A threshold counts distinct keys, not key ids; a key id occurs once among the signatures.
// 10. Stored metadata is verified again. An expired timestamp or TUF snapshot role serves only to detect a
//     rollback. So does a TUF snapshot role that differs from the timestamp's entry (version, length or
//     digest). Stored metadata is ignored if the root has replaced its keys, so that a repository can recover
//     from a fast-forward attack, in which a stolen key raised versions.
// 11. A publisher that reads its own publication also accepts signatures by former roots' keys, in order to replace
//     them (`formerRoots`). A client never does.

package import SeedFormat
package import SeedSystem

package struct TrustedMetadataSet: Sendable {
  /// The reference time, at which everything must be valid.
  package let now: UTCTime
  package private(set) var root: Root
  /// The trusted timestamp, which may have expired if it was stored.
  package var timestamp: Timestamp? { signedTimestamp?.signed }
  private var signedTimestamp: Metadata<Timestamp>?
  /// The trusted TUF snapshot role. A stored one may have expired, or the timestamp may list a newer one.
  package private(set) var snapshot: SnapshotRole?
  package private(set) var targets: [String: Targets] = [:]
  /// For rule 11; only publishers set it.
  var formerRoots: [Root] = []
  private(set) var outdated: Set<String> = []

  package init(root bytes: [UInt8], now: UTCTime) throws(TrustError) {
    let metadata = try Metadata<Root>.read(bytes, Root.type)
    try metadata.check(Root.type, signedFor: metadata.signed)
    root = metadata.signed
    self.now = now
  }

  // MARK: Root

  /// Applies rule 2.
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

  /// Applies rule 3; call it after the last root.
  package func checkRoot() throws(TrustError) { try checkExpiry(of: root, Root.type) }

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

  /// Loads a stored timestamp for the rollback check (rule 10).
  package mutating func loadStoredTimestamp(_ bytes: [UInt8]) throws(TrustError) {
    signedTimestamp = try verifiedTimestamp(bytes)
  }

  package enum TimestampOffer: Hashable, Sendable {
    /// Newer than the trusted one, which it replaces.
    case newer
    /// The same version and content.
    case same
    /// The same version with different content; the trusted one stays.
    case conflicting
  }

  /// Applies rule 4.
  package mutating func updateTimestamp(_ bytes: [UInt8]) throws(TrustError) -> TimestampOffer {
    let metadata = try verifiedTimestamp(bytes)
    let offered = metadata.signed
    if let known = signedTimestamp {
      let trusted = known.signed
      try checkRollback(Timestamp.type, trusted.version, offered.version)
      guard offered.version > trusted.version else {
        // Signatures may differ: the same content signed by other keys is the same timestamp.
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

  /// Loads a stored TUF snapshot role (rule 10); returns whether it is valid and the announced one.
  package mutating func loadStoredSnapshot(_ bytes: [UInt8]) throws(TrustError) -> Bool {
    let announced = try validTimestamp(for: SnapshotRole.type).snapshot
    let stored = try verifiedSnapshot(bytes)
    snapshot = stored
    guard stored.version == announced.version, stored.expires > now else { return false }
    return (try? announced.check(bytes, of: SnapshotRole.type)) != nil
  }

  /// Applies rule 5; returns the accepted role.
  @discardableResult
  package mutating func updateSnapshot(_ bytes: [UInt8]) throws(TrustError) -> SnapshotRole {
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
    return offered
  }

  private mutating func verifiedSnapshot(_ bytes: [UInt8]) throws(TrustError) -> SnapshotRole {
    guard targets.isEmpty else { throw .outOfOrder(role: SnapshotRole.type) }
    let metadata = try Metadata<SnapshotRole>.read(bytes, SnapshotRole.type)
    try check(metadata, SnapshotRole.type)
    return metadata.signed
  }

  // MARK: Targets

  /// Returns the TUF snapshot role's entry for a targets role.
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

  /// Applies rule 6 to a role delegated by `delegator`, or to the top-level role if nil. Returns the accepted role.
  @discardableResult
  package mutating func updateTargets(
    _ bytes: [UInt8], role: String = Targets.type, delegator: String? = nil
  ) throws(TrustError) -> Targets {
    let parent = delegator.flatMap { targets[$0] }
    guard (parent == nil) == (delegator == nil) else { throw .outOfOrder(role: role) }
    let announced = try announced(role)
    try announced.check(bytes, of: role)
    let metadata = try Metadata<Targets>.read(bytes, role)
    if let parent { try metadata.check(role, signedFor: parent) } else { try check(metadata, role) }
    try checkVersion(role, announced.version, metadata.signed.version)
    try checkExpiry(of: metadata.signed, role)
    targets[role] = metadata.signed
    return metadata.signed
  }

  // MARK: The series

  /// Applies rule 7; returns the metadata of the series' role.
  package func series(_ series: SeedSeries) throws(TrustError) -> SeriesMetadata {
    let name = series.roleName
    guard let role = targets[name] else { throw .outOfOrder(role: name) }
    let delegated = targets[Targets.type]?.delegations?[name]
    guard let delegated else { throw .missingRole(role: name, place: Targets.type) }
    for path in role.targets.keys.sorted() where !delegated.paths.admit(path) {
      throw .pathNotDelegated(role: name, path: path)
    }
    do { return try SeriesMetadata(series, in: role) } catch { throw .malformed(role: name, error) }
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
