import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// A rollback is an ordinary version for clients and holds the series for the operator.
@Suite struct RollbackTests {
  /// Versions 1 to 3: the first stop is called a, x, y.
  private func deployment() throws -> TestDeployment {
    let deployment = try PublisherFixture.deployment()
    for name in ["x", "y"] { try deployment.change("UPDATE stop SET name = '\(name)' WHERE id = 1") }
    return deployment
  }

  @discardableResult
  private func rollBack(_ deployment: TestDeployment, to version: Int) throws -> SeriesReport {
    deployment.clock = deployment.clock.adding(seconds: 1)
    let series = SeedSeries(deployment.job.name, model: "2.0")
    let options = try StepOptions(rollingBack: series, to: SeedVersion(version), deployment.job)
    let report = try deployment.publisher.step(deployment.job, options, now: deployment.clock)
    try deployment.verify()
    return report.series[0]
  }

  private func step(_ deployment: TestDeployment, isResuming: Bool = false) throws -> SeriesReport {
    deployment.clock = deployment.clock.adding(seconds: 1)
    let report = try deployment.publisher.step(
      deployment.job, StepOptions(isResuming: isResuming), now: deployment.clock)
    try deployment.verify()
    return report.series[0]
  }

  @Test func `a rollback publishes the old content as a new version and holds the series`() throws {
    let deployment = try deployment()
    try deployment.change("DELETE FROM stop WHERE id = 2; INSERT INTO stop VALUES (7, 'n', 1)")
    let report = try rollBack(deployment, to: 2)
    #expect(report.version?.number == 5 && report.snapshotBytes != nil && report.deltaBytes != nil)
    let changes = try #require(report.changes["stop"])
    #expect((changes.inserted, changes.updated, changes.deleted) == (1, 1, 1))
    #expect(try deployment.names() == ["x", "b", "c"])
    let metadata = try deployment.metadata(major: 2)
    #expect(metadata.state.hold == SeriesHold(version: 2, since: deployment.clock))
    #expect(metadata.state.floor == .first, "clients go forward by deltas")
    // A client that ignores holds reads the same.
    let role = metadata.role(version: 1, expires: deployment.clock)
    #expect(try SeriesMetadata(metadata.series, in: role) == metadata)
  }

  @Test func `a held series follows settings and not its origin until it is resumed`() throws {
    let deployment = try deployment()
    try rollBack(deployment, to: 1)
    try deployment.origin("UPDATE stop SET name = 'bad' WHERE id = 3")
    try deployment.expectNothingPublished {
      let reports = [try step(deployment), try step(deployment), try rollBack(deployment, to: 1)]
      #expect(reports.map(\.outcome) == [.held, .held, .held])
    }
    let series = deployment.job.plans[0].series
    let before = try #require(try deployment.publication.published().series[series])
    deployment.clock = deployment.clock.adding(seconds: 2 * Publisher.renewalSeconds)
    deployment.job.pollSeconds = 7
    #expect(try step(deployment).outcome == .held)
    let after = try #require(try deployment.publication.published().series[series])
    #expect(after.expires > before.expires && after.metadata.state.pollSeconds == 7)
    #expect(after.metadata.state.head == before.metadata.state.head)
    #expect(after.metadata.state.hold == before.metadata.state.hold)
    #expect(after.metadata.state.publishedAt == before.metadata.state.publishedAt)
    // The hold is published, and the publisher's state has nothing of it.
    try Folder.removeAll(deployment.folder("state"))
    #expect(try step(deployment).outcome == .held)
    #expect(try deployment.names() == ["a", "b", "c"])
    #expect(try step(deployment, isResuming: true).outcome == .changed)
    #expect(try deployment.names() == ["y", "b", "bad"])
    #expect(try deployment.metadata(major: 2).state.hold == nil)
    #expect(try step(deployment).outcome == .unchanged)
  }

  @Test func `a rollback to head only holds, one further back and one forward again make new versions`()
    throws
  {
    let deployment = try deployment()
    #expect(try rollBack(deployment, to: 3).outcome == .held)
    #expect(try deployment.metadata(major: 2).state.head.number == 3)
    #expect(try step(deployment, isResuming: true).outcome == .unchanged)
    #expect(try deployment.metadata(major: 2).state.hold == nil)
    for version in [2, 1] { try rollBack(deployment, to: version) }
    #expect(try deployment.names() == ["a", "b", "c"])
    // A rollback needs no origin.
    try Folder.remove(deployment.originPath)
    #expect(try rollBack(deployment, to: 3).version?.number == 6)
    #expect(try deployment.names() == ["y", "b", "c"])
    #expect(try deployment.metadata(major: 2).state.hold?.version.number == 3)
  }

  @Test func `a held series keeps its snapshots for further rollbacks until it is resumed`() throws {
    let deployment = try deployment()
    deployment.job.retainedSnapshots = 1
    for version in [2, 1, 3] { try rollBack(deployment, to: version) }
    #expect(try deployment.names() == ["y", "b", "c"])
    #expect(try deployment.metadata(major: 2).state.floor == .first)
    #expect(try step(deployment, isResuming: true).outcome == .unchanged)
    try deployment.change("UPDATE stop SET name = 'z' WHERE id = 1", forcingSnapshot: true)
    let state = try deployment.metadata(major: 2).state
    #expect(state.head.number == 7 && state.floor == state.head, "retention applies again")
  }

  @Test func `other series of a dataset continue after a rollback`() throws {
    let deployment = try deployment()
    try deployment.use([
      model("2.0", PublisherFixture.schema),
      model("3.0", "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone)"),
    ])
    _ = try deployment.step()
    try rollBack(deployment, to: 1)
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 2")
    #expect(try deployment.step().series.map(\.outcome) == [.held, .changed])
    #expect(try deployment.names() == ["a", "b", "c"] && deployment.names(major: 3) == ["y", "new", "c"])
  }

  @Test func `a rollback to another model or an unknown version is rejected`() throws {
    let deployment = try deployment()
    try deployment.use([
      model("2.0", PublisherFixture.schema),
      model("2.1", "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone)"),
    ])
    _ = try deployment.step()
    try deployment.expectNothingPublished {
      #expect(throws: RecallError.self) { try rollBack(deployment, to: 1) }
      #expect(throws: RecallError.self) { try rollBack(deployment, to: 9) }
    }
    // Offers only acceptable versions: version 4 has the new model.
    let refusal = #expect(throws: RecallError.self) { try rollBack(deployment, to: 1) }
    let words = "a rollback must stay within one model: choose from 4. To publish its rows again"
    #expect(refusal?.description.contains(words) == true)
    #expect(refusal?.description.contains("'seedbank export --version 1 --to FILE'") == true)
    try deployment.change("UPDATE stop SET name = 'z' WHERE id = 1")
    let other = #expect(throws: RecallError.self) { try rollBack(deployment, to: 2) }
    #expect(other?.description.contains("choose from 4 to 5.") == true)
    #expect(try Folder.names(in: deployment.folder("state")).filter { $0.contains("recalled") }.isEmpty)
  }
}
