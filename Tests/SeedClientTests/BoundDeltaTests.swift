import Foundation
import SeedClient
import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

/// A delta must match its signed metadata, whatever its document claims.
@Suite struct BoundDeltaTests {
  /// False claims of a signed document.
  enum Lie: CaseIterable { case dataset, major, model, schema, from, to, digest }

  let fixture: StoreFixture
  let store: SeedStore

  /// A device at version 2, and a delta to version 3.
  init() async throws {
    fixture = try StoreFixture()
    try fixture.publisher.publish(["a": "One"])
    try fixture.publisher.publish(["a": "Two"])
    store = try fixture.store()
    try await store.update()
    try fixture.publisher.publish(["a": "Three"])
  }

  private func header(_ truth: DeltaHeader, _ lie: Lie) throws -> DeltaHeader {
    let series =
      switch lie {
      case .dataset: SeedSeries("water", model: truth.model)
      case .major: try SeedSeries(truth.series.dataset, major: 3)
      default: truth.series
      }
    return DeltaHeader(
      series: series, model: lie == .model ? "2.2" : truth.model,
      schema: lie == .schema ? .of([1]) : truth.schema, from: lie == .from ? .first : truth.from,
      to: lie == .to ? try SeedVersion(Int(Limits.exactJSONInteger)) : truth.to,
      digest: lie == .digest ? .of([2]) : truth.digest)
  }

  /// Signs the delta with a false header.
  private func publish(_ lie: Lie) throws {
    let delta = try fixture.lastDelta
    let stored = try #require(fixture.publisher.withServed { $0.files[delta.filePath] })
    let document = try Compression.gunzip(stored, limit: delta.rawLength)
    let truth = try DeltaReader(document).header
    let start = DeltaWriter().document(truth).dropLast(Self.empty.count)
    #expect(document.starts(with: start))
    let changed = DeltaWriter().document(try header(truth, lie)).dropLast(Self.empty.count)
    let bad = changed + document.dropFirst(start.count)
    try fixture.publisher.replace(
      delta, by: Compression.gzip(Array(bad)), raw: Compression.Measure(of: Array(bad)))
  }

  private static let empty = Array("]}\n".utf8)

  @Test(arguments: Lie.allCases)
  func `a signed delta with a false header is damaged, and a snapshot replaces it`(_ lie: Lie) async throws {
    try publish(lie)
    #expect(await code { try await store.update() } == .damaged)
    #expect(try await store.stops() == ["Two"])
    #expect(await store.state.version?.number == 2)
    try await store.verify()
    try fixture.publisher.publishSnapshot()
    let report = try await store.update()
    #expect(report.plan.reason == .deltasFailed && report.to.number == 3)
    #expect(try await store.stops() == ["Three"])
  }

  @Test func `a delta in xz is applied`() async throws {
    let delta = try fixture.lastDelta
    let stored = try #require(fixture.publisher.withServed { $0.files[delta.filePath] })
    let document = try Compression.gunzip(stored, limit: delta.rawLength)
    let (raw, packed) = (fixture.folder("raw"), fixture.folder("packed"))
    try DurableFile.write(document, to: raw)
    _ = try Compression.compress(raw, to: packed, .xz)
    try fixture.publisher.replace(
      delta, by: DurableFile.read(packed, limit: 1 << 20), raw: Compression.Measure(of: document), .xz)
    #expect(try await store.update().action == .applied)
    #expect(try await store.stops() == ["Three"])
  }

  @Test func `a signed snapshot whose rows do not match its digest is damaged`() async throws {
    try fixture.publisher.startEpoch()
    let snapshot = try fixture.lastSnapshot
    let stored = fixture.folder("stored")
    let raw = fixture.folder("raw")
    try DurableFile.write(
      try #require(fixture.publisher.withServed { $0.files[snapshot.filePath] }), to: stored)
    _ = try Compression.expand(stored, to: raw, .gzip, limit: snapshot.rawLength)
    try Connection(raw, .writer).execute("UPDATE seedbank_table SET rows = rows + 1 WHERE name = 'stop'")
    let bytes = try DurableFile.read(raw, limit: snapshot.rawLength)
    try fixture.publisher.replace(
      snapshot, by: Compression.gzip(bytes), raw: Compression.Measure(of: bytes))
    #expect(await code { try await store.update() } == .damaged)
    #expect(try await store.stops() == ["Two"])
  }
}
