import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedTrust
import Support
import Testing

/// Restores every reachable version from the publication alone.
@Suite struct RecallTests {
  static let histories = 6
  static let versions = 12

  @Test(.full, arguments: 0..<histories)
  func `each version of a random history is restored with its rows`(_ seed: Int) throws {
    let history = try RandomHistory(seed: UInt64(seed))
    var random = SplitMix(seed: UInt64(seed))
    let deployment = try TestDeployment(
      [model("1.0", HardSchema.sql)], in: try TemporaryFolder(inMemory: true))
    deployment.job.retainedSnapshots = .max
    var published: [SeedVersion: SeedRows] = [:]
    while published.count < Self.versions {
      try history.mutate()
      try history.write(to: deployment.originPath)
      let report = try deployment.step(forcingSnapshot: random.chance(25))
      published[try #require(report.series[0].version)] = try history.rows()
    }
    let recall = SeriesRecall(deployment.publication, try deployment.metadata())
    #expect(recall.versions == published.keys.sorted(), "seed \(seed)")
    for (version, rows) in published {
      let seedFile = try recall.recall(version, to: deployment.folder("recalled.sqlite"))
      #expect(try seedRows(seedFile.connection, seedFile.schema) == rows, "seed \(seed), version \(version)")
      #expect(try seedFile.meta().version == version)
    }
  }

  @Test func `every offered version can be restored across merged deltas`() throws {
    let deployment = try PublisherFixture.deployment()
    for number in 2...24 {
      try deployment.change("UPDATE stop SET name = 'v\(number)' WHERE id = 1", forcingSnapshot: number == 12)
    }
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    let versions = recall.versions
    #expect(versions.last?.number == 24 && versions.count > 10)
    for version in versions where version > .first {
      let seed = try recall.recall(version, to: deployment.folder("recalled.sqlite"))
      #expect(
        try seed.connection.value("SELECT name FROM stop WHERE id = 1") == .text("v\(version)"), "\(version)")
    }
  }

  @Test func `a restore starts at the newest snapshot up to its version`() throws {
    let deployment = try PublisherFixture.deployment()
    try deployment.change("UPDATE stop SET name = 'x' WHERE id = 1")
    try deployment.change("UPDATE stop SET name = 'y' WHERE id = 1", forcingSnapshot: true)
    try deployment.change("UPDATE stop SET name = 'z' WHERE id = 1")
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    func chain(_ version: Int) throws -> [Int] {
      let chain = try recall.chain(to: try SeedVersion(version))
      return [chain.snapshot.version.number] + chain.deltas.map(\.version.number)
    }
    #expect(try chain(2) == [1, 2] && chain(3) == [3] && chain(4) == [3, 4])
  }

  @Test func `an unreachable version is rejected with the versions on offer`() throws {
    let deployment = try PublisherFixture.deployment()
    deployment.job.retainedSnapshots = 1
    for name in ["x", "y", "z"] {
      try deployment.change("UPDATE stop SET name = '\(name)'", forcingSnapshot: name == "y")
    }
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    let gone = #expect(throws: RecallError.self) { try recall.chain(to: .first) }
    #expect(gone?.description.contains("choose from 3 to 4") == true, "\(gone?.description ?? "")")
    let ahead = #expect(throws: RecallError.self) { try recall.chain(to: 5) }
    #expect(ahead?.description == "there is no version 5 of test/2: the newest is 4")
  }
}
