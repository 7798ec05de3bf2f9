package import SeedFormat
package import SeedTrust

extension RepositorySigner {
  package func renewedRoot(after published: PublishedMetadata) -> Root {
    var next = published.root
    next.header = rootHeader(after: published)
    return next
  }

  /// The next root, with other keys for these roles. If too few of the old root's keys are left to sign it, it starts a
  /// separate chain: new apps must ship it, and installed apps stay with the old root until it expires.
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
  /// Whether `next` names none of a role's current keys, so that clients ignore their signatures.
  func isReplaced(_ role: KeyRole, by next: Root) -> Bool {
    let (old, new) = (root.roles[role.rawValue]?.keyIDs ?? [], next.roles[role.rawValue]?.keyIDs ?? [])
    return Set(old).isDisjoint(with: new)
  }
}
