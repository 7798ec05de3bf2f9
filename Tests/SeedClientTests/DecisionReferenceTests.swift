import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Compares the planner with an exhaustive search.
@Suite struct DecisionReferenceTests {
  private static let histories = Stage.pick(quick: 1000, full: 3000, deep: 30_000)
  private static let app = DecisionTests.app

  @Test func `no plan has fewer bytes than the chosen one`() throws {
    let seed = Stage.seed
    var random = SplitMix(seed: seed)
    for number in 0..<Self.histories {
      let minor = random.chance(50) ? Int.random(in: 2...7, using: &random) : 1
      let metadata = try Self.metadata(&random, minor)
      let head = metadata.state.head.number
      let local = random.chance(20) ? nil : Int.random(in: 1...head, using: &random)
      let seedMeta = try local.map { try DecisionTests.seed(version: $0, Self.schema(at: $0, minor)) }
      let found = try? UpdatePlanner(metadata, seedMeta, Self.app).plan()
      let schema = Self.schema(at: local ?? 1, minor)
      let expected = Reference(metadata.objects, head: head).best(from: local, schema)
      #expect(Self.outcome(found) == expected, "seed \(seed), history \(number)")
    }
  }

  /// The result, cost and start of a plan.
  struct Outcome: Equatable {
    let end: Int?
    let bytes: Int
    let isSnapshot: Bool

    static let nothing = Outcome(end: nil, bytes: 0, isSnapshot: false)
  }

  private static func outcome(_ plan: UpdatePlan?) -> Outcome {
    guard let plan else { return .nothing }
    return Outcome(end: plan.to.number, bytes: plan.bytes, isSnapshot: plan.action == .replaced)
  }

  // MARK: Histories

  /// The head's schema, or before version `minor` that of the previous minor.
  private static func schema(at version: Int, _ minor: Int) -> SHA256Digest { .of([version < minor ? 0 : 1]) }

  private static func metadata(_ random: inout SplitMix, _ minor: Int) throws -> SeriesMetadata {
    let head = Int.random(in: minor...7, using: &random)
    var objects: [PublishedObject] = []
    for version in 1...head {
      for (encoding, chance) in [(ContentEncoding.gzip, 30), (.xz, 20)] where random.chance(chance) {
        objects.append(try object(.snapshot(try SeedVersion(version), encoding), &random, minor))
      }
      for from in 1..<max(version, 1) where random.chance(35) {
        for encoding in random.chance(20) ? ContentEncoding.allCases : [.gzip] {
          let kind = PublishedObject.Kind.delta(
            from: try SeedVersion(from), to: try SeedVersion(version), encoding)
          objects.append(try object(kind, &random, minor))
        }
      }
    }
    return try DecisionTests.metadata(head: head, objects)
  }

  private static func object(
    _ kind: PublishedObject.Kind, _ random: inout SplitMix, _ minor: Int
  ) throws -> PublishedObject {
    let (isFirst, version): (Bool, Int) =
      switch kind {
      case .snapshot(let version, _): (false, version.number)
      case .delta(let from, let to, _): (from.next == to && to.number == minor, to.number)
      }
    return PublishedObject(
      series: app.series, kind: kind, length: Int.random(in: 1...12, using: &random), sha256: .of([]),
      model: "2.1", rawLength: 1, schema: schema(at: version, minor),
      schemaBefore: isFirst ? schema(at: version - 1, minor) : nil, digest: .of([2]))
  }
}

/// Finds the best plan by trying all deltas at every step.
private struct Reference {
  typealias Outcome = DecisionReferenceTests.Outcome
  let deltas: [(from: Int, to: Int, bytes: Int, before: SHA256Digest, after: SHA256Digest)]
  let snapshots: [(version: Int, bytes: Int, schema: SHA256Digest)]
  let head: Int

  init(_ objects: [PublishedObject], head: Int) {
    self.head = head
    deltas = objects.compactMap { object in
      guard case .delta(let from, let to, _) = object.kind else { return nil }
      let before = object.schemaBefore ?? object.schema
      return (from.number, to.number, object.length, before, object.schema)
    }
    snapshots = objects.filter(\.isSnapshot).map { ($0.version.number, $0.length, $0.schema) }
  }

  /// The fewest bytes of deltas from a version to head and its schema.
  func chain(from version: Int, _ schema: SHA256Digest) -> Int? {
    if version == head { return schema == .of([1]) ? 0 : nil }
    let next = deltas.filter { $0.from <= version && version < $0.to && $0.before == schema }
    return next.compactMap { delta in chain(from: delta.to, delta.after).map { $0 + delta.bytes } }.min()
  }

  /// Prefers the highest version, then the newest snapshot, then the fewest bytes.
  func snapshotRoad() -> Outcome? {
    let roads = snapshots.compactMap { snapshot -> (end: Int, version: Int, bytes: Int)? in
      let chain = chain(from: snapshot.version, snapshot.schema)
      guard chain != nil || snapshot.schema == .of([1]) else { return nil }
      return (
        end: chain == nil ? snapshot.version : head, version: snapshot.version,
        bytes: snapshot.bytes + (chain ?? 0)
      )
    }
    let best = roads.max { ($0.end, $0.version, $1.bytes) < ($1.end, $1.version, $0.bytes) }
    return best.map { Outcome(end: $0.end, bytes: $0.bytes, isSnapshot: true) }
  }

  func best(from local: Int?, _ schema: SHA256Digest) -> Outcome {
    let snapshot = snapshotRoad()
    guard let local else { return snapshot ?? .nothing }
    if local == head { return Outcome(end: head, bytes: 0, isSnapshot: false) }
    let chain = chain(from: local, schema).map { Outcome(end: head, bytes: $0, isSnapshot: false) }
    let forward = snapshot.flatMap { ($0.end ?? 0) > local ? $0 : nil }
    guard let chain else { return forward ?? .nothing }
    return forward.map { $0.bytes < chain.bytes ? $0 : chain } ?? chain
  }
}
