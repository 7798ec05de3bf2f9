import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// Files of a dataset that are edited while a process follows them.
@Suite struct FollowedDatasetTests {
  private static let models = [model("1.0", "CREATE TABLE stop(id INTEGER PRIMARY KEY)")]

  private let folder: TemporaryFolder
  private let followed: FollowedDataset
  private let files = Shared<Result<FollowedDataset.Found, Refusal>>(.success((models, [:], nil)))

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let job = DatasetJob(
      name: "test", origin: SQLitePlace(folder("origin.sqlite")),
      plans: try SeriesPlan.plans("test", Self.models))
    followed = FollowedDataset(job, of: Self.models, in: folder.path) { [files] in
      try files.withLock(\.self).get()
    }
  }

  private func edit(_ found: Result<FollowedDataset.Found, Refusal>) throws {
    files.withLock { $0 = found }
    try DurableFile.write(Array("\(found)".utf8), to: folder("dataset.json"))
  }

  @Test func `a changed lifecycle counts for the next step`() throws {
    #expect(!followed.look())
    try edit(.success((Self.models, [1: .retired(message: nil)], nil)))
    #expect(followed.look())
    #expect(followed.job.lifecycles[1]?.isRetired == true)
    #expect(!followed.look())
  }

  @Test func `unreadable files hold the dataset until they are fixed`() throws {
    try edit(.failure(Refusal(.configuration, "dataset.json: expected a number.")))
    #expect(followed.look())
    let error = #expect(throws: PlanError.self) { try followed.job.confirm() }
    #expect(
      error?.description
        == "dataset.json: expected a number. Until this is fixed, nothing new is published for test")
    try edit(.success((Self.models, [:], nil)))
    try followed.job.confirm()
  }

  private func find(_ models: [ModelDefinition], _ lifecycles: [Int: SeedLifecycle] = [:]) throws -> Bool {
    try edit(.success((models, lifecycles, nil)))
    return followed.look()
  }

  @Test func `a changed or missing model holds the dataset and the message has a remedy`() throws {
    for found in [[], [model("1.0", "CREATE TABLE stop(id TEXT PRIMARY KEY)")]] {
      #expect(try find(found))
      let error = #expect(throws: PlanError.self) { try followed.job.confirm() }
      let text = try #require(error?.description)
      #expect(text.hasPrefix("the files of model 1.0 have changed or disappeared since 'seedbank run'"))
      #expect(
        text.hasSuffix("nothing new is published for test. To end a major, run 'seedbank model retire'"))
      #expect(followed.job.plans.map(\.newest) == Self.models)
    }
  }

  @Test func `changes to models of a retired major are ignored`() throws {
    #expect(try find([model("1.1", "")], [1: .retired(message: nil)]))
    try followed.job.confirm()
    #expect(followed.remark == nil)
  }

  @Test func `a new model is reported and does not hold the dataset`() throws {
    #expect(try !find(Self.models + [model("1.1", ""), model("2.0", "")]))
    try followed.job.confirm()
    #expect(
      followed.remark
        == "models 1.1, 2.0 were added after 'seedbank run' was started: restart it to publish them")
  }
}
