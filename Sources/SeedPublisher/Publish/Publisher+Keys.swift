import SeedFormat
import SeedPublication
package import SeedSigning
package import SeedSystem
package import SeedTrust

/// The keys of a long-running publisher, reloaded when they no longer match those that the metadata names.
package final class KeySource: Sendable {
  private let keys: Mutex<KeyRing>
  /// Reads the keys as a new process would.
  private let load: @Sendable () throws -> KeyRing

  package init(_ keys: KeyRing, load: @escaping @Sendable () throws -> KeyRing) {
    self.keys = Mutex(keys)
    self.load = load
  }

  package convenience init(_ keys: KeyRing) { self.init(keys) { keys } }

  var current: KeyRing { keys.withLock(\.self) }

  func reload() throws {
    let found = try load()
    keys.withLock { $0 = found }
  }
}

package enum KeyChangeOutcome: Sendable {
  case published(PublishedMetadata)
  /// The change needs these signatures.
  case waits([SignatureNeed])
}

extension Publisher {
  var keys: KeyRing { keySource.current }

  /// Rejects another deployment's publication, because its clients would reject signatures by these keys.
  func checkKeys(_ published: PublishedMetadata) throws {
    do {
      try checkKeysAtHand(published)
    } catch {
      try keySource.reload()
      try checkKeysAtHand(published)
    }
  }

  private func checkKeysAtHand(_ published: PublishedMetadata) throws(PublicationError) {
    for role in KeyRole.allCases where !role.isOffline {
      guard let needed = published.keys(of: role), !keys.canSign(for: needed) else { continue }
      let found = keys.signers(of: needed).count
      guard found == 0, !keys[role].isEmpty else {
        throw .keyMissing(role: role, found: found, needed: needed.threshold)
      }
      throw .foreignKey(role: role, path: publication.path)
    }
  }

  /// Returns the delegated keys. If too few of them are available to sign, as in a new epoch, returns the local keys.
  func seriesVerifiers(_ published: PublishedMetadata) -> RoleVerifiers {
    guard let known = published.targets.delegations?.verifiers, keys.canSign(for: published.keys(of: .series))
    else { return keys.verifiers(.series) }
    return known
  }

  /// Signs the change that `propose` returns. Publishes it, or stores it until it has enough signatures.
  package func changeKeys(
    lifetimeSeconds: Int, now: UTCTime,
    _ propose: (PublishedMetadata, RepositorySigner) throws -> OfflineChange
  ) throws -> KeyChangeOutcome {
    try withUpdate(lifetimeSeconds, now) { update in
      guard try pendingChange().isEmpty else { throw PublicationError.changeWaits }
      var change = try propose(update.published, update.attendedSigner)
      change.sign(with: keys, after: update.published)
      // An incomplete change may be signed elsewhere, but a complete one must be publishable with the available keys.
      if change.isComplete(after: update.published) { try update.rehearse(change) }
      return try finish(change, &update)
    }
  }

  /// Publishes a complete change left by a crash. Returns `nil` if there is none. Call this before another change.
  package func finishChange(lifetimeSeconds: Int, now: UTCTime) throws -> PublishedMetadata? {
    try withUpdate(lifetimeSeconds, now) { update in try update.adoptPending() ? update.published : nil }
  }

  package func addSignatures(
    lifetimeSeconds: Int, now: UTCTime, _ add: (inout OfflineChange, PublishedMetadata) throws -> Void
  ) throws -> KeyChangeOutcome {
    try withUpdate(lifetimeSeconds, now) { update in
      var change = try pendingChange()
      // A change that came from an old backup does not count; the next step drops it.
      guard !change.isEmpty, change.rest(after: update.published) != nil else {
        throw PublicationError.noChange
      }
      if let (role, time) = change.expired(at: now) {
        throw PublicationError.changeExpired(role: role, at: time)
      }
      try add(&change, update.published)
      change.sign(with: keys, after: update.published)
      return try finish(change, &update)
    }
  }

  /// Returns the pending change, or an empty one. It is stored before it is published, so a crash does not lose it.
  package func pendingChange() throws -> OfflineChange {
    guard let bytes = try DurableFile.readIfPresent(pendingFile, limit: PublicationDirectory.mostFileBytes)
    else { return .none }
    do {
      return try OfflineChange(parsing: bytes)
    } catch { throw PublicationError.damagedChange(file: pendingFile) }
  }

  func keep(pending change: OfflineChange) throws {
    if change.isEmpty { return try Folder.remove(pendingFile) }
    try DurableFile.write(change.bytes, to: pendingFile)
  }

  /// Writes the root.json for apps. Do this before removing the pending change, so that a retry finishes it.
  func ship(_ root: Root) throws {
    guard let shippedRoot,
      let bytes = try publication.metadata(MetadataName.versioned(Root.type, root.version))
    else { return }
    try DurableFile.write(bytes, to: shippedRoot)
  }

  private var pendingFile: String { "\(stateFolder)/pending-keys.json" }

  package func discardChange() throws {
    try withPublication(checkingKeys: false) { _ in try keep(pending: .none) }
  }

  private func withUpdate<Result>(
    _ lifetimeSeconds: Int, _ now: UTCTime, _ body: (inout PublicationUpdate) throws -> Result
  ) throws -> Result {
    try withPublication(checkingKeys: false) { published in
      var update = try PublicationUpdate(self, lifetimeSeconds: lifetimeSeconds, now: now, after: published)
      return try body(&update)
    }
  }

  private func finish(_ change: OfflineChange, _ update: inout PublicationUpdate) throws -> KeyChangeOutcome {
    try keep(pending: change)
    guard try update.adoptPending() else { return .waits(change.needs(after: update.published)) }
    return .published(update.published)
  }
}
