import SeedClient
import SeedDatabase
import SeedFormat
import Support
import Testing

/// Signed deltas that do not fit the rows or the schema of a device.
@Suite struct MisfitDeltaTests {
  /// A set, a deleted key, an update, and the reason to refuse them.
  static let plants = [
    (#"["name"]"#, "", #"[0,"z","Three"]"#, ", row id = z: no such row to update"),
    (#"["name"]"#, #"["a"]"#, #"[0,"a","Three"]"#, ", row id = a: no such row to update"),
    (#"["name"]"#, "", #"[0,"a"]"#, ", row id = a: a row of 2 values, expected 3"),
    (#"["name"]"#, "", #"[0,"a","Three","Four"]"#, ", row id = a: a row of 4 values, expected 3"),
    (#"["colour"]"#, "", #"[0,"a","Three"]"#, ": an update sets colour:"),
    (#"["loud"]"#, "", #"[0,"a","Three"]"#, ": an update sets loud:"),
    (#"["id"]"#, "", #"[0,"a","b"]"#, ": an update sets id:"),
    (#"["name","name"]"#, "", #"[0,"a","Three","Four"]"#, ": an update sets name, name:"),
  ]

  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// Signs other rows under the header of the last delta. The row before the bad one is good.
  private func plant(_ set: String, _ deleted: String, _ update: String) throws {
    let delta = try fixture.lastDelta
    let stored = try #require(fixture.publisher.withServed { $0.files[delta.filePath] })
    let document = String(
      decoding: try Compression.gunzip(stored, limit: delta.rawLength), as: UTF8.self)
    let start = try #require(document.firstRange(of: #""sets":"#)).lowerBound
    let rows =
      #""sets":[\#(set)],"delete":[\#(deleted)],"insert":[["n","New",null]],"update":[\#(update)]}]}"#
    let bad = Array((document[..<start] + rows + "\n").utf8)
    try fixture.publisher.replace(delta, by: Compression.gzip(bad), raw: Compression.Measure(of: bad))
  }

  @Test(arguments: plants)
  func `an update that a device cannot make is refused as a whole, and a snapshot replaces the rows`(
    _ set: String, _ deleted: String, _ update: String, _ reason: String
  ) async throws {
    let publisher = fixture.publisher
    try publisher.publish(["a": "One"])
    try publisher.beginMinor(adding: ["ALTER TABLE stop ADD COLUMN loud TEXT AS (upper(name))"])
    let store = try fixture.store(model: "2.2")
    try await store.update()
    try publisher.publish(["a": "Two"])
    try plant(set, deleted, update)
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(#"table "stop"\#(reason)"#) == true, "\(error?.message ?? "")")
    #expect(try await store.stops() == ["One"])
    #expect(await store.state.version?.number == 2)
    try await store.verify()
    try publisher.publishSnapshot()
    let report = try await store.update()
    #expect(report.plan.reason == .deltasFailed && report.to.number == 3)
    #expect(try await store.stops() == ["Two"])
  }
}
