package import SeedFormat
package import SeedSystem

/// A publication's verified metadata, from which the publisher makes the next metadata.
package struct PublishedMetadata: Sendable {
  package var root: Root
  package var timestamp: Timestamp
  package var snapshot: SnapshotRole
  package var targets: Targets
  /// Series that were published at least once.
  package var series: [SeedSeries: PublishedSeries] = [:]

  /// Earlier roots, oldest first.
  package var formerRoots: [Root] = []
  /// Roles signed only by keys of a former root: clients reject them until they are signed again.
  package var outdated: Set<KeyRole> = []

  package struct PublishedSeries: Hashable, Sendable {
    package let metadata: SeriesMetadata
    package let version: Int
    package let expires: UTCTime

    package init(metadata: SeriesMetadata, version: Int, expires: UTCTime) {
      (self.metadata, self.version, self.expires) = (metadata, version, expires)
    }
  }

  package init(root: Root, timestamp: Timestamp, snapshot: SnapshotRole, targets: Targets) {
    (self.root, self.timestamp, self.snapshot, self.targets) = (root, timestamp, snapshot, targets)
  }

  /// Loads and verifies all metadata, starting from a trusted root. Accepts expired metadata and signatures
  /// by former roots' keys, because a publisher must read such metadata to replace it (see ``outdated``).
  /// Former roots are `formerRoots` and the earlier roots of the chain.
  ///
  /// If `earlier` is given, verifies a series again only if its keys, entry or file have changed. `isUnchanged` reports
  /// whether a file is the one that was read for `earlier`.
  package init(
    root: [UInt8], formerRoots: [Root] = [], after earlier: PublishedMetadata? = nil,
    isUnchanged: (_ name: String) throws -> Bool = { _ in false }, read: (_ name: String) throws -> [UInt8]?
  ) throws {
    func file(_ name: String) throws -> [UInt8] {
      guard let bytes = try read(name) else { throw TrustError.missingFile(name: name) }
      return bytes
    }
    var (trusted, formerRoots) = try Self.newestRoot(root, formerRoots, read)
    _ = try trusted.updateTimestamp(file(MetadataName.unversioned(Timestamp.type)))
    guard let timestamp = trusted.timestamp else { throw TrustError.outOfOrder(role: Timestamp.type) }
    let snapshot = try trusted.updateSnapshot(
      file(MetadataName.versioned(SnapshotRole.type, timestamp.snapshot.version)))
    let version = try trusted.announced(Targets.type).version
    let targets = try trusted.updateTargets(file(MetadataName.versioned(Targets.type, version)))
    self.init(root: trusted.root, timestamp: timestamp, snapshot: snapshot, targets: targets)
    (self.formerRoots, outdated) = (formerRoots, Set(trusted.outdated.compactMap(KeyRole.init(rawValue:))))
    let known = earlier.flatMap { hasSameSigners(as: $0) ? $0 : nil }
    for series in delegatedSeries where snapshot.lists(series) {
      let announced = try trusted.announced(series.roleName)
      let name = MetadataName.versioned(series.roleName, announced.version)
      if let known, announced == known.snapshot.meta["\(series.roleName).json"], try isUnchanged(name) {
        self.series[series] = known.series[series]
        continue
      }
      let role = try trusted.updateTargets(file(name), role: series.roleName, delegator: Targets.type)
      self.series[series] = PublishedSeries(
        metadata: try trusted.series(series), version: role.version, expires: role.expires)
    }
  }

  /// Whether clients of this root can read the metadata without a newer root.
  package static func suits(root: [UInt8], read: (_ name: String) throws -> [UInt8]?) -> Bool {
    let suffix = ".\(MetadataName.unversioned(Root.type))"
    return (try? PublishedMetadata(root: root) { $0.hasSuffix(suffix) ? nil : try read($0) }) != nil
  }

  private func hasSameSigners(as other: Self) -> Bool {
    root == other.root && formerRoots == other.formerRoots && targets.delegations == other.targets.delegations
  }

  private static func newestRoot(
    _ root: [UInt8], _ formerRoots: [Root], _ read: (String) throws -> [UInt8]?
  ) throws -> (TrustedMetadataSet, formerRoots: [Root]) {
    var (trusted, formerRoots) = (try TrustedMetadataSet(root: root, now: .distantPast), formerRoots)
    while let bytes = try read(MetadataName.versioned(Root.type, trusted.root.version + 1)) {
      formerRoots.append(trusted.root)
      try trusted.updateRoot(bytes)
    }
    trusted.formerRoots = formerRoots
    return (trusted, formerRoots)
  }

  /// The delegated series, including those that were never published.
  package var delegatedSeries: [SeedSeries] {
    (targets.delegations?.roles ?? []).compactMap { SeedSeries(roleName: $0.name) }
  }

  /// Returns the keys that sign a role's metadata; nil for the series if there are no delegations.
  package func keys(of role: KeyRole) -> RoleKeys? {
    role == .series ? targets.delegations?.roles.first?.keys : root.roles[role.rawValue]
  }
}
