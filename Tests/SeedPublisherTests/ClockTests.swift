import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct ClockTests {
  private static let schema = "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
  private static let daysAhead = 13 * 365

  private let deployment: TestDeployment
  private let right: UTCTime

  init() throws {
    deployment = try TestDeployment([model("1.0", Self.schema)], in: TemporaryFolder(inMemory: true))
    try deployment.change("\(Self.schema) INSERT INTO stop VALUES (1, 'a')")
    right = deployment.clock
    deployment.clock = right.adding(days: Self.daysAhead)
    try deployment.change("UPDATE stop SET name = 'b'")
  }

  private func step(at clock: UTCTime, assured: Bool = false) throws -> StepReport {
    try deployment.publisher.step(deployment.job, StepOptions(isClockAssured: assured), now: clock)
  }

  private func expiries() throws -> [UTCTime] {
    try deployment.publication.published().signatures.map(\.expires)
  }

  private func isShort(_ expires: UTCTime, at clock: UTCTime) -> Bool { expires < clock.adding(days: 366) }

  @Test func `signatures of a clock years ahead are shortened after a day, and a right client is served`()
    async throws
  {
    let client = FileClient(deployment)
    for hours in [0, 1, 8, 16, 23] {
      let now = right.adding(seconds: 3600 * hours)
      let report = try step(at: now)
      #expect(report.warnings.contains { $0.contains("--trust-clock") })
      try await client.refresh(at: now)
    }
    #expect(try expiries().contains { !isShort($0, at: right) })
    let later = right.adding(days: 1)
    try deployment.origin("UPDATE stop SET name = 'c'")
    _ = try step(at: later)
    #expect(try expiries().allSatisfy { isShort($0, at: later) })
    #expect(try deployment.metadata().state.publishedAt == later)
    try await client.refresh(at: later)
    #expect(try step(at: later.adding(seconds: 60)).warnings.isEmpty)
  }

  @Test func `signatures of a wrong clock are shortened at once if the operator vouches for the clock`()
    throws
  {
    #expect(try step(at: right, assured: true).warnings.isEmpty)
    #expect(try expiries().allSatisfy { isShort($0, at: right) })
  }

  @Test func `a trusted clock corrects an idle series once, and is doubted again when it falls back`() throws
  {
    for hours in [0, 24] { _ = try step(at: right.adding(seconds: 3600 * hours)) }
    let trusted = right.adding(days: 1)
    #expect(try deployment.metadata().state.publishedAt == trusted)
    let version = try deployment.publication.published().timestamp.version
    #expect(try step(at: trusted.adding(seconds: 60)).warnings.isEmpty)
    #expect(try deployment.publication.published().timestamp.version == version)
    _ = try step(at: right.adding(days: 10))
    #expect(try step(at: right.adding(days: 5)).warnings.contains { $0.contains("--trust-clock") })
  }

  @Test func `signatures are not shortened while the clock jumps`() throws {
    _ = try step(at: right)
    _ = try step(at: right.adding(days: -30))
    _ = try step(at: right.adding(days: -29).adding(seconds: -10))
    #expect(try expiries().contains { !isShort($0, at: right) })
  }

  /// A separate deployment whose clock was always right.
  private func shortening(to seconds: Int, after pause: Int) throws -> (TestDeployment, StepReport) {
    let deployment = try TestDeployment([model("1.0", Self.schema)], in: TemporaryFolder(inMemory: true))
    try deployment.origin(Self.schema)
    for _ in 0..<2 { _ = try deployment.step() }
    deployment.job.lifetimeSeconds = seconds
    deployment.clock = deployment.clock.adding(seconds: pause)
    return (deployment, try deployment.step())
  }

  private func longest(_ deployment: TestDeployment) throws -> Int {
    let expiries = try deployment.publication.published().signatures.filter { !$0.isOffline }.map(\.expires)
    let end = try #require(expiries.max())
    return end.secondsSinceEpoch - deployment.clock.secondsSinceEpoch
  }

  @Test func `shortening the configured lifetime does not count as a clock error`() throws {
    for pause in [0, 3600, 2 * 86_400] {
      let (deployment, report) = try shortening(to: 3600, after: pause)
      #expect(report.warnings.isEmpty, "\(report.warnings)")
      #expect(try longest(deployment) == 3600, "they are shortened at once")
      #expect(try deployment.step().warnings.isEmpty)
    }
  }

  @Test func `shortening the lifetime before the first step does not count as a clock error`() throws {
    let deployment = try TestDeployment([model("1.0", Self.schema)], in: TemporaryFolder(inMemory: true))
    try deployment.origin(Self.schema)
    deployment.job.lifetimeSeconds = 180
    #expect(try deployment.step().warnings.isEmpty)
    #expect(try longest(deployment) == 180)
    #expect(try deployment.step().warnings.isEmpty)
  }

  @Test func `a step renews the signatures of other datasets for their own lifetimes`() throws {
    let deployment = try TestDeployment([model("1.0", Self.schema)], in: TemporaryFolder(inMemory: true))
    try deployment.origin(Self.schema)
    deployment.job.lifetimeSeconds = 300
    let long = try DatasetJob(
      name: "long", origin: deployment.job.origin,
      plans: SeriesPlan.plans("long", [model("1.0", Self.schema)]))
    let lifetimes = [deployment.job.name: 300, long.name: long.lifetimeSeconds]
    deployment.publisher.lifetimes = lifetimes
    _ = try deployment.step()
    for pause in [1, 200, 4_000] {
      deployment.clock = deployment.clock.adding(seconds: pause)
      try deployment.publisher.step(long, now: deployment.clock)
      let published = try deployment.publication.published().series
      #expect(published.count == 2)
      for (series, found) in published {
        let lifetime = try #require(lifetimes[series.dataset])
        let left = found.expires.secondsSinceEpoch - deployment.clock.secondsSinceEpoch
        #expect((lifetime * 3 / 4...lifetime).contains(left), "\(series): \(left) after \(pause)")
      }
    }
  }

  @Test
  func `a clock some hours behind is accepted and a clock days behind is reported`()
    throws
  {
    let (deployment, report) = try shortening(to: 3600, after: -6 * 3600)
    #expect(report.warnings.isEmpty)
    #expect(try longest(deployment) > 6 * 86_400)
    let (other, doubt) = try shortening(to: 3600, after: -3 * 86_400)
    #expect(doubt.warnings.contains { $0.contains("--trust-clock") })
    #expect(try longest(other) > 6 * 86_400)
  }
}
