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
        == "dataset.json: expected a number. Until that is fixed, nothing new is published of test")
    try edit(.success((Self.models, [:], nil)))
    try followed.job.confirm()
  }

  @Test func `a changed model holds the dataset`() throws {
    try edit(.success(([model("1.0", "CREATE TABLE stop(id TEXT PRIMARY KEY)")], [:], nil)))
    #expect(followed.look())
    #expect(throws: PlanError.self) { try followed.job.confirm() }
    #expect(followed.job.plans.map(\.newest) == Self.models)
  }
}
