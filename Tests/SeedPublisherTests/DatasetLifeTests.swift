import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Promise 3 for a long-lived dataset: several series with minors added later, levels, prunes, working copies
/// edited by hand, and publisher crashes.
@Suite struct DatasetLifeTests {
  static let lives = Stage.pick(quick: 1, full: 4, deep: 40)
  static let steps = Stage.pick(quick: 24, full: 45, deep: 120)
  /// The distance between the versions at which clients begin.
  fileprivate static let versionsPerClient = Stage.pick(quick: 2, full: 1, deep: 1)
  /// Steps after which every client must reach head.
  private static let stepsBetweenLooks = 12

  @Test(arguments: Stage.seeds(lives))
  func `every version from the floor on reaches head exactly`(_ seed: UInt64) throws {
    do {
      let life = try DatasetLife(seed: seed)
      for step in 1...Self.steps {
        try life.step()
        if step.isMultiple(of: Self.stepsBetweenLooks) { try life.look() }
      }
      // A random life may have few events.
      #expect(
        Stage.current != .quick || life.majors == [1, 2] && life.models.count >= 4, "a life without events")
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }
}

private enum LifeModels {
  private static let search =
    "CREATE VIRTUAL TABLE search USING fts5(name, content='plain', content_rowid='id');"
  private static let narrow = """
    CREATE TABLE plain(id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
    CREATE TABLE slots(id INTEGER PRIMARY KEY, slot INTEGER UNIQUE);
    CREATE TABLE leaf(key TEXT PRIMARY KEY, parent INTEGER) WITHOUT ROWID; \(search)
    """
  private static let leaf = ["leaf": "SELECT 'leaf ' || id AS key, parent FROM tree"]
  private static let counted = "CREATE TABLE counted(id INTEGER PRIMARY KEY, number INTEGER);"

  /// In order of release; within a major, the later one adds to the earlier.
  static let all = [
    model("1.0", HardSchema.sql),
    model("2.0", narrow, projections: leaf),
    model(
      "1.1", HardSchema.sql + counted + "CREATE INDEX child_note ON child(note);",
      projections: ["counted": "SELECT id, n AS number FROM plain"]),
    model(
      "2.1",
      narrow.replacing("n INTEGER", with: "n INTEGER, num NUMERIC DEFAULT 12")
        .replacing("parent INTEGER", with: "parent INTEGER, double INTEGER") + counted,
      projections: [
        "leaf": "SELECT 'leaf ' || id AS key, parent, parent * 2 AS double FROM tree",
        "counted": "SELECT id, high AS number FROM checked",
      ]),
    model(
      "1.2",
      HardSchema.sql + counted
        + "CREATE INDEX child_note ON child(note); CREATE VIEW roots AS SELECT id FROM tree WHERE parent IS NULL",
      projections: ["counted": "SELECT id, n AS number FROM plain"]),
  ]
}

private final class DatasetLife {
  private let seed: UInt64
  private let deployment: TestDeployment
  private let history: RandomHistory
  private var random: SplitMix
  private(set) var models = [LifeModels.all[0]]
  private var clients: [SeedSeries: [SeedVersion: [UInt8]]] = [:]
  private var expected: [SeedSeries: [SeedVersion: SeedRows]] = [:]

  /// Events of a long life, in percent of the steps.
  private enum Chance {
    static let newModel = 25
    static let suffering = 30
    static let snapshot = 6
  }

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix(seed: seed)
    history = try RandomHistory(seed: seed)
    deployment = try TestDeployment(models, in: try TemporaryFolder(inMemory: true))
    try configure()
  }

  var majors: [Int] { Set(models.map(\.version.major)).sorted() }

  private func configure() throws {
    try deployment.use(models)
    var job = deployment.job
    job.retainedSnapshots = 3
    job.snapshotSeconds = .max
    job.shrinkGuard.percent = 100
    job.graceSeconds = 3
    job.indexes = random.chance(50) ? .client : .snapshot
    deployment.job = job
  }

  // MARK: Steps

  func step() throws {
    try history.mutate()
    try history.write(to: deployment.originPath)
    if !clients.isEmpty, models.count < LifeModels.all.count, random.chance(Chance.newModel) {
      models.append(LifeModels.all[models.count])
      try configure()
    }
    if !clients.isEmpty, random.chance(Chance.suffering) { try suffer() }
    let report = try deployment.step(forcingSnapshot: random.chance(Chance.snapshot))
    #expect(report.warnings.allSatisfy { !$0.contains("delta") }, "seed \(seed): \(report.warnings)")
    for series in report.series { try keep(series) }
  }

  private func keep(_ report: SeriesReport) throws {
    let (series, version) = (report.series, try #require(report.version))
    let rows = try history.rows(of: try #require(plan(series)).newest)
    if let known = expected[series]?[version] {
      #expect(known == rows, "seed \(seed): a change of \(series) was not published at \(version)")
    }
    expected[series, default: [:]][version] = rows
    clients[series, default: [:]][version] = try bytes(copy(series))
  }

  private func plan(_ series: SeedSeries) -> SeriesPlan? {
    deployment.job.plans.first { $0.series == series }
  }

  private func copy(_ series: SeedSeries) -> String { deployment.copy(major: series.major) }

  private func bytes(_ path: String) throws -> [UInt8] { try DurableFile.read(path, limit: 1 << 30) }

  // MARK: Accidents

  private func suffer() throws {
    let series = random.pick(clients.keys.sorted())
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try WorkingCopy.remove(copy(series))
    case 1:
      let older = random.pick((clients[series] ?? [:]).keys.sorted())
      try DurableFile.write(try #require(clients[series]?[older]), to: copy(series))
    case 2:
      try Connection(copy(series), .writer).execute("DELETE FROM plain; UPDATE slots SET slot = NULL")
    case 3: try Folder.remove(deployment.folder("state/unnamed-files.json"))
    case 4: try dieWhileCompressing()
    default: try dieBeforeTimestamp()
    }
  }

  /// The publisher dies after it wrote all of a step's objects and before the metadata.
  private func dieBeforeTimestamp() throws {
    let before = try publishedFiles(deployment.publication)
    let copies = try clients.keys.map { (copy($0), try DurableFile.readIfPresent(copy($0), limit: 1 << 30)) }
    _ = try deployment.step(forcingSnapshot: random.chance(50))
    for (path, bytes) in before { try DurableFile.write(bytes, to: path) }
    for path in try publishedFiles(deployment.publication).keys
    where before[path] == nil && path.contains("/metadata/") {
      try Folder.remove(path)
    }
    for plan in deployment.job.plans { try WorkingCopy.remove(copy(plan.series)) }
    for case (let path, let bytes?) in copies { try DurableFile.write(bytes, to: path) }
  }

  /// The publisher dies after publishing, in the middle of a snapshot, and leaves some of its files.
  private func dieWhileCompressing() throws {
    struct Death: Error {}
    let whole = deployment.publisher
    deployment.publisher.beforeCompression = { _, _ in throw Death() }
    defer { deployment.publisher = whole }
    do {
      let report = try deployment.step(forcingSnapshot: true)
      for series in report.series { try keep(series) }
    } catch is Death {
      for plan in deployment.job.plans { try keepHead(plan) }
    }
    let series = random.pick(clients.keys.sorted())
    try DurableFile.write([1, 2, 3], to: deployment.folder("state/\(series.roleName).snapshot"))
  }

  /// Keeps the rows of a version whose step died before it reported it.
  private func keepHead(_ plan: SeriesPlan) throws {
    guard let state = try deployment.publication.published().series[plan.series]?.metadata.state,
      state.model == plan.newest.version, clients[plan.series]?[state.head] == nil
    else { return }
    try keep(SeriesReport(series: plan.series, outcome: .changed, version: state.head))
  }

  // MARK: Checks

  /// Checks that every listed object matches its signed hash and that every client from the floor on reaches head.
  func look() throws {
    let published = try deployment.publication.published()
    for plan in deployment.job.plans {
      let metadata = try #require(published.series[plan.series]?.metadata)
      for object in metadata.objects { try check(object, plan) }
      let floor = metadata.state.floor
      let head = try #require(expected[plan.series]?[metadata.state.head])
      let digest = slowDigest(head)
      let starts = (clients[plan.series] ?? [:]).keys.sorted().filter { $0 >= floor }
      for (place, start) in starts.enumerated() where place.isMultiple(of: DatasetLifeTests.versionsPerClient)
      {
        let schema = try SeedTables.meta(try open(try #require(clients[plan.series]?[start]))).schema
        let chain = DeltaChain.shortest(metadata.objects, from: start, schema, to: metadata.state.head)
        let client = try apply(
          try #require(chain, "nothing leads from \(start) of \(plan.series)"), from: start, plan)
        #expect(try seedRows(client, plan.schema) == head, "seed \(seed): other rows from \(start)")
        #expect(try SeedTables.meta(client).digest == digest, "seed \(seed): other digest from \(start)")
      }
      try enterEverywhere(metadata, plan)
    }
  }

  /// A client may enter a delta in the middle. The chains have the deltas of single steps.
  private func enterEverywhere(_ metadata: SeriesMetadata, _ plan: SeriesPlan) throws {
    for delta in metadata.objects where delta.schemaBefore == nil && delta.schema == plan.schema.hash {
      guard (delta.span?.length ?? 0) > 1 else { continue }
      for start in (clients[plan.series] ?? [:]).keys where delta.covers(start) {
        _ = try apply([delta], from: start, plan)
      }
    }
  }

  private func apply(
    _ chain: [PublishedObject], from start: SeedVersion, _ plan: SeriesPlan
  ) throws -> Connection {
    let client = try open(try #require(clients[plan.series]?[start]))
    let applier = DeltaApplier(client, try SchemaReader(client).schema())
    for delta in chain {
      let document = try deployment.publication.delta(delta)
      let result = try client.transaction { try applier.apply(DocumentPieces.of(document), signed: delta) }
      #expect(result.digest == delta.digest, "seed \(seed), from \(start)")
    }
    #expect(applier.schema == plan.schema, "seed \(seed)")
    return client
  }

  /// Checks an object's signed hash, and that a snapshot of the newest schema holds its version's rows.
  private func check(_ object: PublishedObject, _ plan: SeriesPlan) throws {
    let found = try SHA256Digest.ofFile(at: deployment.publication.file(object))
    #expect(found.digest == object.sha256 && found.length == object.length, "seed \(seed)")
    guard !object.isDelta, object.schema == plan.schema.hash else { return }
    let seedFile = try open(try bytes(try deployment.expand(object, to: "expanded.sqlite")))
    let rows = try seedRows(seedFile, plan.schema)
    #expect(
      rows == expected[plan.series]?[object.version], "seed \(seed): \(object.targetPath) has other rows")
    #expect(slowDigest(rows) == object.digest, "seed \(seed): \(object.targetPath) has another digest")
  }

  private func open(_ bytes: [UInt8]) throws -> Connection {
    let path = deployment.folder("client.sqlite")
    try WorkingSeed.remove(path)
    try DurableFile.write(bytes, to: path)
    return try Connection(path, .writer)
  }
}
