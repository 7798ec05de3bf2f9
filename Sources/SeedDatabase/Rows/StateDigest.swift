package import SeedFormat
import SeedTrust

/// A table's row count and the sum of its rows' hashes modulo 2^256. In a damaged file, the count may overflow.
package struct TableSum: Hashable, Sendable {
  package private(set) var rows: Int = 0
  /// The sum, highest word first. Wider integers need iOS 18.
  private var words = DigestWords()

  package init() {}

  /// Restores a sum from ``bytes`` and ``rows``; nil unless `bytes` has 32 bytes.
  package init?(rows: Int, bytes: [UInt8]) {
    guard rows >= 0, let digest = try? SHA256Digest(bytes: bytes) else { return nil }
    (self.rows, words) = (rows, digest.words)
  }

  /// The sum in 32 big-endian bytes.
  package var bytes: [UInt8] { SHA256Digest(words: words).bytes }

  package mutating func insert(_ hash: SHA256Digest) {
    change(by: hash.words) { $0.addingReportingOverflow($1) }
    rows &+= 1
  }

  package mutating func remove(_ hash: SHA256Digest) {
    change(by: hash.words) { $0.subtractingReportingOverflow($1) }
    rows &-= 1
  }

  /// The sum after the rows of `old` are replaced by those of `new`.
  package func replacing(_ old: TableSum, by new: TableSum) -> TableSum {
    var sum = self
    sum.change(by: old.words) { $0.subtractingReportingOverflow($1) }
    sum.change(by: new.words) { $0.addingReportingOverflow($1) }
    sum.rows = sum.rows &+ new.rows &- old.rows
    return sum
  }

  /// Adds or subtracts from the lowest word upwards, with carry.
  @inline(__always)
  private mutating func change(
    by other: DigestWords, _ step: (UInt64, UInt64) -> (partialValue: UInt64, overflow: Bool)
  ) {
    var carry: UInt64 = 0
    var place = DigestWords.count
    while place > 0 {
      place -= 1
      let (changed, overflows) = step(words[place], other[place])
      let (carried, overflowsAgain) = step(changed, carry)
      words[place] = carried
      carry = overflows || overflowsAgain ? 1 : 0
    }
  }
}

/// Hashes rows by their canonical bytes, reusing one hasher and one buffer.
package struct RowHasher: ~Copyable {
  private var hasher = SHA256Hasher()
  private let bytes = LentBytes()

  /// Rows up to this size are copied and hashed in one call, which is faster; longer rows are hashed in place.
  private static let copiedBytes = 64 * 1024

  package init() {}

  package mutating func hash(lent row: [BorrowedValue]) -> SHA256Digest {
    row.withUnsafeBufferPointer { hash(lent: $0) }
  }

  mutating func hash(lent row: UnsafeBufferPointer<BorrowedValue>) -> SHA256Digest {
    let size = CanonicalRow.size(of: row)
    guard size <= Self.copiedBytes else { return hash(long: row) }
    bytes.clear()
    let room = bytes.room(size)
    if let memory = room.baseAddress { CanonicalRow.write(row, to: memory) }
    hasher.update(UnsafeRawBufferPointer(room))
    return hasher.finish()
  }

  private mutating func hash(long row: UnsafeBufferPointer<BorrowedValue>) -> SHA256Digest {
    for value in row {
      hasher.update(CanonicalRow.head(of: value))
      hasher.update(UnsafeRawBufferPointer(value.content))
    }
    return hasher.finish()
  }
}

/// The digest of a series' data. It is the same for equal rows, whatever the file's layout or history.
package enum StateDigest {
  /// SHA-256 over each table's name (length and UTF-8), row count and sum, in the order of the names' bytes.
  package static func of(_ sums: [String: TableSum]) -> SHA256Digest {
    var bytes: [UInt8] = []
    for (name, sum) in sums.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }) {
      append(name.utf8.count, to: &bytes)
      bytes.append(contentsOf: name.utf8)
      append(sum.rows, to: &bytes)
      bytes.append(contentsOf: sum.bytes)
    }
    return SHA256Digest.of(bytes)
  }

  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).bigEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Holds back a change that deletes too many of a table's rows or of a column's values. An origin or a feed that was
/// emptied or is being reloaded therefore cannot empty the published data.
package struct ShrinkGuard: Hashable, Sendable {
  /// The largest loss of rows or column values that is published, in percent; 100 allows any loss.
  package var percent = 50
  /// Smaller tables are not checked, because few changed rows are a large share of them.
  package var minimumRows = 100

  package init() {}

  package func holdsBack(from old: Int, to new: Int) -> Bool {
    old >= max(minimumRows, 1) && new < old && Double(old - new) * 100 > Double(old) * Double(percent)
  }
}

/// A table that lost many rows, or a column that lost many values.
package struct ShrunkTable: Hashable, Sendable, CustomStringConvertible {
  package let name: String
  /// Nil if the table lost rows.
  package let column: String?
  package let before: Int
  package let after: Int

  package init(name: String, column: String? = nil, before: Int, after: Int) {
    (self.name, self.column, self.before, self.after) = (name, column, before, after)
  }

  package var description: String {
    let subject = column.map { "column \"\($0)\" of table" } ?? "table"
    return "\(subject) \"\(name)\" would go from \(before) to \(after) \(column == nil ? "rows" : "values")"
  }
}
