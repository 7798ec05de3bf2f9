package import SeedFormat
import SeedTrust

/// The row count of one table and the sum modulo 2^256 of its rows' hashes.
package struct TableSum: Hashable, Sendable {
  package private(set) var rows: Int = 0
  private var high: UInt128 = 0
  private var low: UInt128 = 0

  package init() {}

  /// What ``bytes`` and ``rows`` were; `nil` where there are not 32 bytes.
  package init?(rows: Int, bytes: [UInt8]) {
    guard rows >= 0, let digest = try? SHA256Digest(bytes: bytes) else { return nil }
    self.rows = rows
    (high, low) = Self.halves(of: digest)
  }

  /// The sum as 32 bytes, big-endian.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
  }

  /// Takes in a row's hash.
  package mutating func insert(_ hash: SHA256Digest) {
    let added = Self.halves(of: hash)
    let (sum, carries) = low.addingReportingOverflow(added.low)
    low = sum
    high = high &+ added.high &+ (carries ? 1 : 0)
    rows += 1
  }

  /// Takes out a row's hash.
  package mutating func remove(_ hash: SHA256Digest) {
    let removed = Self.halves(of: hash)
    let (difference, borrows) = low.subtractingReportingOverflow(removed.low)
    low = difference
    high = high &- removed.high &- (borrows ? 1 : 0)
    rows -= 1
  }

  private static func halves(of hash: SHA256Digest) -> (high: UInt128, low: UInt128) {
    let words = hash.words
    return (UInt128(words.0) << 64 | UInt128(words.1), UInt128(words.2) << 64 | UInt128(words.3))
  }
}

/// Hashes rows by their canonical bytes, with one hasher and one buffer for all.
package struct RowHasher: ~Copyable {
  private var hasher = SHA256Hasher()
  private let bytes = LentBytes()

  package init() {}

  /// The hash of a row's canonical bytes.
  package mutating func hash(lent row: [BorrowedValue]) -> SHA256Digest {
    row.withUnsafeBufferPointer { hash(lent: $0) }
  }

  mutating func hash(lent row: UnsafeBufferPointer<BorrowedValue>) -> SHA256Digest {
    bytes.clear()
    let room = bytes.room(CanonicalRow.size(of: row))
    if let memory = room.baseAddress { CanonicalRow.write(row, to: memory) }
    hasher.update(UnsafeRawBufferPointer(room))
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
