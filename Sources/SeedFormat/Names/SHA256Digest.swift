/// A SHA-256 digest: 32 bytes.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// Big-endian; four words need no allocation.
  package let words: SIMD4<UInt64>

  package init(words: SIMD4<UInt64>) { self.words = words }

  /// Bytes in a digest.
  public static let byteCount = 32

  /// Throws unless there are exactly 32 bytes.
  public init(bytes: some Collection<UInt8>) throws(InvalidName) {
    guard bytes.count == Self.byteCount else {
      throw InvalidName("SHA-256 digest", found: "\(bytes.count) bytes", expected: "32 bytes")
    }
    var words = SIMD4<UInt64>()
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.words = words
  }

  /// Parses 64 lower-case hexadecimal digits.
  public init(hex: String) throws(InvalidName) {
    guard let bytes = hexBytes(hex), bytes.count == Self.byteCount else {
      throw InvalidName("SHA-256 digest", found: hex, expected: "64 lower-case hexadecimal digits")
    }
    try self.init(bytes: bytes)
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) }
  }

  /// Sixty-four lower-case hexadecimal digits.
  public var hex: String { lowerHex(bytes) }

  /// The hexadecimal digits.
  public var description: String { hex }

  /// A digest in source code; traps if it is invalid.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(hex:)) }
}
