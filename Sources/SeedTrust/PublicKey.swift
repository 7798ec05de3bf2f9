package import SeedFormat

package struct PublicKey: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes in lower-case hexadecimal.
  package let hex: String
  /// TUF's key id: the SHA-256 of the key's canonical JSON, in hexadecimal.
  package let keyID: String

  package static let byteCount = 32
  package static let signatureByteCount = 64

  /// Reads 64 hexadecimal digits of either case, as python-tuf does. Rejects keys of small order, for which anyone can
  /// make a valid signature, and encodings that are not canonical, which would give one key several key ids.
  package init(hex: String) throws(InvalidName) {
    guard let bytes = hexBytes(ofEitherCase: hex), bytes.count == Self.byteCount else {
      throw Self.invalid(hex, "64 hexadecimal digits")
    }
    guard Ed25519Encoding.isCanonical(bytes) else { throw Self.invalid(hex, "a canonical encoding") }
    guard !Ed25519Encoding.hasSmallOrder(bytes) else {
      throw Self.invalid(hex, "a point that is not of small order")
    }
    self.init(bytes: bytes)
  }

  private static func invalid(_ text: String, _ expected: String) -> InvalidName {
    InvalidName("Ed25519 public key", found: text, expected: expected)
  }

  /// Creates a key without checks, because the platform's library has just derived it.
  package init(bytes: [UInt8]) {
    hex = lowerHex(bytes)
    // Canonical JSON, written by hand: its members are sorted, and nothing needs an escape.
    let canonical = #"{"keytype":"ed25519","keyval":{"public":"\#(hex)"},"scheme":"ed25519"}"#
    keyID = SHA256Digest.of(Array(canonical.utf8)).hex
  }

  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureByteCount, let bytes = hexBytes(hex) else { return false }
    return verifyEd25519(signature, message, publicKey: bytes)
  }

  package var description: String { keyID }
}

/// Decides which 32 bytes are an Ed25519 key, because OpenSSL and CryptoKit differ. A key is a point's y-coordinate,
/// little-endian, with the sign of x in the topmost bit.
private enum Ed25519Encoding {
  private static let signBit: UInt8 = 0x80

  /// The y-coordinates of the eight points whose order divides 8: 0, 1, −1 and two more.
  private static let smallOrderCoordinates: Set<String> = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  ]

  /// Whether y is below the field's prime, 2^255 − 19.
  static func isCanonical(_ key: [UInt8]) -> Bool {
    let y = coordinate(of: key)
    return y[0] < 0xED || y[31] < 0x7F || y[1...30].contains { $0 < 0xFF }
  }

  /// Whether eight times the point is the neutral element.
  static func hasSmallOrder(_ key: [UInt8]) -> Bool {
    smallOrderCoordinates.contains(lowerHex(coordinate(of: key)))
  }

  private static func coordinate(of key: [UInt8]) -> [UInt8] {
    var bytes = key
    bytes[31] &= ~signBit
    return bytes
  }
}

/// A public key file: TUF's JSON, or Ed25519 in PEM as written by OpenSSL and hardware tokens.
package enum PublicKeyFile {
  /// The DER prefix of an Ed25519 key in SubjectPublicKeyInfo (RFC 8410).
  private static let derPrefix: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]

  package static func key(in bytes: [UInt8]) throws -> PublicKey {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasPrefix(PEM.firstLine) ? try key(inPEM: text) : try key(inJSON: bytes)
  }

  package static func document(_ key: PublicKey) -> [UInt8] { RoleKey(key).json.bytes + [UInt8(ascii: "\n")] }

  private static func key(inJSON bytes: [UInt8]) throws -> PublicKey {
    var fields = try JSONObjectReader(parsing: bytes)
    guard let key = try RoleKey(reading: &fields).publicKey else {
      throw fields.error("keyval.public", "expected an Ed25519 key")
    }
    return key
  }

  private static func key(inPEM text: String) throws -> PublicKey {
    guard let der = PEM.publicKey(in: text), der.starts(with: derPrefix)
    else { throw MalformedJSON.field(path: "document", reason: "expected an Ed25519 key in PEM") }
    return try PublicKey(hex: lowerHex(Array(der.dropFirst(derPrefix.count))))
  }
}
