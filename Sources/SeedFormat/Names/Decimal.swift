/// Reads a canonical decimal: digits only, no sign, no leading zero, within `range`.
package func canonicalDecimal(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
  let bytes = Array(text.utf8)
  guard !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  guard bytes.count == 1 || bytes[0] != 0x30 else { return nil }
  guard let value = Int(text), range.contains(value) else { return nil }
  return value
}
