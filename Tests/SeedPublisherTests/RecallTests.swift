import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
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
    for number in 2...40 {
      try deployment.origin("UPDATE stop SET name = 'v\(number)' WHERE id = 1")
      _ = try deployment.step(forcingSnapshot: number == 20)
    }
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    let versions = recall.versions
    #expect(versions.last?.number == 40 && versions.count > 10)
    for version in versions where version > .first {
      let seed = try recall.recall(version, to: deployment.folder("recalled.sqlite"))
      #expect(
        try seed.connection.value("SELECT name FROM stop WHERE id = 1") == .text("v\(version)"), "\(version)")
    }
  }

  @Test func `a restore starts at the newest snapshot up to its version`() throws {
    let deployment = try PublisherFixture.deployment()
    try deployment.publish("UPDATE stop SET name = 'x' WHERE id = 1")
    try deployment.origin("UPDATE stop SET name = 'y' WHERE id = 1")
    _ = try deployment.step(forcingSnapshot: true)
    try deployment.publish("UPDATE stop SET name = 'z' WHERE id = 1")
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
      try deployment.origin("UPDATE stop SET name = '\(name)'")
      _ = try deployment.step(forcingSnapshot: name == "y")
    }
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    let gone = #expect(throws: RecallError.self) { try recall.chain(to: .first) }
    #expect(gone?.description.contains("choose from 3 to 4") == true, "\(gone?.description ?? "")")
    let ahead = #expect(throws: RecallError.self) { try recall.chain(to: 5) }
    #expect(ahead?.description == "there is no version 5 of test/2: the newest is 4")
  }

  @Test func `a version of an older model is restored with its own tables`() throws {
    let deployment = try PublisherFixture.deployment()
    try deployment.use([
      model("2.0", PublisherFixture.schema),
      model("2.1", "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone INTEGER)"),
    ])
    _ = try deployment.step()
    let recall = SeriesRecall(deployment.publication, try deployment.metadata(major: 2))
    #expect(try recall.recall(.first, to: deployment.folder("a.sqlite")).schema.tables[0].columns.count == 2)
    let newer = try recall.recall(2, to: deployment.folder("b.sqlite"))
    #expect(newer.schema.tables[0].columns.count == 3)
  }

  @Test func `a damaged object never restores a version`() throws {
    let deployment = try PublisherFixture.deployment()
    try deployment.publish("UPDATE stop SET name = 'x' WHERE id = 1")
    let metadata = try deployment.metadata(major: 2)
    for object in metadata.objects {
      let path = deployment.publication.file(object)
      let before = try DurableFile.read(path, limit: 1 << 20)
      var bytes = before
      bytes[bytes.count / 2] ^= 1
      try DurableFile.write(bytes, to: path)
      #expect(throws: (any Error).self) {
        try SeriesRecall(deployment.publication, metadata).recall(
          2, to: deployment.folder("recalled.sqlite"))
      }
      try DurableFile.write(before, to: path)
    }
  }
}
