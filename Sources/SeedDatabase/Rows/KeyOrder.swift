import CSQLite
package import SeedFormat
import SeedSystem

/// Compares keys in the order of SQLite's index over them.
package struct KeyOrder: Sendable {
  private let key: [Int]
  private let collations: [Collation]

  package init(_ table: TableSchema) {
    key = table.key
    collations = table.keyCollations
  }

  /// Returns a negative number, zero or a positive number if `left` sorts before, with or after `right`.
  package func compare(_ left: [SeedValue], _ right: [SeedValue]) -> Int {
    first { position, collation in
      left[position].withBorrowed { left in
        right[position].withBorrowed { Self.compare(left, $0, collation) }
      }
    }
  }

  package func compare(key left: [BorrowedValue], withKeyOf right: [BorrowedValue]) -> Int {
    first { Self.compare(left[$0], right[key[$0]], $1) }
  }

  package func compareKeys(of left: [BorrowedValue], _ right: [BorrowedValue]) -> Int {
    first { Self.compare(left[key[$0]], right[key[$0]], $1) }
  }

  /// The order of the first key values that differ.
  @inline(__always)
  private func first(_ order: (_ position: Int, Collation) -> Int) -> Int {
    for position in collations.indices {
      let order = order(position, collations[position])
      if order != 0 { return order }
    }
    return 0
  }

  static func compare(_ left: BorrowedValue, _ right: BorrowedValue, _ collation: Collation) -> Int {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): compare(a, b)
    case (.real(let a), .integer(let b)): -compare(b, a)
    case (.text(let a), .text(let b)): compare(a, b, collation)
    case (.blob(let a), .blob(let b)): lexicographic(a, b)
    default: rank(left) - rank(right)
    }
  }

  /// SQLite's order of storage classes: NULL, numbers, text, blobs.
  private static func rank(_ value: BorrowedValue) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// An exact comparison, like SQLite's: 2^53 + 1 differs from the double 2^53.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = Int64(real)
    if integer != whole { return integer < whole ? -1 : 1 }
    let fraction = real - Double(whole)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  package typealias Bytes = UnsafeBufferPointer<UInt8>

  private static func compare(_ left: Bytes, _ right: Bytes, _ collation: Collation) -> Int {
    switch collation {
    case .binary: lexicographic(left, right)
    case .noCase: ignoringCase(left, right)
    case .rightTrim: lexicographic(trimmed(left), trimmed(right))
    }
  }

  /// The text without the trailing spaces that RTRIM ignores.
  package static func trimmed(_ text: Bytes) -> Bytes {
    let end = text.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
    return Bytes(rebasing: text[..<end])
  }

  private static func lexicographic(_ left: Bytes, _ right: Bytes) -> Int {
    order(left, right) { Int(memcmp($0, $1, $2)) }
  }

  /// Calls SQLite's own function, because its comparison stops at a NUL and then compares the lengths.
  private static func ignoringCase(_ left: Bytes, _ right: Bytes) -> Int {
    order(left, right) { left, right, count in
      Int(
        sqlite3_strnicmp(
          UnsafeRawPointer(left).assumingMemoryBound(to: CChar.self),
          UnsafeRawPointer(right).assumingMemoryBound(to: CChar.self), Int32(count)))
    }
  }

  private static func order(
    _ left: Bytes, _ right: Bytes, _ compare: (UnsafePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Int
  ) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let a = left.baseAddress, let b = right.baseAddress {
      let order = compare(a, b, common)
      if order != 0 { return order }
    }
    return left.count - right.count
  }
}
