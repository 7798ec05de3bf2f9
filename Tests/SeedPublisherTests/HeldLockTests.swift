import Foundation
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import Support
import Testing

/// Locks of another process that hangs or was killed. A second takes a hundredth.
@Suite struct HeldLockTests {
  private let deployment: TestDeployment

  init() throws { deployment = try PublisherFixture.deployment() }

  /// A stopped process that has locked a file.
  private func holder(of path: String) throws -> TestProgram {
    try Folder.create(Folder.parent(of: path))
    // -F: flock becomes the command, so that killing it kills the holder of the lock.
    let holder = try TestProgram(["flock", "-F", path, "sh", "-c", "echo held; exec sleep 60"])
    try holder.waits(for: "held\n")
    holder.send(SIGSTOP)
    return holder
  }

  /// Expects that `body` waits ten seconds and names the holder, and that only the owner can open the lock afterwards.
  private func expectLocked(_ path: String, of folder: String, _ body: () throws -> Void) throws {
    let holder = try holder(of: path)
    defer { holder.end() }
    let error = #expect(throws: PublicationError.self) {
      try LockFile.$secondLength.withValue(.milliseconds(10)) { try body() }
    }
    guard case .locked(folder, let name?, waitedSeconds: 10) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(name.hasPrefix("process \(holder.identifier), "))
    #expect("\(error, default: "")".contains("for more than 10 seconds: try again"))
    #expect(try #require(try FileStamp(path)).isOpenToOthers == false)
  }

  @Test(arguments: [nil, Publisher.Half.changes, .snapshots])
  func `a step waits ten seconds for the publication's lock, which is free once its holder is killed`(
    _ half: Publisher.Half?
  ) throws {
    let path = deployment.publication.path
    let history = StepHistory(deployment.folder("state"))
    deployment.publisher.history = history
    try deployment.origin("DELETE FROM stop WHERE id = 2")
    try deployment.expectNothingPublished {
      try expectLocked("\(path)/.lock", of: path) {
        _ = try deployment.publisher.step(deployment.job, half: half, now: deployment.clock)
      }
    }
    if half != .snapshots { #expect(try history.newest(10).map(\.outcome) == [.failed]) }
    #expect(try deployment.verifiedStep().outcome == .changed)
  }

  @Test func `a step waits ten seconds for another process that loads the feed`() throws {
    let (feed, store) = (deployment.folder("feed"), deployment.folder("state/feeds/test"))
    var settings = FeedSettings()
    (settings.source, settings.settleSeconds) = (.path(feed), 0)
    deployment.job = DatasetJob(
      name: "test",
      origin: FeedPlace("test", settings, deployment.job.plans, stateFolder: deployment.folder("state")),
      plans: deployment.job.plans, policy: deployment.job.policy)
    try Folder.create(feed)
    try DurableFile.write(Array("id,name\n1,x\n2,b\n3,c\n".utf8), to: "\(feed)/stop.csv")
    try deployment.expectNothingPublished {
      try expectLocked("\(store)/.lock", of: store) { _ = try deployment.step() }
    }
    try deployment.verifiedStep()
    #expect(try deployment.names() == ["x", "b", "c"])
  }

  @Test func `facts wait ten seconds for another process that writes some`() throws {
    let path = deployment.publication.path
    let (old, new) = (MirrorFacts(behindSince: []), MirrorFacts(behindSince: [deployment.clock]))
    let facts = deployment.publication.facts
    try facts.write(old)
    try expectLocked("\(path)/.facts.lock", of: path) { try facts.write(new) }
    #expect(facts.read() == old)
    try facts.write(new)
    #expect(facts.read() == new)
  }

  @Test func `a push waits ten seconds for another process that writes to the mirror`() throws {
    let (folder, state) = (deployment.folder("mirror"), deployment.folder("state"))
    try expectLocked("\(folder)/.mirror.lock", of: folder) { _ = try FolderStore(folder).list() }
    #expect(try FolderStore(folder).list().isEmpty)
    let mirror = Mirror(FolderStore(folder), MirrorOptions(), stateFolder: state)
    func push() throws -> MirrorReport {
      try mirror.bringUpToDate(deployment.publication, now: deployment.clock)
    }
    try expectLocked("\(MirrorMemory.file(of: folder, in: state)).lock", of: folder) { _ = try push() }
    #expect(try push().isCommitted)
  }

  @Test func `a cancelled task does not wait for a lock`() async throws {
    let path = deployment.folder("lock")
    let holder = try holder(of: path)
    defer { holder.end() }
    let folder = deployment.folder.path
    let waiting = Task { try LockFile(path, of: folder).hold(.long) {} }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
