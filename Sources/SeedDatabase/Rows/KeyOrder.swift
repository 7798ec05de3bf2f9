import CSQLite
package import SeedFormat

/// Compares keys as SQLite's index over them does.
package struct KeyOrder: Sendable {
  private let collations: [Collation]

  /// The order of a table's key.
  package init(_ table: TableSchema) { collations = table.keyCollations }

  /// Negative, zero or positive as `left` stands before, at or behind `right`.
  package func compare(_ left: [SeedValue], _ right: [SeedValue]) -> Int {
    for index in collations.indices {
      let order = Self.compare(left[index], right[index], collations[index])
      if order != 0 { return order }
    }
    return 0
  }

  private static func compare(_ left: SeedValue, _ right: SeedValue, _ collation: Collation) -> Int {
    let ranks = (rank(left), rank(right))
    guard ranks.0 == ranks.1 else { return ranks.0 - ranks.1 }
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): return compare(a, b)
    case (.real(let a), .integer(let b)): return -compare(b, a)
    case (.text(let a), .text(let b)): return compare(a, b, collation)
    case (.blob(let a), .blob(let b)): return lexicographic(a, b)
    default: return 0
    }
  }

  /// NULL, numbers, texts, blobs: SQLite's order of storage classes.
  private static func rank(_ value: SeedValue) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// Exact, as SQLite's is: 2^53 + 1 is not the double 2^53.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = Int64(real)
    if integer != whole { return integer < whole ? -1 : 1 }
    let fraction = real - Double(whole)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  private static func compare(_ left: String, _ right: String, _ collation: Collation) -> Int {
    switch collation {
    case .binary: lexicographic(Array(left.utf8), Array(right.utf8))
    case .noCase: ignoringCase(Array(left.utf8), Array(right.utf8))
    case .rightTrim: lexicographic(trimmed(left), trimmed(right))
    }
  }

  private static func trimmed(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    let end = bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0
    return Array(bytes[..<end])
  }

  private static func lexicographic(_ left: [UInt8], _ right: [UInt8]) -> Int {
    let common = min(left.count, right.count)
    for index in 0..<common where left[index] != right[index] { return Int(left[index]) - Int(right[index]) }
    return left.count - right.count
  }

  /// SQLite's own comparison stops at a NUL and then looks at the lengths; so must this, hence its function.
  private static func ignoringCase(_ left: [UInt8], _ right: [UInt8]) -> Int {
    let common = min(left.count, right.count)
    let order = left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return 0 }
        return Int(
          sqlite3_strnicmp(
            left.bindMemory(to: CChar.self, capacity: common),
            right.bindMemory(to: CChar.self, capacity: common), Int32(common)))
      }
    }
    return order != 0 ? order : left.count - right.count
  }
}
