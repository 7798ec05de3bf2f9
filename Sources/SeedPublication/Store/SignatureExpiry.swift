import SeedFormat
package import SeedSystem
package import SeedTrust

package struct SignatureExpiry: Hashable, Sendable {
  package enum State: String, CaseIterable, Sendable {
    case valid
    /// Expires soon, so the operator must fetch the offline key.
    case expiring
    /// Expires soon, although a running publisher would have renewed this online signature long ago.
    case notRenewed
    case expired
  }

  /// The role's name in the metadata, such as `root` or `transit-2`.
  package let role: String
  package let expires: UTCTime
  /// Whether the role's key may be offline, so that no publisher can renew the signatures.
  package let isOffline: Bool

  init(_ role: String, _ expires: UTCTime, isOffline: Bool = false) {
    (self.role, self.expires, self.isOffline) = (role, expires, isOffline)
  }

  /// Operators are warned this many days before root or targets expire, because they may have to fetch their keys.
  package static let warningDays = 60
  /// Online signatures count as not renewed in the last third of their lifetime. Publishers renew them much earlier.
  package static let notRenewedShare = 3

  /// The state at `now`. `lifetimeSeconds` is the lifetime of online signatures, if known.
  package func state(at now: UTCTime, lifetimeSeconds: Int? = nil) -> State {
    if expires <= now { return .expired }
    if isOffline { return expires.adding(days: -Self.warningDays) <= now ? .expiring : .valid }
    let left = expires.secondsSinceEpoch - now.secondsSinceEpoch
    return lifetimeSeconds.map { left < $0 / Self.notRenewedShare } == true ? .notRenewed : .valid
  }
}

extension [SignatureExpiry] {
  /// Returns one sentence per state, which lists all roles in that state.
  package func warnings(at now: UTCTime, lifetimeSeconds: Int? = nil) -> [String] {
    let sentences: [(state: SignatureExpiry.State, verb: String, consequence: String)] = [
      (.expired, "expired", "clients reject the publication"),
      (.expiring, "expire", "clients then reject the publication"),
      (
        .notRenewed, "end", "no process renews them. Start 'seedbank run' or a timer of 'seedbank regenerate'"
      ),
    ]
    return sentences.compactMap { state, verb, consequence in
      let found = filter { $0.state(at: now, lifetimeSeconds: lifetimeSeconds) == state }
      guard let first = found.map(\.expires).min() else { return nil }
      let roles = found.map(\.role).joined(separator: ", ")
      let date = found.count == 1 ? " on \(first)" : ", the first of them on \(first)"
      return "The signatures of \(roles) \(verb)\(date): \(consequence)"
    }
  }
}

extension PublishedMetadata {
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
