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
