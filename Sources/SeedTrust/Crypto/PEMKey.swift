import SeedFormat

/// A public key in PEM in other publishers' metadata: ECDSA over P-256, or RSA, with SHA-256. Only one encoding of each
/// key is accepted, so that equal keys have equal bytes. The platform's library rejects points that are not on the
/// curve. RSA signatures need a salt as long as the digest, which is the only length that Apple's Security framework
/// verifies.
package struct PEMKey: Hashable, Sendable {
  enum Algorithm: Hashable, Sendable {
    case ecdsaP256
    case rsa
  }

  let algorithm: Algorithm
  /// RFC 5280's `SubjectPublicKeyInfo`.
  let der: [UInt8]
  /// The bare key: a point in X9.63's form, or PKCS #1's `RSAPublicKey`.
  let key: [UInt8]

  /// Bits of an RSA modulus: shorter ones are weak, longer ones cost a client too much time.
  private static let modulusBits = 2048...8192
  private static let exponentByteLimit = 4

  init?(keytype: String, scheme: String, pem: String) {
    guard let der = PEM.publicKey(in: pem), let (identifier, bits) = Self.parts(of: der[...]),
      bits.first == 0, let algorithm = Self.algorithm(identifier)
    else { return nil }
    (self.algorithm, self.der) = (algorithm, der)
    key = Array(bits.dropFirst())
    guard algorithm == .rsa ? Self.isRSAKey(key[...]) : Self.isPoint(key) else { return nil }
    switch (keytype, scheme, algorithm) {
    case ("ecdsa", "ecdsa-sha2-nistp256", .ecdsaP256),
      ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256", .ecdsaP256), ("rsa", "rsassa-pss-sha256", .rsa):
      break
    default: return nil
    }
  }

  private static func parts(of der: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
    var document = DERReader(der)
    guard let content = document.take(.sequence), document.isAtEnd else { return nil }
    var fields = DERReader(content)
    guard let identifier = fields.take(.sequence), let bits = fields.take(.bitString), fields.isAtEnd else {
      return nil
    }
    return (identifier, bits)
  }

  // MARK: Algorithms

  /// 1.2.840.10045.2.1
  private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  /// 1.2.840.10045.3.1.7
  private static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  /// 1.2.840.113549.1.1.1
  private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]

  private static func algorithm(_ identifier: ArraySlice<UInt8>) -> Algorithm? {
    var fields = DERReader(identifier)
    guard let name = fields.take(.objectIdentifier) else { return nil }
    let algorithm: Algorithm? =
      if name == ecPublicKey[...] {
        fields.take(.objectIdentifier) == p256[...] ? .ecdsaP256 : nil
      } else if name == rsaEncryption[...] {
        fields.take(.null) == [] ? .rsa : nil
      } else {
        nil
      }
    return fields.isAtEnd ? algorithm : nil
  }

  // MARK: Keys

  /// An uncompressed point: the byte 4, then both coordinates.
  private static func isPoint(_ key: [UInt8]) -> Bool { key.count == 65 && key[0] == 4 }

  private static func isRSAKey(_ key: ArraySlice<UInt8>) -> Bool {
    var document = DERReader(key)
    guard let content = document.take(.sequence), document.isAtEnd else { return false }
    var fields = DERReader(content)
    guard let modulus = fields.takePositiveInteger(), let exponent = fields.takePositiveInteger(),
      fields.isAtEnd
    else { return false }
    return modulusBits.contains(bitCount(modulus)) && isOdd(modulus) && exponent.count <= exponentByteLimit
      && isOdd(exponent) && exponent != [1]
  }

  private static func isOdd(_ number: ArraySlice<UInt8>) -> Bool { number.last.map { $0 & 1 == 1 } ?? false }

  private static func bitCount(_ number: ArraySlice<UInt8>) -> Int {
    8 * number.count - (number.first?.leadingZeroBitCount ?? 0)
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

/// Reads DER, in which every value has exactly one encoding.
private struct DERReader {
  enum Tag: UInt8 {
    case integer = 0x02
    case bitString = 0x03
    case null = 0x05
    case objectIdentifier = 0x06
    case sequence = 0x30
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ tag: Tag) -> ArraySlice<UInt8>? {
    guard rest.popFirst() == tag.rawValue, let length = takeLength(), length <= rest.count else { return nil }
    defer { rest = rest.dropFirst(length) }
    return rest.prefix(length)
  }

  mutating func takePositiveInteger() -> ArraySlice<UInt8>? {
    guard let content = take(.integer), let first = content.first, first < 0x80 else { return nil }
    if first != 0 { return content }
    // A leading zero is allowed only if it keeps the number positive.
    guard let second = content.dropFirst().first, second >= 0x80 else { return nil }
    return content.dropFirst()
  }

  /// Lengths below 2^16 in their shortest form.
  private mutating func takeLength() -> Int? {
    guard let first = rest.popFirst() else { return nil }
    if first < 0x80 { return Int(first) }
    guard first <= 0x82, let high = rest.popFirst() else { return nil }
    if first == 0x81 { return high >= 0x80 ? Int(high) : nil }
    guard first == 0x82, high > 0, let low = rest.popFirst() else { return nil }
    return Int(high) << 8 | Int(low)
  }
}
