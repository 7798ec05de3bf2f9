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

  /// Reads 64 hexadecimal digits of either case, as python-tuf does.
  ///
  /// Refuses keys of small order, for which anyone can make a valid signature, and encodings that are not
  /// canonical, which would make two keys of one.
  package init(hex: String) throws(InvalidName) {
    guard let bytes = hexBytes(ofEitherCase: hex), bytes.count == Self.byteCount else {
      throw InvalidName("Ed25519 public key", found: hex, expected: "64 hexadecimal digits")
    }
    guard Ed25519Encoding.isCanonical(bytes) else {
      throw InvalidName("Ed25519 public key", found: hex, expected: "a canonical encoding")
    }
    guard !Ed25519Encoding.hasSmallOrder(bytes) else {
      throw InvalidName("Ed25519 public key", found: hex, expected: "a point that is not of small order")
    }
    self.init(bytes: bytes)
  }

  /// A key that the platform's library has just derived from a secret one.
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
