/// RFC 4648 §4 with padding; the decoder accepts only what the encoder writes.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The text of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
      for index in 0..<4 {
        let sextet = Int(group >> UInt32(18 - 6 * index)) & 63
        text.append(index <= count ? alphabet[sextet] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`, or `nil` where it is not what ``encode(_:)`` would have written.
  package static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { text in
      var isValid = true
      let bytes = [UInt8](unsafeUninitializedCapacity: decodedCapacity(text.count)) { buffer, count in
        guard let start = buffer.baseAddress else {
          isValid = text.isEmpty
          return
        }
        let decoded = decode(text, into: start)
        isValid = decoded != nil
        count = decoded ?? 0
      }
      return isValid ? bytes : nil
    }
  }

  /// Bytes that decoding a text of that length may write.
  static func decodedCapacity(_ length: Int) -> Int { length / 4 * 3 }

  /// Decodes into memory with room for ``decodedCapacity(_:)`` bytes; the bytes written, or `nil`.
  static func decode(_ text: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutablePointer<UInt8>) -> Int? {
    guard text.count.isMultiple(of: 4) else { return nil }
    var written = 0
    for start in stride(from: 0, to: text.count, by: 4) {
      let group = UnsafeBufferPointer(rebasing: text[start..<start + 4])
      guard let count = decode(group, mayPad: start + 4 == text.count, into: bytes + written) else {
        return nil
      }
      written += count
    }
    return written
  }

  private static func decode(
    _ digits: UnsafeBufferPointer<UInt8>, mayPad: Bool, into bytes: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    let pads = digits[3] != padding ? 0 : digits[2] != padding ? 1 : 2
    guard pads == 0 || mayPad else { return nil }
    var group: UInt32 = 0
    for index in 0..<4 - pads {
      guard let sextet = sextet(digits[index]) else { return nil }
      group = group << 6 | sextet
    }
    group <<= UInt32(6 * pads)
    // The bits behind the last byte must be zero, or one blob would have several texts.
    guard group & ((1 << UInt32(8 * pads)) - 1) == 0 else { return nil }
    for index in 0..<3 - pads { bytes[index] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index)) }
    return 3 - pads
  }

  private static func sextet(_ digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 97 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) - 48 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
