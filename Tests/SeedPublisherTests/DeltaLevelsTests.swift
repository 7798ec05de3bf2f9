import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Checks which deltas are merged and which stay listed over thousands of versions that exist only as numbers.
@Suite struct DeltaLevelsTests {
  private static func version(_ number: Int) throws -> SeedVersion { try SeedVersion(number) }

  private static func span(_ from: Int, _ to: Int) throws -> DeltaSpan {
    DeltaSpan(from: try version(from), to: try version(to))
  }

  private static func due(_ head: Int, floor: Int = 1) throws -> [DeltaSpan] {
    DeltaLevels.due(at: try version(head), floor: try version(floor))
  }

  @Test func `deltas are merged in powers of sixteen`() throws {
    for head in [2, 15, 17] { #expect(try Self.due(head).isEmpty) }
    #expect(try Self.due(16) == [Self.span(1, 16)])
    #expect(try Self.due(48) == [Self.span(32, 48)])
    #expect(try Self.due(256) == [Self.span(240, 256), Self.span(1, 256)])
    #expect(try Self.due(512) == [Self.span(496, 512), Self.span(256, 512)])
    #expect(try Self.due(4096) == [Self.span(4080, 4096), Self.span(3840, 4096), Self.span(1, 4096)])
  }

  @Test func `deltas below the floor are not merged`() throws {
    #expect(try Self.due(256, floor: 250) == [Self.span(250, 256)])
    #expect(try Self.due(256, floor: 200) == [Self.span(240, 256), Self.span(200, 256)])
    for floor in [255, 256] { #expect(try Self.due(256, floor: floor).isEmpty) }
  }

  @Test func `a delta contained in a longer one is dropped unless it is among its level's last sixteen`()
    throws
  {
    var spans: Set<DeltaSpan> = [try Self.span(1, 40)]
    for from in 1..<40 { spans.insert(try Self.span(from, from + 1)) }
    let kept = DeltaLevels.kept(spans, anchors: [])
    #expect(kept.count == 17)
    for from in 24..<40 { #expect(kept.contains(try Self.span(from, from + 1))) }
    spans.remove(try Self.span(1, 40))
    #expect(DeltaLevels.kept(spans, anchors: []) == spans)
  }

  // MARK: A series without files

  /// A publisher's bookkeeping without its work. Sizes grow with the square root of the versions, as for deltas
  /// that keep changing the same rows.
  struct Books {
    var job: DatasetJob
    var random: SplitMix
    var head = 1
    var floor = 1
    var objects: [PublishedObject] = []
    var now = UTCTime(secondsSinceEpoch: 1_800_000_000)

    static let snapshotBytes = 1_000_000

    init(seed: UInt64) throws {
      random = SplitMix(seed: seed)
      job = DatasetJob(name: "test", origin: SQLitePlace(""), plans: [])
      objects = [try snapshot()]
    }

    private func object(_ kind: PublishedObject.Kind, bytes: Int) -> PublishedObject {
      let digest = SHA256Digest.of(Array("\(kind)".utf8))
      return PublishedObject(
        series: SeedSeries("test", model: "1.0"), kind: kind, length: bytes, sha256: digest, model: "1.0",
        rawLength: bytes, schema: SHA256Digest.of([]), digest: digest, publishedAt: now)
    }

    private func delta(_ span: DeltaSpan) -> PublishedObject {
      let bytes = 1000 + Int(500 * Double(span.length).squareRoot())
      return object(.delta(from: span.from, to: span.to), bytes: bytes)
    }

    private func snapshot(of version: Int? = nil) throws -> PublishedObject {
      object(.snapshot(try SeedVersion(version ?? head), .gzip), bytes: Self.snapshotBytes)
    }

    private func canMerge(_ span: DeltaSpan) -> Bool {
      DeltaChain.shortest(objects, from: span.from, to: span.to) != nil
    }

    mutating func step() throws {
      let from = try SeedVersion(head)
      head += 1
      now = now.adding(seconds: 60)
      objects.append(delta(DeltaSpan(from: from, to: try SeedVersion(head))))
      for span in DeltaLevels.due(at: try SeedVersion(head), floor: try SeedVersion(floor)) {
        #expect(canMerge(span), "no deltas lead over \(span) at \(head)")
        if !objects.contains(where: { $0.span == span }) { objects.append(delta(span)) }
      }
      objects = Retention(policy: job.policy).afterDelta(objects, floor: try SeedVersion(floor))
    }

    /// Lists a snapshot of the head, or of an older version whose compression took long.
    mutating func publishSnapshot(of version: Int? = nil) throws {
      let previous = try #require(objects.filter { $0.span == nil }.map(\.version).max())
      guard previous.number < head else { return }
      let span = DeltaSpan(from: previous, to: try SeedVersion(version ?? head))
      // Merged deltas may already span an older version, which then gets no delta.
      #expect(canMerge(span) || version != nil, "no deltas lead over \(span) at \(head)")
      if canMerge(span), !objects.contains(where: { $0.span == span }) { objects.append(delta(span)) }
      let outcome = Retention(policy: job.policy).afterSnapshot(
        objects + [try snapshot(of: version)], head: try SeedVersion(head), floor: try SeedVersion(floor),
        schema: SHA256Digest.of([]), now: now)
      #expect(outcome.floor.number >= floor, "the floor sank")
      (floor, objects) = (outcome.floor.number, outcome.objects)
    }

    /// The most requests and the most bytes that any client from the floor on needs to reach head.
    func worst(every stride: Int = 1) throws -> (requests: Int, bytes: Int) {
      var worst = (requests: 0, bytes: 0)
      for start in Swift.stride(from: floor, through: head, by: stride) {
        let chain = try #require(
          DeltaChain.shortest(objects, from: try SeedVersion(start), to: try SeedVersion(head)),
          "nothing leads from \(start) to \(head)")
        worst.requests = max(worst.requests, chain.count)
        worst.bytes = max(worst.bytes, chain.reduce(0) { $0 + $1.length })
      }
      return worst
    }

    var deltas: [DeltaSpan] { objects.compactMap(\.span) }
  }

  @Test func `after thousands of versions any client needs few deltas and few bytes`() throws {
    var books = try Books(seed: 1)
    for _ in 2...Stage.pick(quick: 1100, full: 5000, deep: 5000) { try books.step() }
    #expect(books.deltas.count <= 4 * DeltaLevels.base)
    let levels = Dictionary(grouping: books.deltas, by: DeltaLevels.level)
    #expect(levels.values.allSatisfy { $0.count <= DeltaLevels.base })
    let worst = try books.worst(every: Stage.pick(quick: 7, full: 1, deep: 1))
    #expect(worst.requests <= 3 * DeltaLevels.base, "\(worst)")
    // Single steps would need a request and 1500 bytes for each version.
    #expect(worst.bytes < 200_000, "\(worst)")
  }

  @Test(arguments: zip(0..<6, Stage.seeds(6)))
  func `at every version every client from the floor on can reach head`(_ policy: Int, _ seed: UInt64) throws
  {
    print("policy \(policy), seed \(seed)")
    var books = try Books(seed: seed)
    books.job.retainedSnapshots = [1, 2, 3, 30][policy % 4]
    books.job.retainedSnapshotSeconds = policy.isMultiple(of: 2) ? nil : 6000
    let chance = [2, 5, 20, 1, 50, 0][policy]
    for step in 0..<Stage.pick(quick: 300, full: 700, deep: 700) {
      try books.step()
      if books.random.chance(chance) { try books.publishSnapshot() }
      if step.isMultiple(of: Stage.pick(quick: 5, full: 1, deep: 1)) { _ = try books.worst(every: 7) }
      #expect(books.objects.contains { $0.version.number == books.head }, "nothing tells the head's digest")
      #expect(books.deltas.allSatisfy { $0.from.number >= books.floor })
      #expect(books.deltas.count <= 4 * DeltaLevels.base + books.job.retainedSnapshots)
    }
    _ = try books.worst()
  }

  @Test(arguments: [10, 17, 20, 40])
  func `a snapshot that was compressed while versions were published leads to head`(
    _ versions: Int
  ) throws {
    var books = try Books(seed: 4)
    books.job.retainedSnapshots = 1
    for _ in 2...100 { try books.step() }
    for _ in 0..<3 {
      let version = books.head
      for _ in 0..<versions { try books.step() }
      try books.publishSnapshot(of: version)
      let chain = DeltaChain.shortest(
        books.objects, from: try SeedVersion(version), to: try SeedVersion(books.head))
      #expect(chain != nil && books.floor <= version, "\(version), head \(books.head), floor \(books.floor)")
      _ = try books.worst()
    }
  }

  @Test func `old snapshots are dropped by age but the newest is kept`() throws {
    var books = try Books(seed: 3)
    books.job.retainedSnapshots = 100
    books.job.retainedSnapshotSeconds = 600
    for _ in 0..<50 {
      try books.step()
      try books.publishSnapshot()
    }
    #expect(books.objects.filter { $0.span == nil }.count == 11 && books.floor == books.head - 10)
    books.now = books.now.adding(days: 1)
    try books.step()
    try books.publishSnapshot()
    #expect(books.objects.filter { $0.span == nil }.map(\.version.number) == [books.head])
    #expect(books.floor == books.head && books.deltas.isEmpty)
  }
}
