import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// Decisions of the planner, case by case. `s5` is a snapshot of version 5, `d3-5` a delta; `x5` and `y3-5` are in xz.
@Suite struct DecisionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The version on the device, or `nil`.
    var local: Int?
    var head = 10
    let objects: [(String, bytes: Int)]
    /// The short names of the planned downloads in order, or the kind of error.
    let expected: String
  }

  static let cases: [Case] = [
    Case("nothing is there", nil, [("s10", 100)], "s10"),
    Case(
      "nothing is there and the snapshot lies behind", nil, [("s8", 100), ("d8-9", 5), ("d9-10", 5)],
      "s8 d8-9 d9-10"),
    Case("nothing is there and the snapshot leads nowhere", nil, [("s8", 100)], "s8"),
    Case("nothing is there and nothing is published", nil, [], "versionGone"),
    Case("the newest of two snapshots", nil, [("s9", 10), ("s10", 100), ("d9-10", 1)], "s10"),
    Case("the smaller of two encodings", nil, [("s10", 100), ("x10", 60)], "x10"),
    Case("the smaller of two encodings, gzip", nil, [("s10", 50), ("x10", 60)], "s10"),
    Case("at the head", 10, [("s10", 100)], "upToDate"),
    Case("at the head, though nothing is left", 10, [], "upToDate"),
    Case("ahead of the head", 11, [("s10", 100)], "rolledBack"),
    Case("one behind", 9, [("s10", 100), ("d9-10", 5)], "d9-10"),
    Case("a merged delta is shorter", 7, [("d7-8", 5), ("d8-9", 5), ("d9-10", 5), ("d7-10", 9)], "d7-10"),
    Case("a delta from before covers it", 8, [("d5-10", 9)], "d5-10"),
    Case("a chain of as many bytes as the snapshot", 9, [("s10", 5), ("d9-10", 5)], "d9-10"),
    Case("a chain larger than the snapshot", 8, [("s10", 9), ("d8-9", 5), ("d9-10", 5)], "s10"),
    Case(
      "a chain larger than the snapshot and its chain", 5, [("s9", 9), ("d9-10", 1), ("d5-10", 50)],
      "s9 d9-10"),
    Case("the smaller of two encodings of a delta", 7, [("d7-10", 9), ("y7-10", 5)], "y7-10"),
    Case("the smaller of two encodings of a delta, gzip", 7, [("y7-10", 9), ("d7-10", 5)], "d7-10"),
    Case(
      "single steps are shorter than a delta in gzip, but not than the same delta in xz", 8,
      [("d8-9", 4), ("d9-10", 4), ("d7-10", 9), ("y7-10", 7)], "y7-10"),
    Case("a gap", 5, [("s10", 100), ("d7-8", 1), ("d8-10", 1)], "s10"),
    Case("a gap and no newer snapshot", 5, [("s4", 1), ("d7-10", 1)], "versionGone"),
    Case("a gap that the snapshot has too", 5, [("s5", 1), ("d7-10", 1)], "versionGone"),
    Case("objects beyond the head do not count", 9, [("s11", 1), ("d9-11", 1), ("d9-10", 5)], "d9-10"),
    Case("deltas of another schema do not count", 9, [("o9-10", 1), ("s10", 100)], "s10"),
    Case(
      "snapshots of another schema do not count", nil, [("p10", 1), ("s9", 100), ("d9-10", 1)], "s9 d9-10"),
  ]

  @Test(arguments: cases) func `the planner chooses the cheapest published plan`(example: Case) throws {
    let local = try example.local.map { try Self.seed(version: $0) }
    #expect(Self.decide(try Self.metadata(example), local, Self.app) == example.expected)
  }

  @Test func `another epoch requires a snapshot for any version`() throws {
    for version in [1, 10, 99] {
      var local = try Self.seed(version: version)
      local.epoch = try Epoch("ffffffffffffffff")
      #expect(Self.decide(try Self.metadata(Self.cases[0]), local, Self.app) == "s10")
    }
  }

  @Test func `a file of an older schema requires a snapshot even at head, but not an older one`() throws {
    for version in [9, 10] {
      var local = try Self.seed(version: version)
      local.schema = .of([0])
      let example = Case("", nil, [("s10", 100), ("d9-10", 1)], "")
      #expect(Self.decide(try Self.metadata(example), local, Self.app) == "s10")
      let older = try Self.metadata(Case("", nil, [("s8", 100)], ""))
      #expect(Self.decide(older, local, Self.app) == "versionGone")
    }
  }

  @Test func `rows that differ from the published version require a snapshot`() throws {
    var local = try Self.seed(version: 10)
    local.digest = .of([9])
    #expect(Self.decide(try Self.metadata(Self.cases[0]), local, Self.app) == "s10")
  }

  @Test func `an unpublished minor is rejected before anything else`() throws {
    let app = SeedModel(dataset: "transit", version: "2.7", schema: .of([7]))
    let found = Self.decide(try Self.metadata(Self.cases[0]), try Self.seed(version: 99), app)
    #expect(found == "noCompatibleModel")
  }

  @Test func `an older minor opens the newest file if its pinned schema matches`() throws {
    let metadata = try Self.metadata(Self.cases[0])
    let older = SeedModel(dataset: "transit", version: "2.0", schema: .of([0]))
    #expect(Self.decide(metadata, nil, older) == "s10")
    let wrong = SeedModel(dataset: "transit", version: "2.0", schema: .of([1]))
    #expect(Self.decide(metadata, nil, wrong) == "modelMismatch")
  }

  @Test func `an app below all published models is too old but one between them is not`() throws {
    var metadata = try Self.metadata(Self.cases[0])
    metadata.state.models = ["2.1": .of([1]), "2.3": .of([3]), "2.4": .of([4])]
    metadata.state.model = "2.4"
    func refusal(_ model: ModelVersion) -> String {
      Self.decide(metadata, nil, SeedModel(dataset: "transit", version: model))
    }
    #expect(refusal("2.0") == "clientTooOld")
    #expect(refusal("2.2") == "noCompatibleModel")
    #expect(refusal("2.5") == "noCompatibleModel")
    #expect(!SeedError(.clientTooOld, "").isRetryable)
  }

  @Test func `rejected objects are ignored as if they were not published`() throws {
    let example = Case("", nil, [("s10", 100), ("d8-10", 5), ("d8-9", 10), ("d9-10", 10), ("x10", 60)], "")
    let metadata = try Self.metadata(example)
    let local = try Self.seed(version: 8)
    func decide(_ local: SeedMeta?, without names: Set<String>) -> String {
      let rejected = metadata.objects.filter { names.contains($0.shortName) }.map(\.sha256)
      return Self.decide(metadata, local, Self.app, rejected: Set(rejected))
    }
    #expect(decide(local, without: []) == "d8-10")
    #expect(decide(local, without: ["d8-10"]) == "d8-9 d9-10")
    #expect(decide(local, without: ["d8-10", "d8-9"]) == "x10")
    #expect(decide(local, without: ["d8-10", "d8-9", "x10"]) == "s10")
    #expect(decide(local, without: ["d8-10", "d8-9", "x10", "s10"]) == "rejected")
    #expect(decide(nil, without: ["x10"]) == "s10")
    // The signed digest still comes from rejected objects.
    #expect(decide(try Self.seed(version: 10), without: ["s10", "x10"]) == "upToDate")
  }

  @Test func `rows that were rolled back do not return in another encoding`() throws {
    let metadata = try Self.metadata(Case("", nil, [("s9", 100), ("x9", 60)], ""))
    #expect(Self.decide(metadata, nil, Self.app, rejected: [metadata.objects[1].sha256]) == "s9")
    let rolledBack: Set = [metadata.objects[1].sha256, metadata.objects[1].digest]
    #expect(Self.decide(metadata, nil, Self.app, rejected: rolledBack) == "rejected")
  }

  @Test func `a plan contains action, reason and size`() throws {
    func plan(_ local: Int?, _ objects: [(String, bytes: Int)]) throws -> UpdatePlan {
      let metadata = try Self.metadata(Case("", local, objects, ""))
      return try UpdatePlanner(metadata, local.map { try Self.seed(version: $0) }, Self.app).plan()
    }
    let chain = try plan(9, [("s10", 100), ("d9-10", 5)])
    #expect(chain.action == .applied && chain.reason == .deltasAreSmaller && chain.bytes == 5)
    #expect(chain.deltaBytes == 5 && chain.snapshotBytes == 100 && chain.files == ["delta-9-10.json.gz"])
    let snapshot = try plan(8, [("s9", 4), ("d9-10", 1), ("d8-10", 6)])
    #expect(snapshot.action == .replaced && snapshot.reason == .snapshotIsSmaller && snapshot.bytes == 5)
    #expect(snapshot.files == ["snapshot-9.sqlite.gz", "delta-9-10.json.gz"] && snapshot.to.number == 10)
    #expect(try plan(9, [("d9-10", 5)]).reason == .onlyDeltas)
    #expect(try plan(9, [("s10", 5)]).reason == .onlySnapshot)
    #expect(try plan(nil, [("s10", 5)]).reason == .firstDownload)
    let nothing = try plan(10, [("s10", 5)])
    #expect(nothing.action == .upToDate && nothing.reason == .upToDate && nothing.bytes == 0)
    #expect(nothing.to.number == 10)
    #expect(throws: SeedError.self) { try plan(11, [("s10", 5)]) }
  }

  @Test func `a retired series is followed to its end and then reported`() throws {
    var metadata = try Self.metadata(Self.cases[0])
    metadata.state.lifecycle = .retired(message: "Use 3.")
    #expect(Self.decide(metadata, nil, Self.app) == "s10")
    #expect(Self.decide(metadata, try Self.seed(version: 10), Self.app) == "upToDate")
    var empty = try Self.metadata(Case("", nil, [], ""))
    empty.state.lifecycle = .retired(message: "Use 3.")
    #expect(Self.decide(empty, nil, Self.app) == "retired")
  }

  @Test func `the delay doubles with failures up to the publisher's interval`() {
    let interval = PollInterval(pollSeconds: 30)
    #expect(interval.wait(afterFailures: 0, chance: 0.5) == .seconds(30))
    #expect(
      (1...6).map { interval.wait(afterFailures: $0, chance: 0.5) }
        == [10, 20, 30, 30, 30, 30].map { .seconds($0) })
    #expect(interval.wait(afterFailures: 0, chance: 0) == .seconds(27))
    #expect(interval.wait(afterFailures: 0, chance: 1) == .seconds(33))
    #expect(PollInterval(pollSeconds: .max).wait(afterFailures: 0, chance: 0.5) == .seconds(86_400))
    #expect(PollInterval(pollSeconds: 1).wait(afterFailures: 1_000_000, chance: 0.5) == .seconds(5))
  }

  // MARK: Helpers

  static let app = SeedModel(dataset: "transit", version: "2.1", schema: .of([1]))

  private static func decide(
    _ metadata: SeriesMetadata, _ local: SeedMeta?, _ app: SeedModel, rejected: Set<SHA256Digest> = []
  ) -> String {
    do throws(SeedError) {
      let plan = try UpdatePlanner(metadata, local, app, rejected: rejected).plan()
      return plan.action == .upToDate
        ? "upToDate" : plan.objects.map(\.shortName).joined(separator: " ")
    } catch {
      return error.code.description
    }
  }

  static func seed(version: Int, _ schema: SHA256Digest = .of([1])) throws -> SeedMeta {
    SeedMeta(
      series: app.series, model: "2.1", epoch: try Epoch("0123456789abcdef"),
      version: try SeedVersion(version), schema: schema, digest: .of([2]), provenance: Provenance())
  }

  private static func metadata(_ example: Case) throws -> SeriesMetadata {
    try metadata(head: example.head, example.objects.map(object))
  }

  static func metadata(head: Int, _ objects: [PublishedObject]) throws -> SeriesMetadata {
    let state = SeriesState(
      epoch: try Epoch("0123456789abcdef"), head: try SeedVersion(head), floor: .first, model: "2.1",
      models: ["2.1": .of([1]), "2.0": .of([0])], publishedAt: UTCTime(secondsSinceEpoch: 0), pollSeconds: 60)
    return SeriesMetadata(series: app.series, state: state, objects: objects)
  }

  private static func object(_ name: String, _ bytes: Int) throws -> PublishedObject {
    let versions = try name.dropFirst().split(separator: "-").map { try SeedVersion(String($0)) }
    let kind: PublishedObject.Kind =
      switch name.first {
      case "s", "p": .snapshot(versions[0], .gzip)
      case "x": .snapshot(versions[0], .xz)
      case "y": .delta(from: versions[0], to: versions[1], .xz)
      default: .delta(from: versions[0], to: versions[1])
      }
    let isOfHeadsSchema = !["o", "p"].contains(name.first)
    return PublishedObject(
      series: app.series, kind: kind, length: bytes, sha256: .of(Array(name.utf8)), model: "2.1",
      rawLength: 1, schema: .of([isOfHeadsSchema ? 1 : 0]), digest: .of([2]))
  }
}

extension DecisionTests.Case {
  init(_ name: String, _ local: Int?, _ objects: [(String, bytes: Int)], _ expected: String) {
    self.init(testDescription: name, local: local, objects: objects, expected: expected)
  }
}

extension PublishedObject {
  var shortName: String {
    switch kind {
    case .snapshot(let version, .gzip): "s\(version)"
    case .snapshot(let version, .xz): "x\(version)"
    case .delta(let from, let to, let encoding): "\(encoding == .gzip ? "d" : "y")\(from)-\(to)"
    }
  }
}
