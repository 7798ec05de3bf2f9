package import SeedFormat
import SeedSystem

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

  package init(seed: [UInt8]) throws(InvalidName) {
    guard seed.count == Self.byteCount else {
      throw InvalidName("Ed25519 secret key", found: "\(seed.count) bytes", expected: "32 bytes")
    }
    self.init(seed: SecretBytes(count: Self.byteCount) { $0.copyBytes(from: seed) })
  }

  init(seed: SecretBytes) {
    self.seed = seed
    publicKey = PublicKey(bytes: seed.withBytes { Ed25519.publicKey(seed: $0) })
  }

  package func sign(_ message: [UInt8]) -> [UInt8] { seed.withBytes { Ed25519.sign(message, seed: $0) } }

  func withSeed<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { seed.withBytes(body) }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "secret key of \(publicKey.keyID)" }
  package var debugDescription: String { description }
  /// No children, because `dump` would print the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
