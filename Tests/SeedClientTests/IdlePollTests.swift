import Foundation
import SeedDatabase
import SeedFormat
import SeedFront
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedClient

/// A store and a Seedbank front over real connections.
@Suite struct IdlePollTests {
  /// Maximum bytes of bodies in an idle poll by its number of requests: with the next root, and without.
  private static let mostBytes = [2: 1024, 1: 512]
  /// A check for a newer root, four metadata files, and the snapshot.
  private static let firstRequests = 6

  @Test(arguments: [(3600, 1), (0, 2)])
  func `a first start takes six requests, and an idle poll one, or two with a root check`(
    _ rootCheckSeconds: Int, _ requests: Int
  ) async throws {
    let deployment = try TestDeployment(
      [model("1.0", "CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)")],
      in: TemporaryFolder(inMemory: true))
    try deployment.origin(
      "CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL); INSERT INTO stop VALUES ('a', 'Alex')"
    )
    _ = try deployment.step()
    let front = try Front(FrontConfiguration(publication: deployment.folder("publication")))
    var options = SeedOptions()
    options.rootCheckSeconds = rootCheckSeconds
    let store = try SeedStore.of(deployment, port: front.port, options: options)
    let first = try await store.update()
    #expect(first.action == .replaced && first.traffic.requests == Self.firstRequests)
    for _ in 0..<3 {
      let report = try await store.update()
      #expect(report.action == .upToDate)
      #expect(report.traffic.requests == requests)
      let most = try #require(Self.mostBytes[requests])
      #expect(report.traffic.bytes <= most)
    }
    try deployment.origin("UPDATE stop SET name = 'Alexanderplatz'")
    _ = try deployment.step()
    // The front checks its folder periodically, so poll until it serves the change.
    var report = try await store.update()
    while report.action == .upToDate { report = try await store.update() }
    #expect(report.action == .applied && report.plan.reason == .deltasAreSmaller)
    #expect(report.changes["stop"]?.updated == 1)
  }
}
