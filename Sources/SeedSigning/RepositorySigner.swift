package import SeedFormat
package import SeedSystem
package import SeedTrust

package struct SigningStep: Sendable {
  /// The files, in the order in which they must be written.
  package let files: [MetadataFile]
  package let published: PublishedMetadata
}

/// Signs the steps of a publication. Pure: keys and previous metadata in, files out. Each file is verified with its
/// delegator's keys, so a wrong key fails at the publisher, never at a client.
package struct RepositorySigner: Sendable {
  package static let rootDays = 365
  package static let targetsDays = 180
  /// The number of days before expiry at which root or targets metadata is renewed, if its keys are available.
  package static let renewalDays = 90
  package static let onlineSeconds = 7 * UTCTime.secondsPerDay

  let now: UTCTime
  private let lifetime: Int
  private let seriesLifetimes: [DatasetName: Int]
  let leastVersion: Int
  private let trustsClock: Bool
  private let lostSeries: Set<SeedSeries>

  /// `lifetime` is the validity of the online roles in seconds, unless `seriesLifetimes` has another for a series'
  /// dataset. `leastVersion` is the lowest version to sign; after a disaster, it exceeds all versions that clients
  /// have. If `trustsClock` is set, new signatures may expire earlier than those that they replace. `lostSeries` are
  /// series that clients may know from a lost publication.
  package init(
    now: UTCTime, lifetime: Int = RepositorySigner.onlineSeconds, seriesLifetimes: [DatasetName: Int] = [:],
    leastVersion: Int = 1, trustsClock: Bool = false, lostSeries: Set<SeedSeries> = []
  ) {
    (self.now, self.lifetime, self.seriesLifetimes) = (now, lifetime, seriesLifetimes)
    (self.leastVersion, self.trustsClock, self.lostSeries) = (leastVersion, trustsClock, lostSeries)
  }

  // MARK: Headers

  /// Returns the header of an online role unless the number of `days` is given. Unless the clock is trusted, a role
  /// never expires earlier than before: with a clock that was set back, new metadata might already have expired for
  /// everyone else.
  func header(
    version: Int, days: Int? = nil, of series: SeedSeries? = nil, after expires: UTCTime? = nil
  ) -> RoleHeader {
    let online = series.flatMap { seriesLifetimes[$0.dataset] } ?? lifetime
    let expiry = now.adding(seconds: days.map { $0 * UTCTime.secondsPerDay } ?? online)
    return RoleHeader(version: version, expires: trustsClock ? expiry : max(expiry, expires ?? .distantPast))
  }

  /// Returns the next version. Publishers sign at most once per second, so versions stay below the Unix time.
  /// Higher versions were signed with a stolen key. If it was replaced (`restarting`), uses the Unix time.
  func following(_ version: Int, of role: String, restarting: Bool = false) throws(VersionsExhausted) -> Int {
    let next = max(version + 1, leastVersion)
    if restarting, isBeyondClock(version) { return max(now.secondsSinceEpoch, leastVersion) }
    guard next <= Limits.exactJSONInteger else { throw VersionsExhausted(role: role) }
    return next
  }

  /// A new epoch starts at the Unix time, and a few steps may follow at once, so a day beyond it is allowed.
  func isBeyondClock(_ version: Int) -> Bool { version > now.adding(days: 1).secondsSinceEpoch }

  /// Adds entries for lost series, because clients reject a TUF snapshot role that drops an entry.
  func naming(lostSeriesIn meta: [String: MetaFile]) -> [String: MetaFile] {
    let lost = lostSeries.map { ("\($0.roleName).json", MetaFile(version: leastVersion)) }
    return meta.merging(lost) { known, _ in known }
  }

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

  // MARK: New publications

  /// Creates a publication without series. The threshold of each role is 1 unless `thresholds` sets another.
  package func create(
    delegating series: [SeedSeries], keys: KeyRing, thresholds: [KeyRole: Int] = [:]
  ) throws -> SigningStep {
    let verifiers = Dictionary(
      uniqueKeysWithValues: KeyRole.allCases.map { ($0, keys.verifiers($0, threshold: thresholds[$0] ?? 1)) })
    let root = Root(
      header: header(version: 1, days: Self.rootDays), roles: verifiers.filter { $0.key.isInRoot })
    let file = try sign(root, Root.type, keys, for: root).file(Root.type)
    return try begin(under: root, file, delegating: series, to: verifiers[.series] ?? RoleVerifiers([]), keys)
  }

  /// Creates a publication under a root that clients already trust, after the old publication was lost.
  package func create(under root: [UInt8], delegating series: [SeedSeries], keys: KeyRing) throws
    -> SigningStep
  {
    let trusted = try TrustedMetadataSet(root: root, now: .distantPast).root
    let file = MetadataFile(name: MetadataName.versioned(Root.type, trusted.version), bytes: root)
    return try begin(under: trusted, file, delegating: series, to: keys.verifiers(.series), keys)
  }

  private func begin(
    under root: Root, _ file: MetadataFile, delegating series: [SeedSeries], to verifiers: RoleVerifiers,
    _ keys: KeyRing
  ) throws -> SigningStep {
    let version = leastVersion
    let targets = Targets(
      header: header(version: version, days: Self.targetsDays), targets: [:],
      delegations: Delegations(series, to: verifiers))
    let signedTargets = try sign(targets, Targets.type, keys, for: root)
    let snapshot = SnapshotRole(
      header: header(version: version),
      meta: naming(lostSeriesIn: ["targets.json": MetaFile(version: version, of: signedTargets.bytes)]))
    let signedSnapshot = try sign(snapshot, SnapshotRole.type, keys, for: root)
    let timestamp = Timestamp(
      header: header(version: version), snapshot: MetaFile(version: version, of: signedSnapshot.bytes))
    return SigningStep(
      files: [
        file, signedTargets.file(Targets.type), signedSnapshot.file(SnapshotRole.type),
        try sign(timestamp, Timestamp.type, keys, for: root).file(Timestamp.type),
      ],
      published: PublishedMetadata(root: root, timestamp: timestamp, snapshot: snapshot, targets: targets))
  }

  // MARK: Next metadata

  package func renewedRoot(after published: PublishedMetadata) -> Root {
    var next = published.root
    next.header = rootHeader(after: published)
    return next
  }

  /// Returns the next root, with different keys for these roles. If too few of the old keys are left to sign, starts
  /// a separate chain. New apps must then ship the new root; installed apps keep the old one until it expires.
  package func root(
    replacing verifiers: [KeyRole: RoleVerifiers], startingChain: Bool = false,
    after published: PublishedMetadata
  ) -> Root {
    let header = rootHeader(after: published, steps: startingChain ? Root.gapAfterLoss : 1)
    return Root(header: header, replacing: verifiers, of: published.root)
  }

  /// `root` is the root with which clients will verify the targets.
  package func renewedTargets(
    under root: Root? = nil, after published: PublishedMetadata
  ) throws(VersionsExhausted) -> Targets {
    var next = published.targets
    next.header = try targetsHeader(under: root, after: published)
    return next
  }

  /// Returns the next targets metadata, with delegations to these series. It takes effect in the next publication step.
  package func targets(
    delegating series: [SeedSeries], to verifiers: RoleVerifiers, under root: Root? = nil,
    after published: PublishedMetadata
  ) throws(VersionsExhausted) -> Targets {
    Targets(
      header: try targetsHeader(under: root, after: published), targets: [:],
      delegations: Delegations(series, to: verifiers))
  }

  private func rootHeader(after published: PublishedMetadata, steps: Int = 1) -> RoleHeader {
    following(published.root.header, version: published.root.version + steps, days: Self.rootDays)
  }

  private func targetsHeader(
    under root: Root?, after published: PublishedMetadata
  ) throws(VersionsExhausted) -> RoleHeader {
    let version = try following(
      published.targets.version, of: Targets.type,
      restarting: published.isReplaced(.snapshot, by: root ?? published.root))
    return following(published.targets.header, version: version, days: Self.targetsDays)
  }

  private func following(_ header: RoleHeader, version: Int, days: Int) -> RoleHeader {
    var next = self.header(version: version, days: days, after: header.expires)
    next.other = header.other
    return next
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
    "\(role) metadata has the highest possible version, a sign of a stolen key; "
      + "'seedbank keys rotate timestamp snapshot' restarts its versions"
  }
}

extension PublishedMetadata {
  /// Whether `next` names none of a role's current keys, so that clients ignore their signatures. Also true if such a
  /// root is already published, but a crash prevented the role's metadata from being signed again.
  func isReplaced(_ role: KeyRole, by next: Root) -> Bool {
    if outdated.contains(role) { return true }
    let (old, new) = (root.roles[role.rawValue]?.keyIDs ?? [], next.roles[role.rawValue]?.keyIDs ?? [])
    return Set(old).isDisjoint(with: new)
  }
}

extension Delegations {
  init(_ series: [SeedSeries], to verifiers: RoleVerifiers) {
    self.init(
      keys: RoleVerifiers.keysByID([verifiers]),
      roles: series.sorted().map { series in
        Delegations.Role(
          name: series.roleName, keys: RoleKeys(verifiers), terminating: true,
          paths: .patterns(["\(series)/*"]))
      })
  }

  /// The keys and threshold of all delegates, which are the same in Seedbank's publications; nil if there are no
  /// delegates or if a key is of another kind.
  package var verifiers: RoleVerifiers? {
    guard let role = roles.first else { return nil }
    let known = role.keys.keyIDs.compactMap { keys[$0]?.publicKey }
    guard known.count == role.keys.keyIDs.count else { return nil }
    return RoleVerifiers(known, threshold: role.keys.threshold)
  }
}
