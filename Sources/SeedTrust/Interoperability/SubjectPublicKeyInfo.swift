/// RFC 5280's `SubjectPublicKeyInfo`, of the two kinds of keys that are verified here.
///
/// Only one encoding of each key is accepted, so that equal keys have equal bytes. Whether a point lies on its
/// curve is left to the platform's library, which verifies nothing with one that does not.
struct SubjectPublicKeyInfo: Hashable {
  enum Algorithm: Hashable {
    case ecdsaP256
    case rsa
  }

  /// Bits of an RSA modulus: below it is weak, above it costs a client too much time.
  static let modulusBits = 2048...8192
  /// Bytes of an RSA exponent; nearly all are 65537.
  static let exponentByteLimit = 4

  let algorithm: Algorithm
  /// The whole structure.
  let der: [UInt8]
  /// The key alone: a point in X9.63's form, or PKCS #1's `RSAPublicKey`.
  let key: [UInt8]

  init?(_ der: [UInt8]) {
    guard let (identifier, bits) = Self.parts(of: der[...]), bits.first == 0,
      let algorithm = Self.algorithm(identifier)
    else { return nil }
    self.algorithm = algorithm
    self.der = der
    key = Array(bits.dropFirst())
    guard algorithm == .rsa ? Self.isRSAKey(key[...]) : Self.isPoint(key) else { return nil }
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

  /// An uncompressed point: 4, then the two coordinates.
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
