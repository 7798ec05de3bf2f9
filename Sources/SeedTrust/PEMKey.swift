import SeedFormat

/// A PEM public key from another publisher's metadata: ECDSA over P-256 or RSA, with SHA-256. Only one
/// encoding of each key is accepted, so that equal keys have equal bytes. The platform's library rejects
/// points that are not on the curve. RSA signatures need a salt as long as the digest, which is the only length
/// that Apple's Security framework verifies.
package struct PEMKey: Hashable, Sendable {
  /// False for ECDSA.
  let isRSA: Bool
  /// RFC 5280's `SubjectPublicKeyInfo`.
  let der: [UInt8]

  init?(keytype: String, scheme: String, pem: String) {
    guard let der = PEM.publicKey(in: pem) else { return nil }
    switch (keytype, scheme) {
    case ("ecdsa", "ecdsa-sha2-nistp256"), ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"):
      guard der.count == Self.pointHead.count + 64, der.starts(with: Self.pointHead) else { return nil }
      isRSA = false
    case ("rsa", "rsassa-pss-sha256"):
      guard Self.isRSAKey(der) else { return nil }
      isRSA = true
    default: return nil
    }
    self.der = der
  }

  /// The key alone: a point in X9.63's form, or PKCS #1's `RSAPublicKey`.
  var key: [UInt8] { Array(der.dropFirst(isRSA ? 24 : 26)) }

  /// The DER bytes before the coordinates of an uncompressed point.
  private static let pointHead: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
    0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]

  /// A smaller modulus is weak; a larger one costs a client too much time.
  private static let modulusBytes = 256...1024
  private static let rsaEncryption: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  /// The exponent 65537, which all tools use.
  private static let exponent: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]

  /// Whether this is the only accepted encoding of an RSA key: a modulus with its top bit set, and the exponent above.
  private static func isRSAKey(_ der: [UInt8]) -> Bool {
    let modulus = der.count - 38
    guard modulusBytes.contains(modulus) else { return false }
    func open(_ tag: UInt8, _ count: Int) -> [UInt8] { [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] }
    let head =
      open(0x30, modulus + 34) + rsaEncryption + open(0x03, modulus + 15) + [0] + open(0x30, modulus + 10)
      + open(0x02, modulus + 1) + [0]
    return der.starts(with: head) && der[head.count] >= 0x80 && der.suffix(exponent.count) == exponent[...]
  }
}

/// RFC 7468's textual encoding of public keys.
enum PEM {
  /// An RSA key of 8192 bits takes 1,500 bytes.
  private static let byteLimit = 4096
  static let firstLine = "-----BEGIN PUBLIC KEY-----"
  private static let lastLine = "-----END PUBLIC KEY-----"

  static func publicKey(in text: String) -> [UInt8]? {
    guard text.utf8.count <= byteLimit else { return nil }
    let lines = text.split { $0 == "\n" || $0 == "\r\n" }
    guard lines.count > 2, lines.first == firstLine[...], lines.last == lastLine[...] else { return nil }
    return Base64.decode(lines.dropFirst().dropLast().joined())
  }
}
