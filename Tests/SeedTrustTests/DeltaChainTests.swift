import SeedFormat
import SeedTrust
import Support
import Testing

@Suite struct DeltaChainTests {
  private static func version(_ number: Int) throws -> SeedVersion { try SeedVersion(number) }

  private static func shortest(_ deltas: [PublishedObject], _ start: Int, _ end: Int) throws
    -> [PublishedObject]?
  {
    DeltaChain.shortest(deltas, from: try version(start), to: try version(end))
  }

  private static func delta(_ from: Int, _ to: Int, bytes: Int) throws -> PublishedObject {
    let digest = SHA256Digest.of(Array("\(from) \(to)".utf8))
    return PublishedObject(
      series: SeedSeries("test", model: "1.0"), kind: .delta(from: try version(from), to: try version(to)),
      length: bytes,
      sha256: digest, model: "1.0", rawLength: bytes, schema: .of([]), digest: digest)
  }

  private static func span(_ object: PublishedObject) -> (from: Int, to: Int)? {
    guard case .delta(let from, let to, _) = object.kind else { return nil }
    return (from.number, to.number)
  }

  /// The fewest bytes to `end`, by trying every order of deltas that a client at `start` could apply.
  private static func fewestBytes(_ deltas: [PublishedObject], from start: Int, to end: Int) -> Int? {
    if start == end { return 0 }
    return deltas.compactMap { delta -> Int? in
      guard let (from, to) = span(delta), from <= start, start < to, to <= end else { return nil }
      return fewestBytes(deltas, from: to, to: end).map { $0 + delta.length }
    }.min()
  }

  private static func isApplicable(_ chain: [PublishedObject], from start: Int, to end: Int) -> Bool {
    var at = start
    for delta in chain {
      guard let (from, to) = span(delta), from <= at, at < to else { return false }
      at = to
    }
    return at == end
  }

  private static let seeds: Range<UInt64> = Stage.pick(quick: 0..<8, full: 0..<40, deep: 0..<400)

  @Test(arguments: seeds) func `the chain is the cheapest one that can be applied`(_ seed: UInt64)
    throws
  {
    var random = SplitMix(seed: seed)
    for _ in 0..<25 {
      let last = Int.random(in: 2...9, using: &random)
      var spans: Set<[Int]> = []
      for _ in 0..<Int.random(in: 0...14, using: &random) {
        let from = Int.random(in: 1..<last, using: &random)
        spans.insert([from, Int.random(in: from + 1...last, using: &random)])
      }
      // Few different lengths, so that chains of equal bytes occur.
      let deltas = try spans.map {
        try Self.delta($0[0], $0[1], bytes: Int.random(in: 1...6, using: &random))
      }
      .shuffled(using: &random)
      for start in 1...last {
        for end in 1...last { try compare(deltas, from: start, to: end) }
      }
    }
  }

  private func compare(_ deltas: [PublishedObject], from start: Int, to end: Int) throws {
    let chain = try Self.shortest(deltas, start, end)
    #expect(chain?.reduce(0) { $0 + $1.length } == Self.fewestBytes(deltas, from: start, to: end))
    if let chain { #expect(Self.isApplicable(chain, from: start, to: end)) }
  }

  @Test func `of chains with equal bytes the one with fewer deltas is chosen`() throws {
    let deltas = [
      try Self.delta(1, 2, bytes: 2), try Self.delta(2, 3, bytes: 2), try Self.delta(3, 4, bytes: 2),
      try Self.delta(1, 4, bytes: 6),
    ]
    #expect(try Self.shortest(deltas, 1, 4) == [deltas[3]])
  }
}
