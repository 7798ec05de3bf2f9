enum JSONNumber {
  enum Outcome {
    case integer(Int64, end: Int)
    case real(Double, end: Int)
    /// Valid, but neither a 64-bit integer nor in a double's range.
    case beyond(end: Int)
    /// The available bytes end within the number or directly after it.
    case starved
    case wrong(at: Int, StaticString)
  }

  /// RFC 8259 §6: optional minus sign, integer without leading zeros, optional fraction and exponent.
  static func scan(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, isComplete: Bool) -> Outcome {
    var parts = Parts()
    let (index, lacksDigit) = walk(bytes, start, end, &parts)
    if index == end, !isComplete { return .starved }
    return lacksDigit ? .wrong(at: index, "expected a digit") : value(bytes, start, index, parts)
  }

  /// Scans a string that is a single number; nil for any other string.
  fileprivate static func whole(_ text: UnsafeBufferPointer<UInt8>) -> Outcome? {
    guard let base = text.baseAddress, text.count > 0 else { return nil }
    let outcome = scan(base, from: 0, to: text.count, isComplete: true)
    return switch outcome {
    case .integer(_, text.count), .real(_, text.count), .beyond(text.count): outcome
    default: nil
    }
  }

  private struct Parts {
    var isNegative = false
    /// All digits of integer and fraction; invalid if ``hasOverflown``.
    var mantissa: UInt64 = 0
    var digits = 0
    var fractionDigits = 0
    var exponent = 0
    var isInteger = true

    private static let safeDigits = 19

    /// True if the digits may exceed a signed 64-bit integer. An integer's do: it has no leading zeros.
    var hasOverflown: Bool { digits > Self.safeDigits }
  }

  @inline(__always)
  private static func walk(
    _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ parts: inout Parts
  ) -> (end: Int, lacksDigit: Bool) {
    var index = start
    if bytes[index] == UInt8(ascii: "-") {
      parts.isNegative = true
      index += 1
    }
    let integer = index
    if index < end, bytes[index] == UInt8(ascii: "0") {
      index += 1
    } else {
      index = digits(bytes, index, end, &parts)
      if index == integer { return (index, true) }
    }
    if index < end, bytes[index] == UInt8(ascii: ".") {
      parts.isInteger = false
      let fraction = index + 1
      index = digits(bytes, fraction, end, &parts)
      parts.fractionDigits = index - fraction
      if index == fraction { return (index, true) }
    }
    guard index < end, bytes[index] | 0x20 == UInt8(ascii: "e") else { return (index, false) }
    return walkExponent(bytes, index + 1, end, &parts)
  }

  private static func walkExponent(
    _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ parts: inout Parts
  ) -> (end: Int, lacksDigit: Bool) {
    parts.isInteger = false
    var index = start
    let isNegative = index < end && bytes[index] == UInt8(ascii: "-")
    if index < end, isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }
    var exponent = Parts()
    let first = index
    index = digits(bytes, first, end, &exponent)
    let limit = UInt64(exponentLimit)
    let size = exponent.hasOverflown ? exponentLimit : Int(min(exponent.mantissa, limit))
    parts.exponent = isNegative ? -size : size
    return (index, index == first)
  }

  /// Beyond this, every mantissa of less than a million digits gives zero or infinity. Fits in an Int.
  private static let exponentLimit = 100_000_000

  @inline(__always)
  private static func digits(
    _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ parts: inout Parts
  ) -> Int {
    var (index, mantissa) = (start, parts.mantissa)
    while index < end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit > 9 { break }
      mantissa = mantissa &* 10 &+ UInt64(digit)
      index &+= 1
    }
    parts.mantissa = mantissa
    parts.digits += index - start
    return index
  }

  private static func value(
    _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ parts: Parts
  ) -> Outcome {
    if parts.isInteger { return integer(parts, end) }
    if let real = exact(parts) { return .real(real, end: end) }
    // The standard library rounds correctly, independent of locale.
    let text = String(decoding: UnsafeBufferPointer(start: bytes + start, count: end - start), as: UTF8.self)
    guard let real = Double(text), real.isFinite else { return .beyond(end: end) }
    return .real(real, end: end)
  }

  private static func integer(_ parts: Parts, _ end: Int) -> Outcome {
    let largest = (parts.isNegative ? Int64.min : .max).magnitude
    guard !parts.hasOverflown, parts.mantissa <= largest else { return .beyond(end: end) }
    let magnitude = Int64(truncatingIfNeeded: parts.mantissa)
    return .integer(parts.isNegative ? 0 &- magnitude : magnitude, end: end)
  }

  /// Clinger's fast path: mantissa and power of ten are exact doubles, so only one rounding occurs.
  private static func exact(_ parts: Parts) -> Double? {
    let exponent = parts.exponent - parts.fractionDigits
    guard !parts.hasOverflown, parts.mantissa <= 1 << 53, abs(exponent) < powers.count else { return nil }
    let mantissa = Double(parts.mantissa)
    let value = exponent < 0 ? mantissa / powers[-exponent] : mantissa * powers[exponent]
    return parts.isNegative ? -value : value
  }

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
  ]
}

/// Parses a number by JSON's grammar; nil if the text is not a number or out of range.
package func spelledNumber(_ text: UnsafeBufferPointer<UInt8>) -> BorrowedValue? {
  switch JSONNumber.whole(text) {
  case .integer(let value, _): .integer(value)
  case .real(let value, _): .real(value)
  default: nil
  }
}

/// Returns the nearest double to a number by JSON's grammar, including integers beyond 64 bits.
package func spelledDouble(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
  switch JSONNumber.whole(text) {
  case .integer(let value, _): Double(value)
  case .real(let value, _): value
  case .beyond: Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  default: nil
  }
}
