package import SeedTrust

/// An Ed25519 signing key. The secret is hidden from `print` and `dump`, and wiped with the key's last copy.
package struct SigningKey: Sendable {
  let seed: SecretBytes
  package let publicKey: PublicKey

  static let byteCount = 32

  package static func generate() -> SigningKey {
    SigningKey(
      seed: SecretBytes(count: byteCount) { memory in
        var generator = SystemRandomNumberGenerator()
        for index in memory.indices { memory[index] = .random(in: .min ... .max, using: &generator) }
      })
  }

  init(seed: SecretBytes) {
    self.seed = seed
    publicKey = PublicKey(bytes: seed.withBytes { Ed25519PrivateKey(seed: $0).publicKey })
  }

  package func sign(_ message: [UInt8]) -> [UInt8] {
    seed.withBytes { Ed25519PrivateKey(seed: $0).sign(message) }
  }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "secret key of \(publicKey.keyID)" }
  package var debugDescription: String { description }
  /// No children, because `dump` would print the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

package struct KeyRing: Sendable {
  private var keys: [KeyRole: [SigningKey]]

  package init(_ keys: [KeyRole: [SigningKey]] = [:]) { self.keys = keys }

  package subscript(role: KeyRole) -> [SigningKey] {
    get { keys[role] ?? [] }
    set { keys[role] = newValue }
  }

  package var all: [SigningKey] { KeyRole.allCases.flatMap { self[$0] } }

  /// Returns the available keys among `needed`, each once, whatever role they are stored under.
  package func signers(of needed: RoleKeys?) -> [SigningKey] {
    var taken: Set<String> = []
    return all.filter { key in
      needed?.keyIDs.contains(key.publicKey.keyID) == true && taken.insert(key.publicKey.keyID).inserted
    }
  }

  package func canSign(for needed: RoleKeys?) -> Bool {
    guard let needed else { return false }
    return signers(of: needed).count >= needed.threshold
  }

  package func adding(_ other: KeyRing) -> KeyRing { KeyRing(keys.merging(other.keys) { $0 + $1 }) }

  /// Returns each key once: two files may hold the same key, but metadata that repeats a key id is malformed.
  package func verifiers(_ role: KeyRole, threshold: Int = 1) -> RoleVerifiers {
    var taken: Set<PublicKey> = []
    let keys = self[role].map(\.publicKey).filter { taken.insert($0).inserted }
    return RoleVerifiers(keys, threshold: threshold)
  }
}

/// A role has fewer available keys than must sign.
package struct MissingKeys: Error, Hashable, Sendable, CustomStringConvertible {
  package let role: String
  package let found: Int
  package let needed: Int

  package var description: String {
    "\(role) metadata needs signatures by \(needed) of its keys, but only \(found) of them are available here; "
      + "'seedbank keys status' lists them"
  }
}
