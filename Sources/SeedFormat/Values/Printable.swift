extension Unicode.Scalar {
  /// Whether a terminal would obey this character instead of showing it: a control, or a mark that reorders a line.
  fileprivate var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// The text with a full stop, unless it already ends with a punctuation mark.
  package var closed: String { [".", "?", "!", "…"].contains { hasSuffix($0) } ? self : self + "." }

  /// The text without its full stop, for the middle of a sentence.
  package var unclosed: String { hasSuffix(".") ? String(dropLast()) : self }

  /// The text on one line and without control characters. Messages must use it for all external text.
  package var printable: String { escapingControls(except: []) }

  /// ``printable``, and short enough for a sentence.
  package var clipped: String {
    let longest = 80
    return count <= longest ? printable : "\(String(prefix(longest)).printable)…"
  }

  package func cut(toColumns columns: Int) -> String {
    var used = 0
    return String(
      prefix { character in
        used += character.columns
        return used <= columns
      })
  }

  /// Maximum number of terminal columns that the text may take.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// Escapes control characters, for example as `\u{1B}`, except those in `kept`.
  package func escapingControls(except kept: Set<Unicode.Scalar>) -> String {
    guard unicodeScalars.contains(where: { $0.isControl && !kept.contains($0) }) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isControl, !kept.contains(scalar) else { return text.unicodeScalars.append(scalar) }
      text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }

  /// Escapes a JSON document's control characters. They occur only in strings, in which such escapes are valid.
  package var escapingControlsInJSON: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isControl, scalar.value >= 0x7F else { return text.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

extension StringProtocol {
  /// Replaces scalars, for escapes. `replacing(_:with:)` compares characters, and so misses a quotation mark before a
  /// combining mark, and a line feed after a carriage return.
  package func replacing(scalars old: String, with new: String) -> String {
    String(String.UnicodeScalarView(unicodeScalars).replacing(old.unicodeScalars, with: new.unicodeScalars))
  }
}

extension Character {
  /// Non-ASCII characters may take two columns.
  fileprivate var columns: Int { isASCII ? 1 : 2 }
}

/// A size for people to read. Machine-readable output gives plain bytes.
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
  /// The number with commas between thousands, for people to read: `1,234,567`.
  package var grouped: String {
    let digits = Array(String(magnitude))
    let parts = digits.indices.map { index in
      index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digits[index])" : "\(digits[index])"
    }
    return (self < 0 ? "-" : "") + parts.joined()
  }

  /// Returns the number with a noun whose plural ends in s: `1 row`, `20,000 rows`.
  package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(grouped) \(noun)s" }
}
