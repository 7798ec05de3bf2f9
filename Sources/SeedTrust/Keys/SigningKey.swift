package import SeedFormat

/// An Ed25519 key that signs. Nothing that prints or mirrors it shows the secret.
package struct SigningKey: Sendable {
  private let seed: [UInt8]
  /// The half that may be shown.
  package let publicKey: PublicKey

  /// A new key out of the system's generator.
  package static func generate() -> SigningKey {
    var generator = SystemRandomNumberGenerator()
    return SigningKey(
      checked: (0..<PublicKey.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// Fails where there are not exactly 32 bytes.
  package init(seed: [UInt8]) throws(InvalidName) {
    guard seed.count == PublicKey.byteCount else {
      throw InvalidName("Ed25519 secret key", found: "\(seed.count) bytes", expected: "32 bytes")
    }
    self.init(checked: seed)
  }

  private init(checked seed: [UInt8]) {
    self.seed = seed
    publicKey = PublicKey(bytes: Ed25519.publicKey(seed: seed))
  }

  /// The signature over `message`: 64 bytes.
  package func sign(_ message: [UInt8]) -> [UInt8] { Ed25519.sign(message, seed: seed) }

  /// What a key file holds.
  func secretDocument() -> [UInt8] {
    let document: JSONValue = [
      "keytype": "ed25519", "private": .string(lowerHex(seed)), "public": .string(publicKey.hex),
    ]
    return document.bytes + [UInt8(ascii: "\n")]
  }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The public half's id.
  package var description: String { "secret key of \(publicKey.keyID)" }
  /// The public half's id.
  package var debugDescription: String { description }
  /// No children, or `dump` would show the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
