import SeedClient
import SeedDatabase
import SeedFormat
import SeedTrust
import Support
import Testing

/// A publisher restored from an old backup publishes other rows under versions that devices already have.
@Suite struct RestoredPublisherTests {
  let fixture: StoreFixture
  let store: SeedStore

  /// A device at version 2, and a publisher with another version 2.
  init() async throws {
    fixture = try StoreFixture()
    let publisher = fixture.publisher
    try publisher.publish(["a": "One"])
    let backup = try publisher.backUp()
    try publisher.publish(["a": "Two"])
    store = try fixture.store()
    try await store.update()
    try publisher.restore(backup)
    publisher.pass(days: 1)
    try publisher.publish(["a": "Another two"])
  }

  private func doctor() throws -> StoreReport {
    try StoreExamination(fixture.directory, root: fixture.publisher.root).run()
  }

  @Test func `the same version with other content is rejected with a remedy, and a new epoch resolves it`()
    async throws
  {
    let error = await #expect(throws: SeedError.self) { try await store.update() }
    #expect(error?.code == .rolledBack)
    for words in ["old backup", "'seedbank new-epoch'", "seeds.example"] {
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    #expect(try await store.stops() == ["Two"])
    #expect(await store.state.lastError?.code == .rolledBack)
    try fixture.publisher.startEpoch()
    #expect(try await store.update().plan.reason == .newEpoch)
    #expect(try await store.stops() == ["Another two"])
  }

  @Test func `if newer metadata lists other rows for head a snapshot replaces them`() async throws {
    try fixture.publisher.sign()
    let report = try await store.update()
    #expect(report.plan.reason == .otherRows && report.to.number == 2)
    #expect(try await store.stops() == ["Another two"])
    #expect(try await store.update().action == .upToDate)
  }

  @Test func `the doctor finds rows that do not match the stored metadata and suggests a remedy`()
    async throws
  {
    try fixture.publisher.sign()
    let snapshot = try fixture.lastSnapshot
    let bytes = fixture.publisher.withServed { $0.files.removeValue(forKey: snapshot.filePath) }
    #expect(await code { try await store.update() } == .missingFile)
    let finding = try #require(try doctor().findings.first { $0.severity == .error })
    #expect(finding.problem.contains("differs from the one signed for version 2"))
    #expect(finding.remedy.contains("seedbank pull"))
    fixture.publisher.withServed { $0.files[snapshot.filePath] = bytes }
    try await store.verify()
    try await store.update()
    #expect(try doctor().isSound)
    #expect(try await store.stops() == ["Another two"])
  }
}
