enum JSONText {
  enum Outcome {
    case ends(at: Int, hasEscapes: Bool)
    case starved
    case wrong(at: Int, StaticString)
  }

  /// Scans from after the opening quotation mark to the closing one, and validates UTF-8.
  static func scan(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Outcome {
    var index = start
    var hasEscapes = false
    while true {
      index = skipPlain(bytes, index, end)
      guard index < end else { return .starved }
      switch bytes[index] {
      case UInt8(ascii: "\""): return .ends(at: index, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        index += 2
      case 0..<0x20: return .wrong(at: index, "control character in a string")
      default:
        let length = utf8SequenceLength(bytes, index, end)
        if length < 0 { return .starved }
        guard length > 0 else { return .wrong(at: index, "a string that is not valid UTF-8") }
        index += length
      }
    }
  }

  @inline(__always)
  private static func skipPlain(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index + 8 <= end {
      let word = UInt64(littleEndian: UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self))
      let special = highBits & (word | below(word, 0x20) | equal(word, 0x22) | equal(word, 0x5C))
      if special != 0 { return index + special.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < end, isPlain(bytes[index]) { index += 1 }
    return index
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
  }

  private static let lowBits: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Sets the high bit of the first byte below `limit`. Higher bits may be wrong, so use only the lowest one.
  @inline(__always)
  private static func below(_ word: UInt64, _ limit: UInt64) -> UInt64 { (word &- lowBits &* limit) & ~word }

  @inline(__always)
  private static func equal(_ word: UInt64, _ byte: UInt64) -> UInt64 {
    let difference = word ^ (lowBits &* byte)
    return (difference &- lowBits) & ~difference
  }

  // MARK: Escapes

  /// Resolves a string's escapes, which never makes it longer. Returns the number of bytes written, or nil with the
  /// error in `wrong`.
  static func unescape(
    _ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, into text: UnsafeMutablePointer<UInt8>,
    _ wrong: inout (offset: Int, reason: StaticString)?
  ) -> Int? {
    var (index, written) = (range.lowerBound, 0)
    while index < range.upperBound {
      if bytes[index] != UInt8(ascii: "\\") {
        text[written] = bytes[index]
        (index, written) = (index + 1, written + 1)
      } else if bytes[index + 1] == UInt8(ascii: "u") {
        guard let (scalar, length) = unicodeEscape(bytes, index, range.upperBound) else {
          wrong = (index, "not a Unicode escape, or a lone surrogate")
          return nil
        }
        for byte in UTF8.encode(scalar).unsafelyUnwrapped {
          text[written] = byte
          written += 1
        }
        index += length
      } else {
        guard let byte = simpleEscape(bytes[index + 1]) else {
          wrong = (index + 1, "unknown escape")
          return nil
        }
        text[written] = byte
        (index, written) = (index + 2, written + 1)
      }
    }
    return written
  }

  private static func simpleEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  private static func unicodeEscape(
    _ bytes: UnsafePointer<UInt8>, _ index: Int, _ end: Int
  ) -> (Unicode.Scalar, length: Int)? {
    guard let first = hexQuad(bytes, index + 2, end) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
    guard first < 0xDC00, index + 8 <= end, bytes[index + 6] == UInt8(ascii: "\\"),
      bytes[index + 7] == UInt8(ascii: "u"), let second = hexQuad(bytes, index + 8, end),
      (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { return nil }
    return (scalar, 12)
  }

  private static func hexQuad(_ bytes: UnsafePointer<UInt8>, _ index: Int, _ end: Int) -> UInt32? {
    guard index + 4 <= end else { return nil }
    var value: UInt32 = 0
    for offset in 0..<4 {
      // Folds to lower case. This would turn control characters into digits, but strings have none.
      guard let digit = hexDigit(bytes[index + offset] | 0x20) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
