package import SeedFormat

/// The current metadata of a publication, verified: what the publisher signs the next step upon, and a front
/// serves.
package struct PublishedMetadata: Sendable {
  /// The newest root.
  package internal(set) var root: Root
  /// The timestamp.
  package internal(set) var timestamp: Timestamp
  /// The TUF snapshot role.
  package internal(set) var snapshot: SnapshotRole
  /// The top-level targets role.
  package internal(set) var targets: Targets
  /// The series that were published at least once.
  package internal(set) var series: [Series: PublishedSeries] = [:]

  /// One series' role: what it says, and its metadata's version and expiry.
  package struct PublishedSeries: Hashable, Sendable {
    /// What it says.
    package let metadata: SeriesMetadata
    /// The version of the role's metadata.
    package let version: Int
    /// When the role's metadata expires.
    package let expires: UTCTime
  }

  /// Loads and verifies all of it, starting from a root that the caller trusts.
  ///
  /// Nothing counts as expired: a publisher that was down for long must be able to read what it is to sign
  /// anew. The expiry times stand in the roles.
  package init(root: [UInt8], read: (_ name: String) throws -> [UInt8]?) throws {
    var trusted = try TrustedMetadataSet(root: root, now: .distantPast)
    while let bytes = try read(MetadataName.versioned(Root.type, trusted.root.version + 1)) {
      try trusted.updateRoot(bytes)
    }
    _ = try trusted.updateTimestamp(Self.required(MetadataName.unversioned(Timestamp.type), read))
    guard let timestamp = trusted.timestamp else { throw TrustError.outOfOrder(role: Timestamp.type) }
    try trusted.updateSnapshot(
      Self.required(MetadataName.versioned(SnapshotRole.type, timestamp.snapshot.version), read))
    let version = try trusted.announced(Targets.type).version
    try trusted.updateTargets(Self.required(MetadataName.versioned(Targets.type, version), read))
    guard let snapshot = trusted.snapshot, let targets = trusted.targets[Targets.type] else {
      throw TrustError.outOfOrder(role: Targets.type)
    }
    self.init(root: trusted.root, timestamp: timestamp, snapshot: snapshot, targets: targets)
    series = try Self.series(&trusted, delegated: seriesInSnapshot, read)
  }

  init(root: Root, timestamp: Timestamp, snapshot: SnapshotRole, targets: Targets) {
    self.root = root
    self.timestamp = timestamp
    self.snapshot = snapshot
    self.targets = targets
  }

  /// The series to which targets delegates, whether published or not.
  package var delegatedSeries: [Series] {
    (targets.delegations?.roles ?? []).compactMap { Series(roleName: $0.name) }
  }

  /// When the first of the roles expires: from then on clients refuse what is published.
  package var expires: UTCTime {
    let roles = [root.expires, timestamp.expires, snapshot.expires, targets.expires]
    return (roles + series.values.map(\.expires)).min() ?? .distantPast
  }

  private var seriesInSnapshot: [Series] {
    delegatedSeries.filter { snapshot.meta["\($0.roleName).json"] != nil }
  }

  private static func series(
    _ trusted: inout TrustedMetadataSet, delegated: [Series], _ read: (String) throws -> [UInt8]?
  ) throws -> [Series: PublishedSeries] {
    var found: [Series: PublishedSeries] = [:]
    for series in delegated {
      let announced = try trusted.announced(series.roleName)
      let bytes = try required(MetadataName.versioned(series.roleName, announced.version), read)
      try trusted.updateDelegated(bytes, role: series.roleName)
      guard let role = trusted.targets[series.roleName] else { continue }
      found[series] = PublishedSeries(
        metadata: try trusted.series(series), version: role.version, expires: role.expires)
    }
    return found
  }

  private static func required(_ name: String, _ read: (String) throws -> [UInt8]?) throws -> [UInt8] {
    guard let bytes = try read(name) else { throw TrustError.missingFile(name: name) }
    return bytes
  }
}
