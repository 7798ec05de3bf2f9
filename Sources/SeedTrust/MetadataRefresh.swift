package import SeedFormat
package import SeedSystem

/// Fetches at most `maxBytes` of a metadata file such as `2.root.json`; returns nil if it does not exist.
package typealias MetadataFetcher = @Sendable (_ name: String, _ maxBytes: Int) async throws -> [UInt8]?

/// The client's metadata files by unversioned name: `root.json`, `timestamp.json`, `transit-2.json`.
package struct StoredMetadata {
  package let read: (_ fileName: String) throws -> [UInt8]?
  /// Replaces a file durably with verified, unmodified bytes (root, timestamp, TUF snapshot role or targets).
  package let persist: (_ fileName: String, _ bytes: [UInt8]) throws -> Void

  package init(
    read: @escaping (_ fileName: String) throws -> [UInt8]?,
    persist: @escaping (_ fileName: String, _ bytes: [UInt8]) throws -> Void
  ) { (self.read, self.persist) = (read, persist) }
}

/// TUF's client workflow: fetches metadata in order and persists accepted files.
package struct MetadataRefresh {
  private let stored: StoredMetadata
  private let fetch: MetadataFetcher
  package private(set) var trusted: TrustedMetadataSet
  /// The repository's timestamp, if `unchanged(_:)` fetched it and no newer root was found since.
  private var heard: [UInt8]?

  /// Starts from the shipped root or the stored one, whichever is newer; ignores a damaged stored root.
  package init(
    shippedRoot: [UInt8], stored: StoredMetadata, fetch: @escaping MetadataFetcher, now: UTCTime
  ) throws {
    self.stored = stored
    self.fetch = fetch
    trusted = try TrustedMetadataSet(root: shippedRoot, now: now)
    if let bytes = try stored.read(MetadataName.unversioned(Root.type)),
      let own = try? TrustedMetadataSet(root: bytes, now: now), own.root.version > trusted.root.version
    {
      trusted = own
    }
  }

  /// Returns the verified metadata of one series. Unlike TUF, throws if a timestamp has the trusted version
  /// but different content, because this proves that the publisher was restored from an old backup.
  ///
  /// If `asksForRoot` is false, the next root is fetched only if the repository's timestamp differs from the trusted
  /// one. If the two are equal, nothing new was signed, not even with a stolen key.
  package static func refresh(
    series: SeedSeries, shippedRoot: [UInt8], stored: StoredMetadata, fetch: @escaping MetadataFetcher,
    now: UTCTime, asksForRoot: Bool = true
  ) async throws -> SeriesMetadata {
    var refresh = try MetadataRefresh(shippedRoot: shippedRoot, stored: stored, fetch: fetch, now: now)
    if !asksForRoot, let known = try await refresh.unchanged(series) { return known }
    try await refresh.topLevel(refusingConflicts: true)
    return try await refresh.series(series)
  }

  private mutating func series(_ series: SeedSeries) async throws -> SeriesMetadata {
    try await targets(series.roleName, delegator: Targets.type)
    return try trusted.series(series)
  }

  /// Returns the trusted metadata if the repository's timestamp is the trusted one; nil if the full workflow is needed.
  private mutating func unchanged(_ series: SeedSeries) async throws -> SeriesMetadata? {
    let name = MetadataName.unversioned(Timestamp.type)
    var trial = self
    do {
      guard let own = try stored.read(name) else { return nil }
      try trial.trusted.loadStoredTimestamp(own)
      let bytes = try await required(name, Timestamp.type, nil)
      heard = bytes
      guard try trial.trusted.updateTimestamp(bytes) == .same else { return nil }
      try await trial.snapshot()
      try await trial.targets(Targets.type, delegator: nil)
      return try await trial.series(series)
    } catch is TrustError { return nil }
  }

  /// Updates root, timestamp, TUF snapshot role and targets, in this order. If a different timestamp has the trusted
  /// version, keeps the trusted timestamp, as TUF requires, or throws if `refusingConflicts` is set.
  package mutating func topLevel(refusingConflicts: Bool = false) async throws {
    try await roots()
    try await timestamp(refusingConflicts)
    try await snapshot()
    try await targets(Targets.type, delegator: nil)
  }

  private mutating func roots() async throws {
    for _ in 0..<Limits.rootRotations {
      let name = MetadataName.versioned(Root.type, trusted.root.version + 1)
      guard let bytes = try await download(name, Root.type, limit: Limits.rootBytes) else { break }
      try trusted.updateRoot(bytes)
      // A timestamp that was fetched before this root may be signed by a revoked key.
      heard = nil
      try stored.persist(MetadataName.unversioned(Root.type), bytes)
    }
    try trusted.checkRoot()
  }

  private mutating func timestamp(_ refusesConflicts: Bool) async throws {
    let name = MetadataName.unversioned(Timestamp.type)
    // Ignores a stored copy that is damaged or signed by replaced keys.
    if let bytes = try stored.read(name) { try? trusted.loadStoredTimestamp(bytes) }
    let bytes = if let heard { heard } else { try await required(name, Timestamp.type, nil) }
    switch try trusted.updateTimestamp(bytes) {
    case .newer: try stored.persist(name, bytes)
    case .conflicting where refusesConflicts:
      throw TrustError.conflict(role: Timestamp.type, version: trusted.timestamp?.version ?? 0)
    case .same, .conflicting: break
    }
  }

  private mutating func snapshot() async throws {
    let name = MetadataName.unversioned(SnapshotRole.type)
    if let bytes = try stored.read(name), (try? trusted.loadStoredSnapshot(bytes)) == true { return }
    guard let announced = trusted.timestamp?.snapshot else {
      throw TrustError.outOfOrder(role: SnapshotRole.type)
    }
    let bytes = try await required(repositoryName(SnapshotRole.type, announced), SnapshotRole.type, announced)
    try trusted.updateSnapshot(bytes)
    try stored.persist(name, bytes)
  }

  /// Updates one targets role: from the stored copy if it is the announced version, otherwise from the repository.
  package mutating func targets(_ role: String, delegator: String?) async throws {
    let name = MetadataName.unversioned(role)
    if let bytes = try stored.read(name),
      (try? trusted.updateTargets(bytes, role: role, delegator: delegator)) != nil
    {
      return
    }
    let announced = try trusted.announced(role)
    let bytes = try await required(repositoryName(role, announced), role, announced)
    try trusted.updateTargets(bytes, role: role, delegator: delegator)
    try stored.persist(name, bytes)
  }

  // MARK: Files

  private func repositoryName(_ role: String, _ announced: MetaFile) -> String {
    trusted.root.consistentSnapshot
      ? MetadataName.versioned(role, announced.version) : MetadataName.unversioned(role)
  }

  private func required(_ name: String, _ role: String, _ announced: MetaFile?) async throws -> [UInt8] {
    let limit = min(announced?.length ?? Limits.metadataBytes, Limits.metadataBytes)
    guard let bytes = try await download(name, role, limit: limit) else {
      throw TrustError.missingFile(name: name)
    }
    return bytes
  }

  private func download(_ name: String, _ role: String, limit: Int) async throws -> [UInt8]? {
    let bytes = try await fetch(name, limit)
    guard (bytes?.count ?? 0) <= limit else { throw TrustError.tooLong(role: role, limit: limit) }
    return bytes
  }
}
