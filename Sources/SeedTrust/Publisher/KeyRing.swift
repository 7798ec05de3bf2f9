/// The secret keys at hand, by the role that they are kept for.
package struct KeyRing: Sendable {
  private var keys: [KeyRole: [SigningKey]]

  /// Some keys by role.
  package init(_ keys: [KeyRole: [SigningKey]] = [:]) { self.keys = keys }

  /// The keys that are kept for a role.
  package subscript(role: KeyRole) -> [SigningKey] {
    get { keys[role] ?? [] }
    set { keys[role] = newValue }
  }

  /// All keys.
  package var all: [SigningKey] { KeyRole.allCases.flatMap { self[$0] } }

  /// Those that may sign where metadata asks for `needed`; what counts is the key, wherever it is kept.
  package func signers(of needed: RoleKeys?) -> [SigningKey] {
    var taken: Set<String> = []
    return all.filter { key in
      needed?.keyIDs.contains(key.publicKey.keyID) == true && taken.insert(key.publicKey.keyID).inserted
    }
  }

  /// Whether there are enough of them.
  package func canSign(for needed: RoleKeys?) -> Bool {
    guard let needed else { return false }
    return signers(of: needed).count >= needed.threshold
  }

  /// The keys of both.
  package func adding(_ other: KeyRing) -> KeyRing {
    KeyRing(keys.merging(other.keys) { $0 + $1 })
  }

  /// What metadata says of a role's keys.
  package func verifiers(_ role: KeyRole, threshold: Int = 1) -> RoleVerifiers {
    RoleVerifiers(self[role].map(\.publicKey), threshold: threshold)
  }
}

/// Fewer of a role's keys are at hand than must sign.
package struct MissingKeys: Error, Hashable, Sendable, CustomStringConvertible {
  /// The role's name in the metadata.
  package let role: String
  /// How many are at hand.
  package let found: Int
  /// How many must sign.
  package let needed: Int

  /// That many of the keys that must sign are at hand.
  package init(role: String, found: Int, needed: Int) {
    self.role = role
    self.found = found
    self.needed = needed
  }

  /// One sentence.
  package var description: String {
    "\(role) metadata needs signatures of \(needed) of its keys, and \(found) of them are here; "
      + "`seedbank keys status` lists them"
  }
}
