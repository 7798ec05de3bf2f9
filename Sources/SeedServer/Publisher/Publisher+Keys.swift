import SeedFormat
package import SeedSystem
package import SeedTrust

/// What became of a change of keys.
package enum KeyChangeOutcome: Sendable {
  /// It is published.
  case published(PublishedMetadata)
  /// It waits for these signatures.
  case waits([SignatureNeed])
}

extension Publisher {
  /// Changes root or targets metadata in one durable step: what `propose` makes is signed with the keys at hand,
  /// and published together with all that follows from it, or waits for further signatures.
  package func changeKeys(
    lifetimeSeconds: Int, now: UTCTime,
    _ propose: (PublishedMetadata, RepositorySigner) throws -> OfflineChange
  ) throws -> KeyChangeOutcome {
    try working(.waiting, checkingKeys: false) { published in
      var update = try PublicationUpdate(self, lifetimeSeconds: lifetimeSeconds, now: now, after: published)
      let pending = PendingChange(stateFolder)
      guard try pending.read().isEmpty else { throw PublicationError.changeWaits }
      var change = try propose(update.published, update.attendedSigner)
      change.sign(with: keys, after: update.published)
      // A change that only waits may be signed elsewhere; one that is complete must be published from here.
      if change.isComplete(after: update.published) { try update.check(change) }
      return try finish(change, &update)
    }
  }

  /// Publishes a change that a process had begun to publish when it died; what is published then, `nil` where there was
  /// none. To be asked before keys are made for another change.
  package func finishChange(lifetimeSeconds: Int, now: UTCTime) throws -> PublishedMetadata? {
    try working(.waiting, checkingKeys: false) { published in
      var update = try PublicationUpdate(self, lifetimeSeconds: lifetimeSeconds, now: now, after: published)
      return try update.adoptPending() ? update.published : nil
    }
  }

  /// Adds signatures that were made elsewhere to the change that waits.
  package func addSignatures(
    lifetimeSeconds: Int, now: UTCTime,
    _ add: (inout OfflineChange, PublishedMetadata) throws -> Void
  ) throws -> KeyChangeOutcome {
    try working(.waiting, checkingKeys: false) { published in
      var change = try PendingChange(stateFolder).read()
      guard !change.isEmpty else { throw PublicationError.noChange }
      if let (role, time) = change.expired(at: now) {
        throw PublicationError.changeExpired(role: role, at: time)
      }
      try add(&change, published)
      change.sign(with: keys, after: published)
      var update = try PublicationUpdate(self, lifetimeSeconds: lifetimeSeconds, now: now, after: published)
      return try finish(change, &update)
    }
  }

  private func finish(_ change: OfflineChange, _ update: inout PublicationUpdate) throws -> KeyChangeOutcome {
    try PendingChange(stateFolder).write(change)
    guard try update.adoptPending() else { return .waits(change.needs(after: update.published)) }
    return .published(update.published)
  }

  /// The change that waits for signatures; empty where there is none.
  package func pendingChange() throws -> OfflineChange { try PendingChange(stateFolder).read() }

  /// Drops the change that waits for signatures.
  package func discardChange() throws {
    try working(.waiting, checkingKeys: false) { _ in try PendingChange(stateFolder).write(.none) }
  }
}
