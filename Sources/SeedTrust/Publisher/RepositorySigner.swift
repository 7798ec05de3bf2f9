import SeedFormat
package import SeedSystem

/// A metadata file to be written, by its name in the publication's metadata directory.
package struct MetadataFile: Hashable, Sendable {
  /// `3.targets.json`, `timestamp.json`, …
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

package struct SigningStep: Sendable {
  /// The files in the order in which they must be written.
  package let files: [MetadataFile]
  /// The publication's metadata once they are.
  package let published: PublishedMetadata
}

/// Signs the steps of a publication. Pure: keys and the previous metadata in, files out. Each file is checked against
/// the keys that its delegator names, so a wrong key is an error of the publisher and never of a client.
package struct RepositorySigner: Sendable {
  /// Days for which root metadata is valid.
  package static let rootDays = 365
  /// Days for which the top-level targets metadata is valid.
  package static let targetsDays = 180
  /// Days before root or targets metadata expires on which it is signed anew, where the keys are at hand.
  package static let renewalDays = 90
  /// Days before root and targets expire from which operators are warned, who may have to fetch their keys.
  package static let warningDays = 60
  /// Seconds for which the online roles are valid, unless said otherwise: 7 days.
  package static let onlineSeconds = 7 * UTCTime.secondsPerDay
  /// How far a root whose old keys are lost lies beyond the last one: clients of the old root must not meet it.
  static let lostRootGap = 1000

  let now: UTCTime
  private let lifetime: Int
  let leastVersion: Int
  private let trustsClock: Bool

  /// A signer at `now`, whose online roles last `lifetime` seconds and whose versions begin at `leastVersion`: after a
  /// disaster one that no client has seen. If it `trustsClock`, signatures may end earlier than those they replace.
  package init(
    now: UTCTime, lifetime: Int = RepositorySigner.onlineSeconds, leastVersion: Int = 1,
    trustsClock: Bool = false
  ) {
    (self.now, self.lifetime) = (now, lifetime)
    (self.leastVersion, self.trustsClock) = (leastVersion, trustsClock)
  }

  // MARK: Headers

  /// A role is never signed for a shorter time than before: a clock that was set back would otherwise publish
  /// what has expired for everyone else. Only a clock that is known to be right may.
  private func expiry(_ seconds: Int, notBefore earlier: UTCTime?) -> UTCTime {
    let expiry = now.adding(seconds: seconds)
    return trustsClock ? expiry : max(expiry, earlier ?? .distantPast)
  }

  func onlineHeader(version: Int, after expires: UTCTime? = nil, other: [JSONMember] = []) -> RoleHeader {
    RoleHeader(version: version, expires: expiry(lifetime, notBefore: expires), other: other)
  }

  func offlineHeader(version: Int, days: Int, after expires: UTCTime? = nil) -> RoleHeader {
    RoleHeader(version: version, expires: expiry(days * UTCTime.secondsPerDay, notBefore: expires))
  }

  /// The version after another. No publisher signs more than once a second, so a version beyond the clock's seconds was
  /// made by whoever stole a key. When `restarting`, the key was replaced, so versions count from the clock.
  func following(_ version: Int, of role: String, restarting: Bool = false) throws(VersionsExhausted) -> Int {
    let next = max(version + 1, leastVersion)
    if restarting, isBeyondClock(version) { return max(now.secondsSinceEpoch, leastVersion) }
    guard next <= Limits.exactJSONInteger else { throw VersionsExhausted(role: role) }
    return next
  }

  /// True where no publisher can have come so far: a new epoch starts at the clock, and a few steps may follow at once.
  func isBeyondClock(_ version: Int) -> Bool { version > now.adding(days: 1).secondsSinceEpoch }

  // MARK: Signing

  /// A role's file, signed with the keys at hand that `delegator` names, and those that `former` does.
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
  func file(_ name: String) -> MetadataFile {
    let isVersioned = Role.type != Timestamp.type
    return MetadataFile(
      name: isVersioned ? MetadataName.versioned(name, signed.version) : MetadataName.unversioned(name),
      bytes: bytes)
  }
}

/// A role's metadata has the highest version that there is, and clients refuse lower ones.
package struct VersionsExhausted: Error, Hashable, Sendable, CustomStringConvertible {
  package let role: String

  package init(role: String) { self.role = role }

  package var description: String {
    "\(role) metadata has the highest version there is: somebody else had its key; "
      + "'seedbank keys rotate timestamp snapshot' lets its versions begin anew"
  }
}
