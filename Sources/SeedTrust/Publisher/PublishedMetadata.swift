package import SeedFormat
package import SeedSystem

/// The current metadata of a publication, verified: what the publisher signs the next step upon, and a front
/// serves.
package struct PublishedMetadata: Sendable {
  /// The newest root.
  package var root: Root
  /// The timestamp.
  package internal(set) var timestamp: Timestamp
  /// The TUF snapshot role.
  package internal(set) var snapshot: SnapshotRole
  /// The top-level targets role.
  package internal(set) var targets: Targets
  /// The series that were published at least once.
  package internal(set) var series: [Series: PublishedSeries] = [:]

  /// The roots before it, the oldest first.
  package internal(set) var formerRoots: [Root] = []
  /// Roles whose signatures are good by the keys of a former root alone: clients refuse them until they are signed anew.
  package internal(set) var outdated: Set<KeyRole> = []

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
  /// Nothing counts as expired: a publisher that was down for long must be able to read what it is to sign anew. For
  /// the same reason keys of former roots count, those of the chain and `formerRoots`: see ``outdated``.
  package init(
    root: [UInt8], formerRoots: [Root] = [], read: (_ name: String) throws -> [UInt8]?
  ) throws {
    self = try withoutActuallyEscaping(read) { read in
      var reading = try Reading(root: root, formerRoots: formerRoots, read)
      return try PublishedMetadata(&reading)
    }
  }

  private init(_ reading: inout Reading) throws {
    let timestamp = try reading.timestamp()
    let snapshot = try reading.snapshot(timestamp)
    let targets = try reading.targets()
    self.init(root: reading.trusted.root, timestamp: timestamp, snapshot: snapshot, targets: targets)
    (self.formerRoots, outdated) = (reading.formerRoots, reading.outdated)
    for series in seriesInSnapshot { self.series[series] = try reading.series(series) }
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

  /// The keys that sign a role's metadata; for the series those that are delegated to, `nil` before there are any.
  package func keys(of role: KeyRole) -> RoleKeys? {
    role == .series ? targets.delegations?.roles.first?.keys : root.roles[role.rawValue]
  }

  private var seriesInSnapshot: [Series] {
    delegatedSeries.filter { snapshot.meta["\($0.roleName).json"] != nil }
  }
}

/// Reads a publication from its root to its series.
private struct Reading {
  private let read: (String) throws -> [UInt8]?
  private(set) var trusted: TrustedMetadataSet
  private(set) var formerRoots: [Root]
  private(set) var outdated: Set<KeyRole> = []

  init(root: [UInt8], formerRoots: [Root], _ read: @escaping (String) throws -> [UInt8]?) throws {
    self.read = read
    self.formerRoots = formerRoots
    trusted = try TrustedMetadataSet(root: root, now: .distantPast)
    while let bytes = try read(MetadataName.versioned(Root.type, trusted.root.version + 1)) {
      self.formerRoots.append(trusted.root)
      try trusted.updateRoot(bytes)
    }
    trusted.acceptKeys(of: self.formerRoots)
  }

  mutating func timestamp() throws -> Timestamp {
    try accept(Timestamp.self, .timestamp, MetadataName.unversioned(Timestamp.type)) { trusted, bytes in
      _ = try trusted.updateTimestamp(bytes)
    }
    guard let timestamp = trusted.timestamp else { throw TrustError.outOfOrder(role: Timestamp.type) }
    return timestamp
  }

  mutating func snapshot(_ timestamp: Timestamp) throws -> SnapshotRole {
    let name = MetadataName.versioned(SnapshotRole.type, timestamp.snapshot.version)
    try accept(SnapshotRole.self, .snapshot, name) { trusted, bytes in try trusted.updateSnapshot(bytes) }
    guard let snapshot = trusted.snapshot else { throw TrustError.outOfOrder(role: SnapshotRole.type) }
    return snapshot
  }

  mutating func targets() throws -> Targets {
    let version = try trusted.announced(Targets.type).version
    try accept(Targets.self, .targets, MetadataName.versioned(Targets.type, version)) { trusted, bytes in
      try trusted.updateTargets(bytes)
    }
    guard let targets = trusted.targets[Targets.type] else { throw TrustError.outOfOrder(role: Targets.type) }
    return targets
  }

  mutating func series(_ series: Series) throws -> PublishedMetadata.PublishedSeries {
    let announced = try trusted.announced(series.roleName)
    try trusted.updateDelegated(
      required(MetadataName.versioned(series.roleName, announced.version)), role: series.roleName)
    guard let role = trusted.targets[series.roleName] else {
      throw TrustError.outOfOrder(role: series.roleName)
    }
    return PublishedMetadata.PublishedSeries(
      metadata: try trusted.series(series), version: role.version, expires: role.expires)
  }

  /// Takes a file in, and notes where its signatures are not good by the newest root's keys.
  private mutating func accept<Role: SignedRole>(
    _ type: Role.Type, _ role: KeyRole, _ name: String,
    _ update: (inout TrustedMetadataSet, [UInt8]) throws -> Void
  ) throws {
    let bytes = try required(name)
    try update(&trusted, bytes)
    guard !formerRoots.isEmpty else { return }
    do throws(TrustError) {
      try Metadata<Role>.read(bytes, role.rawValue).check(role.rawValue, signedFor: trusted.root)
    } catch {
      outdated.insert(role)
    }
  }

  private func required(_ name: String) throws -> [UInt8] {
    guard let bytes = try read(name) else { throw TrustError.missingFile(name: name) }
    return bytes
  }
}
