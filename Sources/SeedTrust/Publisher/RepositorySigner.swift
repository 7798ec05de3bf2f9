package import SeedFormat

/// A metadata file to be written, by its name in the publication's metadata directory.
package struct MetadataFile: Hashable, Sendable {
  /// `3.targets.json`, `timestamp.json`, …
  package let name: String
  /// All of the file.
  package let bytes: [UInt8]
}

/// What a signing step yields.
package struct SigningStep: Sendable {
  /// The files in the order in which they must be written; `timestamp.json` is the last one.
  package let files: [MetadataFile]
  /// The publication's metadata once they are.
  package let published: PublishedMetadata
}

/// Signs the steps of a publication. Pure: keys and the previous metadata in, files out.
///
/// Every file is checked against the keys that its delegator names before it is handed out, so a wrong key is
/// the publisher's error and never a client's.
package struct RepositorySigner: Sendable {
  /// Days for which root metadata is valid.
  package static let rootDays = 365
  /// Days for which the top-level targets metadata is valid.
  package static let targetsDays = 180
  /// Days before the end of root and targets from which on operators are warned: whoever keeps their keys offline
  /// must fetch them first.
  package static let warningDays = 60
  /// Seconds for which the online roles are valid, unless said otherwise: 7 days.
  package static let onlineSeconds = 7 * UTCTime.secondsPerDay

  private let now: UTCTime
  private let lifetime: Int
  private let leastVersion: Int

  /// Signs as of `now`; the online roles will be valid for `lifetime` seconds.
  ///
  /// - Parameters:
  ///   - now: When it signs.
  ///   - lifetime: Seconds.
  ///   - leastVersion: What every version is at the least: after a disaster one that no client has seen.
  package init(now: UTCTime, lifetime: Int = RepositorySigner.onlineSeconds, leastVersion: Int = 1) {
    self.now = now
    self.lifetime = lifetime
    self.leastVersion = leastVersion
  }

  // MARK: Offline steps

  /// A new publication: all four top-level roles at version 1, no series published yet.
  package func create(delegating series: [Series], keys: PublicationKeys) throws -> SigningStep {
    let root = Root(
      header: header(version: 1, days: Self.rootDays), roles: keys.rootVerifiers)
    let file = try sign(root, Root.type, keys.root.keys, for: root)
    return try begin(under: root, file, delegating: series, targets: keys.targets.keys, online: keys.online)
  }

  /// The same under a root that clients trust already, where all that was signed under it is lost.
  package func create(
    under root: [UInt8], delegating series: [Series], targets: [SigningKey], online: OnlineKeys
  ) throws -> SigningStep {
    let trusted = try TrustedMetadataSet(root: root, now: .distantPast).root
    let file = MetadataFile(name: MetadataName.versioned(Root.type, trusted.version), bytes: root)
    return try begin(under: trusted, file, delegating: series, targets: targets, online: online)
  }

  private func begin(
    under root: Root, _ file: MetadataFile, delegating series: [Series], targets keys: [SigningKey],
    online: OnlineKeys
  ) throws -> SigningStep {
    let version = leastVersion
    let targets = targets(version: version, series, online.series.verifiers)
    let snapshot = SnapshotRole(
      header: header(online: version), meta: ["targets.json": MetaFile(version: version)])
    let timestamp = Timestamp(header: header(online: version), snapshot: MetaFile(version: version))
    return SigningStep(
      files: [
        file,
        try sign(targets, Targets.type, keys, for: root),
        try sign(snapshot, SnapshotRole.type, online.snapshot.keys, for: root),
        try sign(timestamp, Timestamp.type, online.timestamp.keys, for: root),
      ],
      published: PublishedMetadata(root: root, timestamp: timestamp, snapshot: snapshot, targets: targets))
  }

  /// The next root, naming other keys or renewed. Signed by the old root's keys and by its own.
  ///
  /// When the online or targets keys change, what they signed must follow in the same publication: see
  /// ``delegate(_:to:after:keys:)`` and ``publish(_:after:keys:)``.
  package func rotateRoot(
    to roles: [String: RoleVerifiers], after published: PublishedMetadata, signers: [SigningKey]
  ) throws -> SigningStep {
    var next = published
    next.root = Root(
      header: header(version: published.root.version + 1, days: Self.rootDays), roles: roles)
    let metadata = try Metadata(signing: next.root, with: signers)
    try metadata.check(Root.type, signedFor: published.root)
    try metadata.check(Root.type, signedFor: next.root)
    let file = MetadataFile(
      name: MetadataName.versioned(Root.type, next.root.version), bytes: metadata.bytes)
    return SigningStep(files: [file], published: next)
  }

  /// The next targets metadata, delegating these series. It counts once a publication step has announced it.
  package func delegate(
    _ series: [Series], to verifiers: RoleVerifiers, after published: PublishedMetadata, keys: [SigningKey]
  ) throws -> SigningStep {
    var next = published
    next.targets = targets(version: following(published.targets.version), series, verifiers)
    let file = try sign(next.targets, Targets.type, keys, for: published.root)
    return SigningStep(files: [file], published: next)
  }

  private func targets(version: Int, _ series: [Series], _ verifiers: RoleVerifiers) -> Targets {
    let roles = series.sorted().map { series in
      DelegatedRole(
        name: series.roleName, keys: RoleKeys(verifiers), terminating: true,
        paths: .patterns([series.targetPrefix + "*"]))
    }
    return Targets(
      header: header(version: version, days: Self.targetsDays), targets: [:],
      delegations: Delegations(keys: RoleVerifiers.keysByID([verifiers]), roles: roles))
  }

  // MARK: Online steps

  /// A publication step: the changed series' roles, then the TUF snapshot role, then the timestamp.
  package func publish(
    _ changed: [SeriesMetadata], after published: PublishedMetadata, keys: OnlineKeys
  ) throws -> SigningStep {
    var next = published
    var files: [MetadataFile] = []
    // Entries stay though a delegation went: a client that saw one refuses a TUF snapshot role without it.
    var meta = published.snapshot.meta
    meta["targets.json"] = MetaFile(version: published.targets.version)
    for metadata in changed {
      let name = metadata.series.roleName
      let role = metadata.role(
        version: following(meta["\(name).json"]?.version ?? 0),
        expires: expiry(notBefore: published.series[metadata.series]?.expires))
      meta["\(name).json"] = MetaFile(version: role.version)
      files.append(try sign(role, name, keys.series.keys, for: published.targets))
      next.series[metadata.series] = .init(metadata: metadata, version: role.version, expires: role.expires)
    }
    next.snapshot = SnapshotRole(header: online(after: published.snapshot.header), meta: meta)
    files.append(try sign(next.snapshot, SnapshotRole.type, keys.snapshot.keys, for: published.root))
    let last = try renewTimestamp(after: next, keys: keys)
    return SigningStep(files: files + last.files, published: last.published)
  }

  /// A fresh timestamp over the same metadata, for the hours in which nothing changes.
  package func renewTimestamp(after published: PublishedMetadata, keys: OnlineKeys) throws -> SigningStep {
    var next = published
    next.timestamp = Timestamp(
      header: online(after: published.timestamp.header),
      snapshot: MetaFile(version: published.snapshot.version))
    let file = try sign(next.timestamp, Timestamp.type, keys.timestamp.keys, for: published.root)
    return SigningStep(files: [file], published: next)
  }

  // MARK: Parts

  /// What was signed once is not signed for a shorter time: a clock that was set back would otherwise publish
  /// what has expired for everyone else.
  private func expiry(notBefore earlier: UTCTime? = nil) -> UTCTime {
    max(now.adding(seconds: lifetime), earlier ?? .distantPast)
  }

  private func header(online version: Int) -> RoleHeader { RoleHeader(version: version, expires: expiry()) }

  private func online(after header: RoleHeader) -> RoleHeader {
    RoleHeader(version: following(header.version), expires: expiry(notBefore: header.expires))
  }

  private func following(_ version: Int) -> Int { max(version + 1, leastVersion) }

  private func header(version: Int, days: Int) -> RoleHeader {
    RoleHeader(version: version, expires: now.adding(days: days))
  }

  private func sign<Role: SignedRole>(
    _ role: Role, _ name: String, _ keys: [SigningKey], for delegator: some Delegator
  ) throws -> MetadataFile {
    let metadata = try Metadata(signing: role, with: keys)
    try metadata.check(name, signedFor: delegator)
    let isVersioned = Role.type != Timestamp.type
    return MetadataFile(
      name: isVersioned ? MetadataName.versioned(name, role.version) : MetadataName.unversioned(name),
      bytes: metadata.bytes)
  }
}
