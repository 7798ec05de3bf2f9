import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// A schema, an origin, and a client that took the first snapshot and then applies only deltas.
///
/// Every step is compared with a snapshot of the same version, row by canonical row.
final class FollowedSeries {
  let deployment: TestDeployment
  let client: Connection
  private let path: String

  init(_ schema: String, _ origin: String, projections: [String: String] = [:]) throws {
    deployment = try TestDeployment(
      [model("1.0", schema, projections: projections)], in: try TemporaryFolder(inMemory: true))
    deployment.job.retainedSnapshots = .max
    try deployment.change(origin)
    path = try deployment.expand(try #require(try deployment.metadata().newestSnapshot), to: "client.sqlite")
    client = try Connection(path, .writer)
    try compare()
  }

  var schema: DatabaseSchema { deployment.job.plans[0].schema }

  /// Changes the origin, publishes, applies the one resulting delta, and compares.
  @discardableResult
  func step(_ sql: String) throws -> SeriesReport {
    try deployment.origin(sql)
    return try publish()
  }

  /// Like ``step(_:)`` with an unchanged origin.
  @discardableResult
  func publish() throws -> SeriesReport {
    let before = try SeedTables.meta(client).version
    let report = try deployment.step(forcingSnapshot: true).series[0]
    guard report.outcome == .changed else {
      #expect(report.version == before)
      return report
    }
    _ = try client.transaction { try DeltaApplier(client, schema).apply(try document()) }
    try compare()
    return report
  }

  /// Expects that the origin's bad state is rejected without a publication and that the next good one is published.
  func refuse(
    _ bad: String, mending good: String, _ names: [String], sourceLocation: SourceLocation = #_sourceLocation
  )
    throws
  {
    try deployment.origin(bad)
    let before = try files()
    let error = #expect(throws: (any Error).self, sourceLocation: sourceLocation) { try deployment.step() }
    for name in names {
      #expect("\(error.map { "\($0)" } ?? "")".contains(name), sourceLocation: sourceLocation)
    }
    #expect(try files() == before, "something was published", sourceLocation: sourceLocation)
    try step(good)
  }

  func document() throws -> [UInt8] {
    let metadata = try deployment.metadata()
    let delta = metadata.objects.first { $0.version == metadata.state.head && $0.isDelta }
    return try deployment.publication.delta(try #require(delta))
  }

  /// The delta's text, to test that something is not sent.
  func text() throws -> String { String(decoding: try document(), as: UTF8.self) }

  func query(_ sql: String) throws -> [[SeedValue]] {
    try client.allowViews()
    return try client.rows(sql)
  }

  private func files() throws -> [String: [UInt8]] { try publishedFiles(deployment.publication) }

  private func compare() throws {
    let snapshot = try #require(try deployment.metadata().newestSnapshot)
    let fresh = try deployment.expand(snapshot, to: "fresh.sqlite")
    let expected = try seedRows(try Connection(fresh, .snapshot), schema)
    let rows = try seedRows(client, schema)
    #expect(rows == expected && slowDigest(rows) == snapshot.digest)
    let meta = try SeedTables.meta(client)
    #expect(meta.version == snapshot.version && meta.digest == snapshot.digest)
    try SeedCheck(client, schema).run()
    try WorkingSeed.remove(fresh)
  }
}

/// SQL for several tables, joined, with the number of each in place of `#`.
func numbered(_ sql: [String]) -> String {
  sql.enumerated().map { $0.element.replacing("#", with: "\($0.offset)") }.joined(separator: "; ")
}

func numbered(_ sql: String, _ count: Int) -> String { numbered(Array(repeating: sql, count: count)) }
