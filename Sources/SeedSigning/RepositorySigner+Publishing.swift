import SeedFormat
package import SeedTrust

extension RepositorySigner {
  /// Signs a publication step: new root and targets metadata if any, the changed series' roles, the TUF snapshot
  /// role and the timestamp. If a new root replaces keys and the old ones are still available, signs each file with
  /// both. Clients of either root can then read the publication between any two file writes.
  package func publish(
    _ changed: [SeriesMetadata], adopting change: OfflineChange = .none, after published: PublishedMetadata,
    keys: KeyRing
  ) throws -> SigningStep {
    var draft = try StepDraft(self, change, after: published, keys)
    for metadata in changed { try draft.sign(metadata) }
    try draft.signOthers()
    return try draft.finish()
  }

  fileprivate func mustResignTargets(_ published: PublishedMetadata, under root: Root) -> Bool {
    let isSame = published.root.roles[Targets.type] == root.roles[Targets.type]
    let isKept = isSame && !published.outdated.contains(.targets)
    return !isKept || published.isReplaced(.snapshot, by: root) && isBeyondClock(published.targets.version)
  }
}

private struct StepDraft {
  private let signer: RepositorySigner
  private let root: Metadata<Root>?
  private let published: PublishedMetadata
  private let keys: KeyRing
  private var next: PublishedMetadata
  private var files: [MetadataFile] = []
  private var signed: Set<SeedSeries> = []
  /// Entries outlive their delegations, because clients reject a TUF snapshot role that drops an entry.
  private var meta: [String: MetaFile]
  /// Whether clients with the old root accept all files so far.
  private var suitsOldRoot = true
  private let isRestarting: Bool

  init(
    _ signer: RepositorySigner, _ change: OfflineChange, after published: PublishedMetadata, _ keys: KeyRing
  ) throws {
    self.signer = signer
    self.published = published
    self.keys = keys
    root = change.root
    next = published
    meta = signer.naming(lostSeriesIn: published.snapshot.meta)
    isRestarting = published.isReplaced(.snapshot, by: change.root(after: published))
    if let root { try take(root) }
    try takeTargets(change.targets)
  }

  private mutating func take(_ root: Metadata<Root>) throws {
    if root.signed.follows(published.root) { try root.check(Root.type, signedFor: published.root) }
    try root.check(Root.type, signedFor: root.signed)
    next.root = root.signed
    next.formerRoots.append(published.root)
  }

  /// Uses the given targets metadata, or signs the published one again if its keys were replaced.
  private mutating func takeTargets(_ given: Metadata<Targets>?) throws {
    var targets = given
    if targets == nil, signer.mustResignTargets(published, under: next.root) {
      targets = try sign(signer.renewedTargets(under: next.root, after: published), Targets.type)
    }
    guard let targets else { return }
    try targets.check(Targets.type, signedFor: next.root)
    next.targets = targets.signed
    add(targets, Targets.type)
    meta["targets.json"] = MetaFile(version: next.targets.version, of: targets.bytes)
  }

  mutating func sign(_ metadata: SeriesMetadata) throws {
    let name = metadata.series.roleName
    let version = try signer.following(meta["\(name).json"]?.version ?? 0, of: name, restarting: isRestarting)
    let former = published.series[metadata.series]?.expires
    let expires = signer.header(version: version, of: metadata.series, after: former).expires
    let role = metadata.role(version: version, expires: expires)
    let file = try signer.sign(role, name, keys, for: next.targets).file(name)
    meta["\(name).json"] = MetaFile(version: version, of: file.bytes)
    files.append(file)
    signed.insert(metadata.series)
    next.series[metadata.series] = .init(metadata: metadata, version: version, expires: expires)
  }

  mutating func signOthers() throws {
    for (series, other) in published.series.sorted(by: { $0.key < $1.key }) where !signed.contains(series) {
      guard let needed = next.targets.roleKeys(of: series.roleName) else { continue }
      let isSame = needed == published.targets.roleKeys(of: series.roleName)
      if isSame, !isRestarting || !signer.isBeyondClock(other.version) { continue }
      try sign(other.metadata)
    }
  }

  mutating func finish() throws -> SigningStep {
    let snapshot = try signSnapshotRole()
    let timestamp = published.timestamp.header
    let version = try signer.following(
      timestamp.version, of: Timestamp.type, restarting: published.isReplaced(.timestamp, by: next.root))
    next.timestamp = Timestamp(
      header: signer.header(version: version, after: timestamp.expires), snapshot: snapshot)
    add(try sign(next.timestamp, Timestamp.type), Timestamp.type)
    next.outdated = []
    return SigningStep(files: ordered, published: next)
  }

  /// Signs no new version if nothing has changed, so that clients have one fewer file to fetch.
  private mutating func signSnapshotRole() throws -> MetaFile {
    let old = published.snapshot
    let isKept =
      published.root.roles[SnapshotRole.type] == next.root.roles[SnapshotRole.type]
      && !published.outdated.contains(.snapshot)
    let header = signer.header(version: old.version, after: old.expires)
    if isKept, meta == old.meta, header.expires == old.expires { return published.timestamp.snapshot }
    // Clients also remember this version from the timestamp, so it restarts only if the keys of both roles are replaced.
    let isForgotten = isRestarting && published.isReplaced(.timestamp, by: next.root)
    let version = try signer.following(old.version, of: SnapshotRole.type, restarting: isForgotten)
    next.snapshot = SnapshotRole(header: RoleHeader(version: version, expires: header.expires), meta: meta)
    let signed = try sign(next.snapshot, SnapshotRole.type)
    add(signed, SnapshotRole.type)
    return MetaFile(version: version, of: signed.bytes)
  }

  /// The files in the order of writing. `timestamp.json` comes after all files that it announces. A new root comes
  /// last if clients with the old root can read these files. Otherwise it comes just before the timestamp,
  /// so that the change from the old state to the new one takes only these two writes.
  private var ordered: [MetadataFile] {
    guard let root = root?.file(Root.type) else { return files }
    return suitsOldRoot ? files + [root] : files.dropLast() + [root] + files.suffix(1)
  }

  private func sign<Role: SignedRole>(_ role: Role, _ name: String) throws -> Metadata<Role> {
    try signer.sign(role, name, keys, for: next.root, former: root == nil ? nil : published.root)
  }

  private mutating func add<Role: SignedRole>(_ metadata: Metadata<Role>, _ name: String) {
    do throws(TrustError) {
      try metadata.check(name, signedFor: published.root)
    } catch { suitsOldRoot = false }
    files.append(metadata.file(name))
  }
}
