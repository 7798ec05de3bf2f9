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
  /// Maximum bytes of the bodies of an idle poll, by its number of requests: 2 with the next root, otherwise 1.
  private static let mostBytes = [2: 1024, 1: 512]
  /// A check for a newer root, four metadata files, and the snapshot.
  private static let firstRequests = 6

  @Test func `a first start takes six requests, and an idle poll one, or two with a root check`() async throws
  {
    let table = "CREATE TABLE stop(id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)"
    let deployment = try TestDeployment([model("1.0", table)], in: TemporaryFolder(inMemory: true))
    try deployment.origin("\(table); INSERT INTO stop VALUES ('a', 'Alex')")
    _ = try deployment.step()
    let front = try Front(FrontConfiguration(publication: deployment.folder("publication")))
    let store = try SeedStore.of(deployment, port: front.port)
    let first = try await store.update()
    #expect(first.action == .replaced && first.traffic.requests == Self.firstRequests)
    try await expectIdle(store, requests: 1)
    await store.close()
    var options = SeedOptions()
    options.rootCheckSeconds = 0
    let checking = try SeedStore.of(deployment, port: front.port, options: options)
    try await expectIdle(checking, requests: 2)
    try deployment.origin("UPDATE stop SET name = 'Alexanderplatz'")
    _ = try deployment.step()
    let report = try await checking.news()
    #expect(report.action == .applied && report.plan.reason == .deltasAreSmaller)
    #expect(report.changes["stop"]?.updated == 1)
  }

  private func expectIdle(_ store: SeedStore, requests: Int) async throws {
    for _ in 0..<3 {
      let report = try await store.update()
      #expect(report.action == .upToDate && report.traffic.requests == requests)
      #expect(try report.traffic.bytes <= #require(Self.mostBytes[requests]))
    }
  }
}
