import SeedFormat
package import SeedSystem
package import SeedTrust

/// Until when one role of a publication counts as signed.
package struct SignatureExpiry: Hashable, Sendable {
  /// How a role stands at a moment.
  package enum State: String, CaseIterable, Sendable {
    /// Clients accept it.
    case valid
    /// It is time to fetch the key that is kept offline.
    case expiring
    /// Clients refuse what is published.
    case expired
  }

  /// The role's name in the metadata, such as `root` or `transit-2`.
  package let role: String
  /// The moment from which clients refuse it.
  package let expires: UTCTime
  /// Whether the role's key may be kept where no publisher can renew the signatures by itself.
  package let isOffline: Bool

  init(_ role: String, _ expires: UTCTime, isOffline: Bool = false) {
    (self.role, self.expires, self.isOffline) = (role, expires, isOffline)
  }

  /// How it stands at `now`.
  package func state(at now: UTCTime) -> State {
    if expires <= now { return .expired }
    let warning = expires.adding(days: -RepositorySigner.warningDays)
    return isOffline && warning <= now ? .expiring : .valid
  }
}

extension [SignatureExpiry] {
  /// What people should know of them, a sentence for all roles of which the same is to be said.
  func warnings(at now: UTCTime) -> [String] {
    let sentences: [(state: SignatureExpiry.State, verb: String, consequence: String)] = [
      (.expired, "expired", "clients refuse what is published"),
      (.expiring, "expire", "from then on clients refuse what is published"),
    ]
    return sentences.compactMap { state, verb, consequence in
      let found = filter { $0.state(at: now) == state }
      guard let first = found.map(\.expires).min() else { return nil }
      let roles = found.map(\.role).joined(separator: ", ")
      let date = found.count == 1 ? " on \(first)" : ", the first of them on \(first)"
      return "The signatures of \(roles) \(verb)\(date): \(consequence)"
    }
  }
}

extension PublishedMetadata {
  /// All roles, in the order in which a client reads them.
  package var signatures: [SignatureExpiry] {
    let roles = series.sorted { $0.key < $1.key }.map { SignatureExpiry($0.key.roleName, $0.value.expires) }
    return [
      SignatureExpiry(Root.type, root.expires, isOffline: true),
      SignatureExpiry(Timestamp.type, timestamp.expires),
      SignatureExpiry(SnapshotRole.type, snapshot.expires),
      SignatureExpiry(Targets.type, targets.expires, isOffline: true),
    ] + roles
  }
}
