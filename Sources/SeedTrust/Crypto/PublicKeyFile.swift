import SeedFormat

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
