/// A size for people. Machine-readable output has plain bytes.
package struct ByteCount: Hashable, Sendable, CustomStringConvertible {
  package let bytes: Int

  private static let units = ["kB", "MB", "GB", "TB"]

  package init(bytes: Int) { self.bytes = bytes }

  /// `512 bytes`, `19.0 MB`: decimal units, rounded to a tenth.
  package var description: String {
    guard bytes >= 1000 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
    var (unit, tenth) = (0, 100)
    while tenths(tenth) >= 10_000, unit + 1 < Self.units.count { (unit, tenth) = (unit + 1, tenth * 1000) }
    return "\(tenths(tenth) / 10).\(tenths(tenth) % 10) \(Self.units[unit])"
  }

  private func tenths(_ tenth: Int) -> Int { bytes / tenth + (bytes % tenth * 2 >= tenth ? 1 : 0) }
}

extension Int {
  /// With commas between thousands, for people: `1,234,567`.
  package var grouped: String {
    let digits = Array(String(magnitude))
    let parts = digits.indices.map { index in
      index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digits[index])" : "\(digits[index])"
    }
    return (self < 0 ? "-" : "") + parts.joined()
  }

  /// With a noun whose plural ends in s: `1 row`, `20,000 rows`.
  package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(grouped) \(noun)s" }
}
