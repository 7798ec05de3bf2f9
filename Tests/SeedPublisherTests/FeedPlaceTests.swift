import SeedFormat
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

@Suite struct FeedPlaceTests {
  let deployment: TestDeployment

  init() throws {
    deployment = try TestDeployment(
      [model("1.0", PublisherFixture.schema)], in: try TemporaryFolder(inMemory: true))
    try Folder.create(deployment.folder("feed"))
    try write("id,name\n1,a\n2,b\n", to: "stop.csv")
    try write("id\n1\n", to: "line.csv")
    follow(deployment.job.plans)
  }

  private func follow(_ plans: [SeriesPlan]) {
    deployment.job = DatasetJob(name: "test", origin: place(plans), plans: plans)
  }

  private func write(_ text: String, to name: String) throws {
    try DurableFile.write(Array(text.utf8), to: deployment.folder("feed/\(name)"))
  }

  private func place(_ plans: [SeriesPlan]) -> FeedPlace {
    var settings = FeedSettings()
    (settings.source, settings.settleSeconds) = (.path(deployment.folder("feed")), 0)
    return FeedPlace("test", settings, plans, stateFolder: deployment.folder("state"))
  }

  @Test func `a step rejects a feed that another process loads for other models after the step's own load`()
    throws
  {
    let other = place(
      try SeriesPlan.plans("test", [model("1.0", "CREATE TABLE line(id INTEGER PRIMARY KEY)")]))
    _ = try deployment.step()
    deployment.publisher.progress = { part in
      if part.hasSuffix("opening the origin") { try? other.prepare() }
    }
    try deployment.expectNothingPublished {
      #expect(throws: OriginError.self) { try deployment.step() }
    }
    deployment.publisher.progress = { _ in }
    _ = try deployment.step()
    #expect(try deployment.names(major: 1) == ["a", "b"])
  }

  @Test func `a feed may lack the file of a retired major`() throws {
    let line = model("2.0", "CREATE TABLE line(id INTEGER PRIMARY KEY)")
    follow(try SeriesPlan.plans("test", [model("1.0", PublisherFixture.schema), line]))
    _ = try deployment.step()
    deployment.job.lifecycles = [1: .retired(message: nil)]
    try Folder.remove(deployment.folder("feed/stop.csv"))
    try write("id\n1\n2\n", to: "line.csv")
    #expect(try deployment.step().series.map(\.outcome) == [.retired, .changed])
  }

  @Test(arguments: [
    "id INTEGER PRIMARY KEY, name ANY", "id INTEGER PRIMARY KEY, name ANY NOT NULL DEFAULT 0",
    "id INTEGER, name ANY PRIMARY KEY NOT NULL",
  ])
  func `a column ANY of a STRICT table keeps a field's text`(_ columns: String) throws {
    let strict = model("1.0", "CREATE TABLE stop(\(columns)) STRICT")
    follow(try SeriesPlan.plans("test", [strict]))
    try write("id,name\n1,007\n2,1.0\n", to: "stop.csv")
    _ = try deployment.step()
    #expect(try deployment.names(major: 1) == ["007", "1.0"])
  }
}
