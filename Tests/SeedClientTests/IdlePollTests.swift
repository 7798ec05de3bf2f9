import Foundation
import SeedDatabase
import SeedFormat
import SeedServer
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// A store beside a front of ours, over real connections.
@Suite(.bounded) struct IdlePollTests {
  /// Bytes of bodies that an idle poll may take.
  private static let mostBytes = 1024
  /// A look for a newer root, four metadata files, and the snapshot.
  private static let firstRequests = 6

  @Test func `a fresh start is six requests; where nothing changed a poll is two and less than a kibibyte`()
    async throws
  {
    let deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)")],
      in: TemporaryFolder())
    try deployment.origin(
      "CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL); INSERT INTO stop VALUES ('a', 'Alex')"
    )
    _ = try deployment.step()
    let front = try Front(FrontConfiguration(publication: deployment.folder("publication")))
    let root = try DurableFile.read(
      deployment.folder("publication/metadata/1.root.json"), limit: Limits.rootBytes)
    let folder = try TemporaryFolder()
    let store = try SeedStore(
      SeedModel(dataset: "test", model: "1.0"),
      server: try #require(URL(string: "http://127.0.0.1:\(front.port)")), root: root,
      directory: folder("store"),
      environment: Environment(
        transport: URLSessionTransport(userAgent: "test"), now: { [now = deployment.clock] in now }))
    let first = try await store.update()
    #expect(first.action == .replaced && first.traffic.requests == Self.firstRequests)
    for _ in 0..<3 {
      let report = try await store.update()
      #expect(report.action == .upToDate)
      #expect(report.traffic.requests == 2 && report.traffic.bytes <= Self.mostBytes)
    }
    try deployment.origin("UPDATE stop SET name = 'Alexanderplatz'")
    _ = try deployment.step()
    // The front looks at its folder now and then; the store hears of the change once it has.
    var report = try await store.update()
    while report.action == .upToDate { report = try await store.update() }
    #expect(report.action == .applied && report.plan.reason == .deltasAreSmaller)
    #expect(report.rows["stop"]?.updated == 1)
  }
}
