import SeedFormat

/// Which 32 bytes may be an Ed25519 key. OpenSSL and CryptoKit refuse different ones, so this is decided here.
///
/// A key is the y-coordinate of a point, little-endian, with the sign of x in the topmost bit.
enum Ed25519Encoding {
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

  /// Whether eight times the point is the neutral one.
  static func hasSmallOrder(_ key: [UInt8]) -> Bool {
    smallOrderCoordinates.contains(lowerHex(coordinate(of: key)))
  }

  private static func coordinate(of key: [UInt8]) -> [UInt8] {
    var bytes = key
    bytes[31] &= ~signBit
    return bytes
  }
}
