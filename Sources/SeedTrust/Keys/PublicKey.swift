package import SeedFormat

/// An Ed25519 key that verifies.
package struct PublicKey: Hashable, Sendable {
  /// The 32 bytes in hexadecimal.
  package let hex: String
  /// The name that TUF gives the key: the SHA-256 of its canonical JSON, in hexadecimal.
  package let keyID: String

  /// Bytes in a key.
  package static let byteCount = 32
  /// Bytes in a signature.
  package static let signatureByteCount = 64

  /// Reads 64 lower-case hexadecimal digits.
  package init(hex: String) throws(InvalidName) {
    guard let bytes = hexBytes(hex), bytes.count == Self.byteCount else {
      throw InvalidName("Ed25519 public key", found: hex, expected: "64 lower-case hexadecimal digits")
    }
    self.init(bytes: bytes)
  }

  init(bytes: [UInt8]) {
    hex = lowerHex(bytes)
    // The canonical form by hand: its members are sorted and nothing in it needs an escape.
    let canonical = #"{"keytype":"ed25519","keyval":{"public":"\#(hex)"},"scheme":"ed25519"}"#
    keyID = SHA256Digest.of(Array(canonical.utf8)).hex
  }

  /// Whether `signature` over `message` was made with this key's secret half.
  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureByteCount, let bytes = hexBytes(hex) else { return false }
    return Ed25519.verify(signature, message, publicKey: bytes)
  }
}

extension PublicKey: CustomStringConvertible {
  /// The key's id.
  package var description: String { keyID }
}
