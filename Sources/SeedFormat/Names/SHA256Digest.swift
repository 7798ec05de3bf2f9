/// A SHA-256 digest: 32 bytes.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// Big-endian; four words need no allocation.
  package let words: (UInt64, UInt64, UInt64, UInt64)

  package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// Bytes in a digest.
  public static let byteCount = 32

  /// Throws unless there are exactly 32 bytes.
  public init(bytes: some Collection<UInt8>) throws(InvalidName) {
    guard bytes.count == Self.byteCount else {
      throw InvalidName("SHA-256 digest", found: "\(bytes.count) bytes", expected: "32 bytes")
    }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.words = (words[0], words[1], words[2], words[3])
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
    [words.0, words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
  }

  /// Sixty-four lower-case hexadecimal digits.
  public var hex: String { lowerHex(bytes) }

  /// Compares all words.
  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Hashes all words.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }

  /// The hexadecimal digits.
  public var description: String { hex }

  /// A digest in source code; traps if it is invalid.
  public init(stringLiteral value: StaticString) { self = written(value, Self.init(hex:)) }
}
