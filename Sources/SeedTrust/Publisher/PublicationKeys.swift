/// The secret keys of one role, and how many of them must sign.
package struct RoleSigners: Sendable {
  /// The keys at hand.
  package let keys: [SigningKey]
  /// How many must sign.
  package let threshold: Int

  /// Some keys; one of them is enough unless said otherwise.
  package init(_ keys: [SigningKey], threshold: Int = 1) {
    self.keys = keys
    self.threshold = threshold
  }

  /// What others need to know of them.
  package var verifiers: RoleVerifiers { RoleVerifiers(keys.map(\.publicKey), threshold: threshold) }
}

/// The public keys of one role, and how many of them must have signed.
package struct RoleVerifiers: Hashable, Sendable {
  /// The keys that count.
  package let keys: [PublicKey]
  /// How many must have signed.
  package let threshold: Int

  /// Some keys; one of them is enough unless said otherwise.
  package init(_ keys: [PublicKey], threshold: Int = 1) {
    self.keys = keys
    self.threshold = threshold
  }

  static func keysByID(_ roles: some Sequence<RoleVerifiers>) -> [String: RoleKey] {
    let pairs = roles.flatMap(\.keys).map { ($0.keyID, RoleKey($0)) }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }
}

/// The keys of a publication. Root and targets are offline; the publisher's host has the other three.
package struct PublicationKeys: Sendable {
  /// Sign root metadata.
  package var root: RoleSigners
  /// Sign the top-level targets metadata.
  package var targets: RoleSigners
  /// Sign what belongs to a publication step.
  package var online: OnlineKeys

  /// All keys of a publication.
  package init(root: RoleSigners, targets: RoleSigners, online: OnlineKeys) {
    self.root = root
    self.targets = targets
    self.online = online
  }

  /// The keys that root metadata names, by role.
  package var rootVerifiers: [String: RoleVerifiers] {
    [
      Root.type: root.verifiers, Targets.type: targets.verifiers,
      SnapshotRole.type: online.snapshot.verifiers,
      Timestamp.type: online.timestamp.verifiers,
    ]
  }
}

/// The keys that the publisher's host needs at every step.
package struct OnlineKeys: Sendable {
  /// Sign the series' roles.
  package var series: RoleSigners
  /// Sign the TUF snapshot role.
  package var snapshot: RoleSigners
  /// Sign the timestamp.
  package var timestamp: RoleSigners

  /// The three online roles' keys.
  package init(series: RoleSigners, snapshot: RoleSigners, timestamp: RoleSigners) {
    self.series = series
    self.snapshot = snapshot
    self.timestamp = timestamp
  }
}
