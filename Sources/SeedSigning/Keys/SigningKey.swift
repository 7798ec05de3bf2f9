package import SeedTrust

/// An Ed25519 signing key. The secret is never printed or mirrored, and is wiped with the key's last copy.
package struct SigningKey: Sendable {
  private let seed: SecretBytes
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

  func withSeed<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { seed.withBytes(body) }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "secret key of \(publicKey.keyID)" }
  package var debugDescription: String { description }
  /// No children, because `dump` would print the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
