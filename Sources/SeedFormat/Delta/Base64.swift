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
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let isLast = start + 4 == digits.count
      guard let group = decode(digits[start..<start + 4], mayPad: isLast) else { return nil }
      bytes.append(contentsOf: group)
    }
    return bytes
  }

  private static func decode(_ digits: ArraySlice<UInt8>, mayPad: Bool) -> [UInt8]? {
    let pads = digits.reversed().prefix { $0 == padding }.count
    guard pads <= (mayPad ? 2 : 0) else { return nil }
    var group: UInt32 = 0
    for digit in digits.dropLast(pads) {
      guard let sextet = sextet(digit) else { return nil }
      group = group << 6 | sextet
    }
    group <<= UInt32(6 * pads)
    // The bits behind the last byte must be zero, or one blob would have several texts.
    guard group & ((1 << UInt32(8 * pads)) - 1) == 0 else { return nil }
    return (0..<3 - pads).map { UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * $0)) }
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
