import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Compares the planner with an exhaustive search.
@Suite struct DecisionReferenceTests {
  private static let histories = 3000
  private static let app = SeedModel(dataset: "transit", version: "2.1", schema: .of([1]))

  @Test func `no plan has fewer bytes than the chosen one`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    for number in 0..<Self.histories {
      let metadata = try Self.metadata(&random)
      let head = metadata.state.head.number
      let local = random.chance(20) ? nil : Int.random(in: 1...head, using: &random)
      let seedMeta = try local.map { try Self.seed(version: $0) }
      let found = try? UpdatePlanner(metadata, seedMeta, Self.app).plan()
      let expected = Reference(metadata.objects, head: head).best(from: local)
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

  private static func metadata(_ random: inout SplitMix) throws -> SeriesMetadata {
    let head = Int.random(in: 1...7, using: &random)
    var objects: [PublishedObject] = []
    for version in 1...head {
      if random.chance(30) { objects.append(try object(.snapshot(try SeedVersion(version), .gzip), &random)) }
      if random.chance(20) { objects.append(try object(.snapshot(try SeedVersion(version), .xz), &random)) }
      for from in 1..<max(version, 1) where random.chance(35) {
        objects.append(try object(.delta(from: try SeedVersion(from), to: try SeedVersion(version)), &random))
      }
    }
    let state = SeriesState(
      epoch: try Epoch("0123456789abcdef"), head: try SeedVersion(head), floor: .first, model: "2.1",
      models: ["2.1": .of([1])], publishedAt: UTCTime(secondsSinceEpoch: 0), pollSeconds: 60)
    return SeriesMetadata(series: app.series, state: state, objects: objects)
  }

  private static func object(
    _ kind: PublishedObject.Kind, _ random: inout SplitMix
  ) throws -> PublishedObject {
    PublishedObject(
      series: app.series, kind: kind, length: Int.random(in: 1...12, using: &random), sha256: .of([]),
      model: "2.1", rawLength: 1, rawSHA256: .of([]), schema: .of([1]), digest: .of([2]))
  }

  private static func seed(version: Int) throws -> SeedMeta {
    SeedMeta(
      series: app.series, model: "2.1", epoch: try Epoch("0123456789abcdef"),
      version: try SeedVersion(version),
      schema: .of([1]), digest: .of([2]), provenance: Provenance())
  }
}

/// Finds the best plan by trying all deltas at every step.
private struct Reference {
  typealias Outcome = DecisionReferenceTests.Outcome
  let deltas: [(from: Int, to: Int, bytes: Int)]
  let snapshots: [(version: Int, bytes: Int)]
  let head: Int

  init(_ objects: [PublishedObject], head: Int) {
    self.head = head
    deltas = objects.compactMap { object in
      guard case .delta(let from, let to, _) = object.kind else { return nil }
      return (from.number, to.number, object.length)
    }
    snapshots = objects.filter(\.isSnapshot).map { ($0.version.number, $0.length) }
  }

  /// The fewest bytes of deltas from a version to head.
  func chain(from version: Int) -> Int? {
    if version == head { return 0 }
    let next = deltas.filter { $0.from <= version && version < $0.to }
    return next.compactMap { delta in chain(from: delta.to).map { $0 + delta.bytes } }.min()
  }

  /// Prefers the highest version, then the newest snapshot, then the fewest bytes.
  func snapshotRoad() -> Outcome? {
    let roads = snapshots.map { snapshot in
      let chain = chain(from: snapshot.version)
      return (
        end: chain == nil ? snapshot.version : head, version: snapshot.version,
        bytes: snapshot.bytes + (chain ?? 0)
      )
    }
    let best = roads.max { ($0.end, $0.version, $1.bytes) < ($1.end, $1.version, $0.bytes) }
    return best.map { Outcome(end: $0.end, bytes: $0.bytes, isSnapshot: true) }
  }

  func best(from local: Int?) -> Outcome {
    let snapshot = snapshotRoad()
    guard let local else { return snapshot ?? .nothing }
    if local == head { return Outcome(end: head, bytes: 0, isSnapshot: false) }
    let chain = chain(from: local).map { Outcome(end: head, bytes: $0, isSnapshot: false) }
    let forward = snapshot.flatMap { ($0.end ?? 0) > local ? $0 : nil }
    guard let chain else { return forward ?? .nothing }
    return forward.map { $0.bytes < chain.bytes ? $0 : chain } ?? chain
  }
}
