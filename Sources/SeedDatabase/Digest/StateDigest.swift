package import SeedFormat
import SeedTrust

/// The row count of one table and the sum modulo 2^256 of its rows' hashes.
package struct TableSum: Hashable, Sendable {
  package private(set) var rows: Int = 0
  /// Four words, the least significant first.
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// An empty table.
  package init() {}

  /// What ``bytes`` and ``rows`` were; `nil` where there are not 32 bytes.
  package init?(rows: Int, bytes: [UInt8]) {
    guard rows >= 0, let digest = try? SHA256Digest(bytes: bytes) else { return nil }
    self.rows = rows
    words = (digest.words.3, digest.words.2, digest.words.1, digest.words.0)
  }

  /// The sum as 32 bytes, big-endian.
  package var bytes: [UInt8] { SHA256Digest(words: (words.3, words.2, words.1, words.0)).bytes }

  /// Takes in a row's hash.
  package mutating func insert(_ hash: SHA256Digest) {
    rows += 1
    var carry = false
    words.0 = Self.add(words.0, hash.words.3, &carry)
    words.1 = Self.add(words.1, hash.words.2, &carry)
    words.2 = Self.add(words.2, hash.words.1, &carry)
    words.3 = Self.add(words.3, hash.words.0, &carry)
  }

  /// Takes out a row's hash.
  package mutating func remove(_ hash: SHA256Digest) {
    rows -= 1
    // Two's complement: minus x is plus not x plus one, and the one comes in as the first carry.
    var carry = true
    words.0 = Self.add(words.0, ~hash.words.3, &carry)
    words.1 = Self.add(words.1, ~hash.words.2, &carry)
    words.2 = Self.add(words.2, ~hash.words.1, &carry)
    words.3 = Self.add(words.3, ~hash.words.0, &carry)
  }

  private static func add(_ left: UInt64, _ right: UInt64, _ carry: inout Bool) -> UInt64 {
    let (partial, first) = left.addingReportingOverflow(right)
    let (sum, second) = partial.addingReportingOverflow(carry ? 1 : 0)
    carry = first || second
    return sum
  }

  /// Equal when all words and the row counts are.
  package static func == (left: Self, right: Self) -> Bool {
    left.rows == right.rows && left.words == right.words
  }

  /// Hashes what `==` compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(rows)
    hasher.combine(words.0)
    hasher.combine(words.3)
  }
}

/// Hashes rows by their canonical bytes, with one hasher and one buffer for all of them.
package struct RowHasher: ~Copyable {
  private var hasher = SHA256Hasher()
  private var buffer: [UInt8] = []

  package init() {}

  /// The hash of a row's canonical bytes.
  package mutating func hash(_ row: [SeedValue]) -> SHA256Digest {
    CanonicalRow.append(row, to: &buffer)
    hasher.update(buffer)
    return hasher.finish()
  }
}

/// The digest of a whole series: equal for equal rows, whatever the file's layout or history.
package enum StateDigest {
  /// SHA-256 over name (length and UTF-8), row count and sum of each table, sorted by name.
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
    withUnsafeBytes(of: UInt64(number).bigEndian) { bytes.append(contentsOf: $0) }
  }
}
