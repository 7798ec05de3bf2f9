import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

import struct Foundation.URL

/// Stores that follow a series across the delta that begins a minor.
@Suite struct MinorTests {
  private struct Stop: Decodable, Equatable {
    let id: String
    let name: String
  }

  private struct ZonedStop: Decodable, Equatable {
    let id: String
    let zone: String
  }

  let fixture: StoreFixture
  private let older: SHA256Digest

  private var publisher: ClientPublisherSimulator { fixture.publisher }

  /// A publisher at version 2, whose only snapshot is version 1.
  init() throws {
    fixture = try StoreFixture()
    older = fixture.publisher.schema.hash
    try fixture.publisher.publish(["a": "One"])
    try fixture.publisher.publish(["a": "Two"])
  }

  /// The store of an app of the older minor.
  private func olderStore() throws -> SeedStore { try fixture.store(schema: older) }

  private func newerStore() throws -> SeedStore { try fixture.store(model: "2.2") }

  /// Version 3 begins the minor, and version 4 has rows of it.
  private func beginMinor() throws {
    try publisher.beginMinor()
    try publisher.publish(["b": "Bellevue"])
  }

  @Test func `an app of the older minor follows by deltas, without a snapshot`() async throws {
    let store = try olderStore()
    try await store.update()
    try beginMinor()
    publisher.withServed { $0.requests = [] }
    let report = try await store.update()
    #expect(report.action == .applied && report.to.number == 4)
    #expect(publisher.withServed { $0.requests }.allSatisfy { !$0.contains(".sqlite") })
    #expect(try await store.stops() == ["Two", "Bellevue"])
    try await store.verify()
    try publisher.publish(["c": "Charlottenburg"])
    #expect(try await store.update().action == .applied)
    await store.close()
    let again = try olderStore()
    #expect(try await again.update().action == .upToDate)
    #expect(try await again.stops() == ["Two", "Bellevue", "Charlottenburg"])
  }

  @Test func `queries and live queries that ran before a minor see its columns afterwards`() async throws {
    let store = try olderStore()
    try await store.update()
    let all: SeedQuery = "SELECT * FROM stop ORDER BY id"
    let named: SeedQuery = "SELECT id, name FROM stop ORDER BY id"
    let (liveRows, liveStops) = (
      Collected(store.observe(all)), Collected(store.observe(named, as: Stop.self))
    )
    let two = Stop(id: "a", name: "Two")
    #expect(try await store.rows(all).map(\.names) == [["id", "name", "lat"]])
    #expect(try await store.rows(named, as: Stop.self) == [two])
    try await until { liveRows.all.last?.count == 1 && liveStops.all.last == [two] }
    #expect(liveRows.all.last?.map(\.names) == [["id", "name", "lat"]])
    try beginMinor()
    try await store.update()
    let (columns, stops) = (["id", "name", "lat", "zone"], [two, Stop(id: "b", name: "Bellevue")])
    #expect(try await store.rows(all).map(\.names) == [columns, columns])
    #expect(try await store.rows(named, as: Stop.self) == stops)
    #expect(try await store.rows(all, as: Stop.self) == stops)
    let zones = [ZonedStop(id: "a", zone: "A"), ZonedStop(id: "b", zone: "B")]
    #expect(try await store.rows(all, as: ZonedStop.self) == zones)
    try await until { liveRows.all.last?.count == 2 && liveStops.all.last == stops }
    #expect(liveRows.all.last?.map(\.names) == [columns, columns] && !liveRows.isOver && !liveStops.isOver)
  }

  @Test func `a minor with an unchanged table reaches a live query that reads its new columns`() async throws
  {
    let store = try olderStore()
    try await store.update()
    let all = Collected(store.observe("SELECT * FROM stop"))
    try await until { all.all.last?.count == 1 }
    try publisher.beginMinor()
    try await store.update()
    try await until { all.all.last?.map(\.names) == [["id", "name", "lat", "zone"]] }
    let zones = try await store.rows("SELECT id, zone FROM stop", as: ZonedStop.self)
    #expect(zones == [ZonedStop(id: "a", zone: "A")])
  }

  @Test func `an app of the newer minor goes on with the store of the older`() async throws {
    let store = try olderStore()
    try await store.update()
    try beginMinor()
    try await store.update()
    await store.close()
    publisher.withServed { $0.failure = .offline }
    let newer = try newerStore()
    let zones = try await newer.rows("SELECT id, zone FROM stop ORDER BY id", as: ZonedStop.self)
    #expect(zones == [ZonedStop(id: "a", zone: "A"), ZonedStop(id: "b", zone: "B")])
    publisher.withServed { $0.failure = nil }
    #expect(try await newer.update().action == .upToDate)
  }

  @Test func `an app of the newer minor reaches it from a store of the older by deltas`() async throws {
    let store = try olderStore()
    try await store.update()
    await store.close()
    try beginMinor()
    publisher.withServed { $0.requests = [] }
    let newer = try newerStore()
    let report = try await newer.update()
    #expect(report.action == .applied && report.from?.number == 2 && report.to.number == 4)
    #expect(report.changes["stop"]?.inserted == 1)
    #expect(publisher.withServed { $0.requests }.allSatisfy { !$0.contains(".sqlite") })
    let zones = try await newer.rows("SELECT id, zone FROM stop", as: ZonedStop.self)
    #expect(zones.count == 2)
    try await newer.verify()
    try publisher.publish(["c": "Charlottenburg"])
    #expect(try await newer.update().action == .applied)
  }

  @Test func `a snapshot replaces data of an older minor that the deltas do not fit`() async throws {
    let store = try olderStore()
    let seed = try await store.update().seed
    await store.close()
    try Connection(seed.url.path, .writer).execute("UPDATE stop SET name = 'Three'")
    try beginMinor()
    try publisher.publishSnapshot()
    let newer = try newerStore()
    #expect(try await newer.update().plan.reason == .deltasFailed)
    try await newer.verify()
  }

  /// The update waits ten seconds for the lock.
  @Test(.full) func `a snapshot replaces data of an older minor that another connection locks`() async throws
  {
    let store = try olderStore()
    let seed = try await store.update().seed
    await store.close()
    try beginMinor()
    try publisher.publishSnapshot()
    let other = try Connection(seed.url.path, .writer)
    try other.execute("BEGIN IMMEDIATE")
    let newer = try newerStore()
    #expect(try await newer.update().plan.reason == .deltasFailed)
    try await newer.verify()
    other.rollBack()
  }

  @Test func `an update from an older minor goes on from the version that a failed one reached`()
    async throws
  {
    let store = try olderStore()
    try await store.update()
    await store.close()
    try beginMinor()
    let last = try fixture.lastDelta
    let stored = try #require(publisher.withServed { $0.files[last.filePath] })
    let raw = try Compression.Measure(of: Compression.gunzip(stored, limit: last.rawLength))
    let other = Array("{}".utf8)
    try publisher.replace(last, by: Compression.gzip(other), raw: Compression.Measure(of: other))
    let newer = try newerStore()
    #expect(await code { try await newer.update() } == .damaged)
    #expect(await newer.state.version?.number == 3)
    try publisher.replace(fixture.lastDelta, by: stored, raw: raw)
    let report = try await newer.update()
    #expect(report.action == .applied && report.from?.number == 3)
    try await newer.verify()
  }

  private func isFree(_ lock: String) throws -> Bool {
    let file = try File(lock, for: .updating)
    defer { file.unlock() }
    return try file.tryLock()
  }

  @Test func `a suspension ends an update from an older minor without a lock, and the next one goes on`()
    async throws
  {
    let store = try olderStore()
    let folder = try await store.update().seed.url.deletingLastPathComponent()
    await store.close()
    try beginMinor()
    let newer = try newerStore()
    let gate = fixture.hold("delta-")
    let update = Task { await code { try await newer.update() } }
    await gate.untilWaiting()
    await newer.suspend()
    #expect(await update.value == .suspended)
    for lock in ["\(folder.path)/generation.json", "\(fixture.directory)/LOCK"] {
      try await until { (try? isFree(lock)) == true }
    }
    gate.open()
    await newer.resume()
    #expect(try await newer.update().action == .applied)
    try await newer.verify()
  }

  @Test func `data of an older minor that is ahead of a restored publisher is replaced`() async throws {
    let backup = try publisher.backUp()
    for name in ["Three", "Four", "Five"] { try publisher.publish(["a": name]) }
    let store = try olderStore()
    try await store.update()
    await store.close()
    try publisher.restore(backup)
    publisher.pass(days: 1)
    try beginMinor()
    try publisher.publishSnapshot()
    // The device's metadata would be newer otherwise.
    try publisher.sign()
    let newer = try newerStore()
    let report = try await newer.update()
    #expect(report.plan.reason == .firstDownload && report.to.number == 4)
    #expect(try await newer.stops() == ["Two", "Bellevue"])
  }

  @Test func `read-only stores of both apps follow data that an updated app brings to its minor`()
    async throws
  {
    let store = try olderStore()
    try await store.update()
    await store.close()
    try beginMinor()
    func reader(_ version: ModelVersion, _ schema: SHA256Digest) throws -> SeedStore {
      try SeedStore(
        SeedModel(dataset: "transit", version: version, schema: schema),
        reading: URL(fileURLWithPath: fixture.directory))
    }
    let (old, new) = (try reader("2.1", older), try reader("2.2", publisher.schema.hash))
    let names = Collected(old.observe("SELECT name FROM stop", as: String.self))
    let zones = Collected(new.observe("SELECT zone FROM stop", as: String.self))
    try await until { names.all.last == ["Two"] }
    #expect(await code { try await new.prepare() } == .noData)
    let newer = try newerStore()
    try await newer.update()
    try await until { names.all.last?.count == 2 && zones.all.last?.count == 2 }
  }

  @Test func `a first download of the newer minor takes an old snapshot and the deltas after it`()
    async throws
  {
    try beginMinor()
    let newer = try newerStore()
    let report = try await newer.update()
    #expect(report.plan.reason == .firstDownload && report.to.number == 4)
    #expect(report.plan.files.first == "snapshot-1.sqlite.gz" && report.plan.files.count > 1)
    let zones = try await newer.rows("SELECT id, zone FROM stop ORDER BY id", as: ZonedStop.self)
    #expect(zones == [ZonedStop(id: "a", zone: "A"), ZonedStop(id: "b", zone: "B")])
    try await newer.verify()
  }

  // MARK: Bundles

  @Test func `a bundle is not made of a snapshot of an older minor`() async throws {
    let bundles = try BundleFixture()
    try bundles.publisher.beginMinor()
    let maker = try bundles.maker(bundles.bundle, model: "2.2")
    let error = await #expect(throws: SeedError.self) { try await maker.make() }
    #expect(error?.code == .versionGone)
    #expect(error?.message.contains("is of model 2.1, older than the app's model 2.2") == true)
    #expect(error?.message.contains("`seedbank regenerate --snapshot`") == true)
    #expect(try bundles.shipped().isEmpty)
    try bundles.publisher.publishSnapshot()
    #expect(try await bundles.maker(bundles.bundle, model: "2.2").make().snapshot.model == "2.2")
  }

  @Test func `an app of the newer minor ignores a bundle of the older`() async throws {
    let bundles = try BundleFixture()
    try await bundles.ship()
    try bundles.publisher.beginMinor()
    let store = try bundles.store(model: "2.2")
    let report = try await store.update()
    #expect(report.plan.reason == .firstDownload && report.to.number == 2)
    let zones = try await store.rows("SELECT id, zone FROM stop", as: ZonedStop.self)
    #expect(zones == [ZonedStop(id: "a", zone: "A")])
  }
}

/// A signed delta whose beginning of a minor differs from its metadata.
@Suite struct MinorLieTests {
  enum Lie: CaseIterable {
    /// The document has additions, but the metadata names no schema before them.
    case unannounced
    /// The metadata names a schema before, but the document has no additions.
    case missing
    case otherBefore
    case otherColumn
    case further
    case foreign
    /// The document has a value for one row more than there are.
    case furtherValue
  }

  let fixture: StoreFixture
  let store: SeedStore
  private var publisher: ClientPublisherSimulator { fixture.publisher }

  /// A device at version 1 of model 2.1, and a delta to version 2 that begins 2.2.
  init() async throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
    store = try fixture.store()
    try await store.update()
    try fixture.publisher.beginMinor()
  }

  private func additions(_ truth: SchemaAdditions, _ lie: Lie) -> SchemaAdditions? {
    let (before, zone) = (truth.before, truth.statements)
    return switch lie {
    case .unannounced, .furtherValue: truth
    case .missing: nil
    case .otherBefore: SchemaAdditions(before: .of([1]), statements: zone)
    case .otherColumn:
      SchemaAdditions(before: before, statements: ["ALTER TABLE stop ADD COLUMN zone INTEGER"])
    case .further: SchemaAdditions(before: before, statements: zone + ["CREATE INDEX more ON stop(zone)"])
    case .foreign: SchemaAdditions(before: before, statements: zone + ["DELETE FROM stop"])
    }
  }

  private func publish(_ lie: Lie) throws {
    let delta = try fixture.lastDelta
    let stored = try #require(publisher.withServed { $0.files[delta.filePath] })
    let truth = try DeltaReader(Compression.gunzip(stored, limit: delta.rawLength)).header
    let header = DeltaHeader(
      series: truth.series, model: truth.model, schema: truth.schema, from: truth.from, to: truth.to,
      digest: truth.digest, additions: additions(try #require(truth.additions), lie))
    var writer = DeltaWriter()
    if lie == .furtherValue {
      writer.begin(table: "stop", key: ["id"], columns: ["id", "name", "lat", "zone"], filling: [3])
      for zone in ["B", "C"] { LentBytes.lending([.text(zone)]) { writer.fill(lent: $0) } }
    }
    let document = writer.document(header)
    try publisher.replace(delta, by: Compression.gzip(document), raw: Compression.Measure(of: document))
    guard lie == .unannounced else { return }
    try publisher.resign { $0.with() }
  }

  @Test(arguments: Lie.allCases)
  func `a device keeps its version if the delta of a minor lies, until a snapshot replaces it`(_ lie: Lie)
    async throws
  {
    try publish(lie)
    #expect(await code { try await store.update() } == (lie == .unannounced ? .versionGone : .damaged))
    #expect(await store.state.version == .first)
    #expect(try await store.rows("SELECT * FROM stop").map(\.names) == [["id", "name", "lat"]])
    try await store.verify()
    try publisher.publishSnapshot()
    let report = try await store.update()
    #expect(report.plan.reason == (lie == .unannounced ? .newSchema : .deltasFailed) && report.to.number == 2)
    #expect(try await store.rows("SELECT * FROM stop").map(\.names) == [["id", "name", "lat", "zone"]])
    try await store.verify()
  }
}
