package import SeedFormat
import SeedSystem
package import SeedTrust

extension RepositorySigner {
  // MARK: New publications

  /// Creates a publication without series. The threshold of each role is 1 unless `thresholds` has another.
  package func create(
    delegating series: [SeedSeries], keys: KeyRing, thresholds: [KeyRole: Int] = [:]
  ) throws -> SigningStep {
    let verifiers = Dictionary(
      uniqueKeysWithValues: KeyRole.allCases.map { ($0, keys.verifiers($0, threshold: thresholds[$0] ?? 1)) })
    let root = Root(
      header: offlineHeader(version: 1, days: Self.rootDays), roles: verifiers.filter { $0.key.isInRoot })
    let file = try sign(root, Root.type, keys, for: root).file(Root.type)
    return try begin(under: root, file, delegating: series, to: verifiers[.series] ?? RoleVerifiers([]), keys)
  }

  /// Creates a publication under a root that clients already trust, after the loss of the old one.
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
      header: offlineHeader(version: version, days: Self.targetsDays), targets: [:],
      delegations: Delegations(series, to: verifiers))
    let snapshot = SnapshotRole(
      header: onlineHeader(version: version), meta: ["targets.json": MetaFile(version: version)])
    let timestamp = Timestamp(header: onlineHeader(version: version), snapshot: MetaFile(version: version))
    return SigningStep(
      files: [
        file, try sign(targets, Targets.type, keys, for: root).file(Targets.type),
        try sign(snapshot, SnapshotRole.type, keys, for: root).file(SnapshotRole.type),
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

  /// The next root, with other keys for these roles. If too few of the old root's keys are left to sign it, it starts a
  /// separate chain: new apps must ship it, and installed apps keep the old root until that expires.
  package func root(
    replacing verifiers: [KeyRole: RoleVerifiers], startingChain: Bool = false,
    after published: PublishedMetadata
  ) -> Root {
    let header = rootHeader(after: published, steps: startingChain ? Root.gapAfterLoss : 1)
    return Root(header: header, replacing: verifiers, of: published.root)
  }

  /// `root`: the root with which clients will verify the targets.
  package func renewedTargets(
    under root: Root? = nil, after published: PublishedMetadata
  ) throws(VersionsExhausted) -> Targets {
    var next = published.targets
    next.header = try targetsHeader(under: root, after: published)
    return next
  }

  /// The next targets metadata, with delegations to these series. It takes effect in the next publication step.
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
    var next = offlineHeader(version: version, days: days, after: header.expires)
    next.other = header.other
    return next
  }
}

extension PublishedMetadata {
  /// Whether `next` names none of a role's current keys, so that clients ignore their signatures. Also true after a
  /// crash between such a root and the role's metadata.
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
          paths: .patterns([series.targetPrefix + "*"]))
      })
  }

  /// The keys and threshold of all delegates, which are the same in Seedbank's publications; nil without delegates or
  /// if a key is of another kind.
  package var verifiers: RoleVerifiers? {
    guard let role = roles.first else { return nil }
    let known = role.keys.keyIDs.compactMap { keys[$0]?.publicKey }
    guard known.count == role.keys.keyIDs.count else { return nil }
    return RoleVerifiers(known, threshold: role.keys.threshold)
  }
}
