import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

@Suite struct DigestTests {
  @Test func `a sum does not depend on the order of rows`() {
    var random = SplitMix(seed: 1)
    var hasher = RowHasher()
    let hashes = (0..<200).map { hasher.hash([.integer($0)]) }
    var forward = TableSum()
    for hash in hashes { forward.insert(hash) }
    var shuffled = TableSum()
    for hash in hashes.shuffled(using: &random) { shuffled.insert(hash) }
    #expect(forward == shuffled && forward.rows == 200)
  }

  @Test func `removing a row reverts its insertion`() {
    var hasher = RowHasher()
    var sum = TableSum()
    for number in Int64(0)..<100 { sum.insert(hasher.hash([.integer(number)])) }
    let before = sum
    let extra = (0..<100).map { hasher.hash([.text("\($0)")]) }
    for hash in extra { sum.insert(hash) }
    for hash in extra.reversed() { sum.remove(hash) }
    #expect(sum == before)
    #expect(TableSum(rows: sum.rows, bytes: sum.bytes) == sum)
  }

  @Test func `a sum carries between words and wraps at 256 bits`() throws {
    let (one, most) = (SHA256Digest(words: DigestWords(0, 0, 0, 1)), UInt64.max)
    var sum = TableSum()
    sum.insert(SHA256Digest(words: DigestWords(7, most, most, most)))
    let before = sum
    sum.insert(one)
    #expect(sum.bytes == SHA256Digest(words: DigestWords(8, 0, 0, 0)).bytes)
    sum.remove(one)
    #expect(sum == before)
    var full = TableSum()
    full.insert(SHA256Digest(words: DigestWords(most, most, most, most)))
    full.insert(one)
    #expect(full.bytes == SHA256Digest(words: DigestWords(0, 0, 0, 0)).bytes && full.rows == 2)
  }

  @Test func `rows that are equal in SQL or as joined text have different canonical bytes`() {
    let pairs: [(SeedValue, SeedValue)] = [
      (.integer(1), .real(1)), (.real(0), .real(-0.0)), (.text("berlin"), .text("BERLIN")),
      (.text(""), .blob([])),
      (.text("é"), .text("e\u{301}")), (.null, .text("")), (.text("1"), .integer(1)),
    ]
    for (left, right) in pairs {
      #expect(CanonicalRow.bytes(of: [left]) != CanonicalRow.bytes(of: [right]) && left != right)
    }
    #expect(
      CanonicalRow.bytes(of: [.text("a"), .text("b")]) != CanonicalRow.bytes(of: [.text("ab"), .text("")]))
  }

  @Test(arguments: [65_400, 65_527, 65_528, 65_600, 300_000])
  func `a long row is hashed without a copy and has the same hash`(length: Int) {
    var hasher = RowHasher()
    let long = [UInt8](repeating: 7, count: length)
    for row: [SeedValue] in [
      [.blob(long)], [.text(String(repeating: "x", count: length))],
      [.null, .integer(-1), .blob(long), .real(0.5), .text(""), .blob([]), .text("é"), .integer(.max)],
      [.integer(1)],
    ] {
      #expect(hasher.hash(row) == SHA256Digest.of(CanonicalRow.bytes(of: row)))
    }
  }

  @Test func `a renamed or empty table changes the state digest`() {
    #expect(StateDigest.of(["a": TableSum()]) != StateDigest.of(["b": TableSum()]))
    #expect(StateDigest.of([:]) != StateDigest.of(["a": TableSum()]))
  }
}
