package import SeedFormat
import SeedSystem
package import SeedTrust

extension RepositorySigner {
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
