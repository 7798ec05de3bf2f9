package import SeedFormat
package import SeedSystem
package import SeedTrust

package struct SigningStep: Sendable {
  /// In the order in which they must be written.
  package let files: [MetadataFile]
  package let published: PublishedMetadata
}

/// Signs the steps of a publication. Pure: keys and previous metadata in, files out. Each file is verified with its
/// delegator's keys, so a wrong key fails at the publisher, never at a client.
package struct RepositorySigner: Sendable {
  package static let rootDays = 365
  package static let targetsDays = 180
  /// Days before expiry on which root or targets is renewed if the keys are available.
  package static let renewalDays = 90
  package static let onlineSeconds = 7 * UTCTime.secondsPerDay

  let now: UTCTime
  private let lifetime: Int
  let leastVersion: Int
  private let trustsClock: Bool

  /// `lifetime`: seconds for which the online roles are valid; `leastVersion`: after a disaster, one that no client
  /// has; `trustsClock`: new signatures may expire earlier than those they replace.
  package init(
    now: UTCTime, lifetime: Int = RepositorySigner.onlineSeconds, leastVersion: Int = 1,
    trustsClock: Bool = false
  ) {
    (self.now, self.lifetime) = (now, lifetime)
    (self.leastVersion, self.trustsClock) = (leastVersion, trustsClock)
  }

  // MARK: Headers

  /// A role never expires earlier than before unless the clock is trusted, because a clock that was set back would
  /// publish metadata that has expired for everyone else.
  private func expiry(_ seconds: Int, notBefore earlier: UTCTime?) -> UTCTime {
    let expiry = now.adding(seconds: seconds)
    return trustsClock ? expiry : max(expiry, earlier ?? .distantPast)
  }

  func onlineHeader(version: Int, after expires: UTCTime? = nil) -> RoleHeader {
    RoleHeader(version: version, expires: expiry(lifetime, notBefore: expires))
  }

  func offlineHeader(version: Int, days: Int, after expires: UTCTime? = nil) -> RoleHeader {
    RoleHeader(version: version, expires: expiry(days * UTCTime.secondsPerDay, notBefore: expires))
  }

  /// The next version. Publishers sign at most once per second, so a version beyond the clock's seconds came from a
  /// stolen key. If `restarting`, the key was replaced, and versions continue from the clock.
  func following(_ version: Int, of role: String, restarting: Bool = false) throws(VersionsExhausted) -> Int {
    let next = max(version + 1, leastVersion)
    if restarting, isBeyondClock(version) { return max(now.secondsSinceEpoch, leastVersion) }
    guard next <= Limits.exactJSONInteger else { throw VersionsExhausted(role: role) }
    return next
  }

  /// A day of tolerance: a new epoch starts at the clock, and a few steps may follow at once.
  func isBeyondClock(_ version: Int) -> Bool { version > now.adding(days: 1).secondsSinceEpoch }

  // MARK: Signing

  func sign<Role: SignedRole>(
    _ role: Role, _ name: String, _ keys: KeyRing, for delegator: some SignedRole, former: Root? = nil
  ) throws -> Metadata<Role> {
    let needed = delegator.roleKeys(of: name)
    guard let needed else { throw TrustError.missingRole(role: name, place: type(of: delegator).type) }
    let signers = keys.signers(of: needed)
    guard signers.count >= needed.threshold else {
      throw MissingKeys(role: name, found: signers.count, needed: needed.threshold)
    }
    var metadata = try Metadata(signing: role, with: signers)
    metadata.sign(with: keys.signers(of: former?.roleKeys(of: name)))
    try metadata.check(name, signedFor: delegator)
    return metadata
  }
}

extension Metadata {
  package init(signing role: Role, with keys: [SigningKey]) throws(MalformedJSON) {
    try self.init(unsigned: role)
    sign(with: keys)
  }

  package mutating func sign(with keys: [SigningKey]) {
    for key in keys { add(RoleSignature(keyID: key.publicKey.keyID, hex: lowerHex(key.sign(signedBytes)))) }
  }

  func file(_ name: String) -> MetadataFile {
    let isVersioned = Role.type != Timestamp.type
    return MetadataFile(
      name: isVersioned ? MetadataName.versioned(name, signed.version) : MetadataName.unversioned(name),
      bytes: bytes)
  }
}

/// A role has the highest possible version, and clients reject lower ones.
package struct VersionsExhausted: Error, Hashable, Sendable, CustomStringConvertible {
  package let role: String

  package var description: String {
    "\(role) metadata has the highest possible version: an attacker had its key; "
      + "'seedbank keys rotate timestamp snapshot' restarts its versions"
  }
}
