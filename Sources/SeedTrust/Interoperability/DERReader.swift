/// Reads ASN.1's DER, in which every value has exactly one encoding.
struct DERReader {
  /// The identifier octets in use here.
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

  /// The content of the next element, which must have that tag.
  mutating func take(_ tag: Tag) -> ArraySlice<UInt8>? {
    guard rest.popFirst() == tag.rawValue, let length = takeLength(), length <= rest.count else { return nil }
    defer { rest = rest.dropFirst(length) }
    return rest.prefix(length)
  }

  /// The magnitude of the next element, an integer above zero.
  mutating func takePositiveInteger() -> ArraySlice<UInt8>? {
    guard let content = take(.integer), let first = content.first, first < 0x80 else { return nil }
    if first != 0 { return content }
    // A zero in front is there only to keep the number positive.
    guard let second = content.dropFirst().first, second >= 0x80 else { return nil }
    return content.dropFirst()
  }

  /// Lengths below 2^16; the shortest form is the only one.
  private mutating func takeLength() -> Int? {
    guard let first = rest.popFirst() else { return nil }
    if first < 0x80 { return Int(first) }
    guard first <= 0x82, let high = rest.popFirst() else { return nil }
    if first == 0x81 { return high >= 0x80 ? Int(high) : nil }
    guard first == 0x82, high > 0, let low = rest.popFirst() else { return nil }
    return Int(high) << 8 | Int(low)
  }
}
