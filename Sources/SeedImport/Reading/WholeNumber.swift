/// The whole number that a number's digits spell exactly, also with an exponent or a fraction of zeros; `nil` for any
/// other, and for one beyond 64 bits.
///
/// The text must be a number by JSON's grammar. By way of a double, 9007199254740993.0 would become another number.
package func spelledInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
  let zero = UInt8(ascii: "0")
  let isNegative = text.first == UInt8(ascii: "-")
  let parts = text.dropFirst(isNegative ? 1 : 0).split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
  let mantissa = parts[0].split(separator: UInt8(ascii: "."))
  var digits = Array(mantissa.joined().drop { $0 == zero })
  guard !digits.isEmpty else { return 0 }
  guard let exponent = parts.count == 1 ? 0 : Int(String(decoding: parts[1], as: UTF8.self)),
    exponents.contains(exponent)
  else { return nil }
  var zeros = exponent - (mantissa.count == 1 ? 0 : mantissa[1].count)
  while digits.last == zero {
    digits.removeLast()
    zeros += 1
  }
  guard zeros >= 0, digits.count + zeros <= mostIntegerDigits else { return nil }
  digits += repeatElement(zero, count: zeros)
  return Int64((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
}

private let mostIntegerDigits = 19

/// Exponents beyond these do not meet as many digits in any document.
private let exponents = -1 << 40...1 << 40
