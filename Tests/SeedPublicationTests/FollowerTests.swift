import SeedFormat
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublication

@Suite struct FollowerTests {
  /// A source that cancels the look at its first object, or removes a folder then.
  private final class Source: FollowSource {
    let look = Mutex<Task<Void, any Error>?>(nil)
    let objects = Mutex(0)
    let lost = Mutex<String?>(nil)
    private let publication: PublicationDirectory
    private let parts: String

    init(_ publication: PublicationDirectory, _ parts: String) {
      (self.publication, self.parts) = (publication, parts)
    }

    var name: String { publication.path }

    func metadata(_ name: String, limit: Int) throws -> [UInt8]? { try publication.metadata(name) }

    func object(_ object: PublishedObject) throws -> String {
      objects.withLock { $0 += 1 }
      look.withLock { $0?.cancel() }
      if let lost = lost.withLock(\.self) { try Folder.removeAny(lost) }
      let part = "\(parts)/\(object.sha256.hex)"
      _ = try SHA256Digest.copying(publication.file(object), to: part)
      return part
    }
  }

  @Test func `a cancelled look begins no further download`() async throws {
    let deployment = try PublisherFixture.deployment()
    defer { withExtendedLifetime(deployment) {} }
    let publication = deployment.publication
    for name in 1...6 {
      try deployment.origin("UPDATE stop SET name = 'name \(name)' WHERE id = 1")
      _ = try deployment.step()
    }
    let folder = try FollowFolder(deployment.folder("copy"))
    let source = Source(publication, folder.parts)
    let root = try #require(try publication.metadata("1.root.json"))
    let follower = Follower(folder: folder, source: source, root: root)
    let look = source.look.withLock { look in
      let task = Task { _ = try await follower.look() }
      look = task
      return task
    }
    await #expect(throws: CancellationError.self) { try await look.value }
    let listed = try publication.published().series.values.flatMap(\.metadata.objects).count
    #expect(source.objects.withLock { $0 } < listed)
  }

  @Test(arguments: [[""], ["/.follow/parts"], ["/metadata", "/targets", "/.follow"], ["/.follow/lock"]])
  func `a follower fills a folder that was removed or emptied while it runs`(lost: [String]) async throws {
    let deployment = try PublisherFixture.deployment()
    defer { withExtendedLifetime(deployment) {} }
    let publication = deployment.publication
    let folder = try FollowFolder(deployment.folder("copy"))
    let root = try #require(try publication.metadata("1.root.json"))
    let follower = Follower(folder: folder, source: Source(publication, folder.parts), root: root)
    _ = try await follower.look()
    for path in lost { try Folder.removeAny(folder.publication.path + path) }
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 1")
    _ = try deployment.step()
    #expect(try await !follower.look().isUnchanged)
    #expect(try await follower.look().isUnchanged)
    let published = try folder.publication.published()
    #expect(published.timestamp.version == (try publication.published().timestamp.version))
    #expect(published.series.values.flatMap(\.metadata.objects).allSatisfy(folder.publication.holds))
    #expect(throws: Refusal.self, "the new lock is held") { try FollowFolder(folder.publication.path) }
  }

  @Test func `a copy that disappears during a look is reported without a publisher's remedies, then filled`()
    async throws
  {
    let deployment = try PublisherFixture.deployment()
    defer { withExtendedLifetime(deployment) {} }
    let folder = try FollowFolder(deployment.folder("copy"))
    let source = Source(deployment.publication, folder.parts)
    let root = try #require(try deployment.publication.metadata("1.root.json"))
    let follower = Follower(folder: folder, source: source, root: root)
    _ = try await follower.look()
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 1")
    _ = try deployment.step()
    source.lost.withLock { $0 = deployment.folder("copy/metadata") }
    let refusal = await #expect(throws: Refusal.self) { try await follower.look() }
    #expect(refusal?.message.hasSuffix("during a check. The next check downloads them again.") == true)
    source.lost.withLock { $0 = nil }
    #expect(try await !follower.look().isUnchanged)
    let version = try deployment.publication.published().timestamp.version
    #expect(try folder.publication.published().timestamp.version == version)
  }

  @Test(arguments: [false, true])
  func `a copy that lacks room removes obsolete files, but none that the new metadata names`(
    isNamedAgain: Bool
  ) async throws {
    let deployment = try PublisherFixture.deployment()
    defer { withExtendedLifetime(deployment) {} }
    deployment.job.retainedSnapshots = 1
    let publication = deployment.publication
    let folder = try FollowFolder(deployment.folder("copy"))
    let root = try #require(try publication.metadata("1.root.json"))
    let follower = Follower(
      folder: folder, source: Source(publication, folder.parts), root: root, graceSeconds: 0)
    _ = try await follower.look()
    let first = try #require(try deployment.metadata(major: 2).newestSnapshot)
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 1")
    _ = try deployment.step(forcingSnapshot: true)
    _ = try await follower.look()
    #expect(folder.publication.holds(first), "its grace period has begun")
    try list(try huge(like: first) + (isNamedAgain ? [first] : []), in: deployment)
    let refusal = await #expect(throws: Refusal.self) { try await follower.look() }
    #expect(refusal?.message.contains("free some space") == true, "\(String(describing: refusal))")
    #expect(folder.publication.holds(first) == isNamedAgain)
  }

  /// Deltas that fit on no disk.
  private func huge(like object: PublishedObject) throws -> [PublishedObject] {
    try (3...66).map { version in
      PublishedObject(
        series: object.series, kind: .delta(from: .first, to: try SeedVersion(version)),
        length: Limits.objectBytes, sha256: .of(Array("\(version)".utf8)), model: object.model, rawLength: 1,
        schema: object.schema, digest: object.digest)
    }
  }

  /// Lists objects whose files may be missing.
  private func list(_ objects: [PublishedObject], in deployment: TestDeployment) throws {
    let (publication, old) = (deployment.publication, try deployment.metadata(major: 2))
    let new = SeriesMetadata(series: old.series, state: old.state, objects: old.objects + objects)
    let step = try RepositorySigner(now: deployment.clock).publish(
      [new], after: publication.published(), keys: deployment.keys)
    try publication.write(step.files)
  }

  @Test func `a source's folder whose disk is not mounted is unavailable, and damage in it names --verify`()
    async throws
  {
    let deployment = try PublisherFixture.deployment()
    defer { withExtendedLifetime(deployment) {} }
    let (path, away) = (deployment.publication.path, deployment.folder("away"))
    let folder = try FollowFolder(deployment.folder("copy"))
    let source = StoreSource(folder: path, parts: folder.parts)
    let root = try #require(try deployment.publication.metadata("1.root.json"))
    let follower = Follower(folder: folder, source: source, root: root)
    let object = try #require(deployment.publication.published().series.values.first?.metadata.objects.first)
    try Folder.rename(path, to: away)
    for isEmpty in [false, true] {
      if isEmpty { try Folder.create(path) }
      let refusal = await #expect(throws: Refusal.self) { try await follower.look() }
      #expect(refusal?.exitCode == .unavailable && refusal?.message.contains("mount its disk") == true)
    }
    try Folder.removeAll(path)
    try Folder.rename(away, to: path)
    try DurableFile.write([0], to: deployment.publication.file(object))
    let refusal = await #expect(throws: Refusal.self) { try await follower.look() }
    #expect(refusal?.exitCode == .badData && refusal?.message.contains("repeat that command") == true)
  }

  /// A file left by a crash is obsolete at once.
  @Test(arguments: [("stuck", 0), ("stuck.tmp", 1)])
  func `a look that cannot remove a file is complete, and warns`(name: String, warningsAtOnce: Int)
    async throws
  {
    let deployment = try PublisherFixture.deployment()
    defer { withExtendedLifetime(deployment) {} }
    let publication = deployment.publication
    let folder = try FollowFolder(deployment.folder("copy"))
    try Folder.create(deployment.folder("copy/metadata/\(name)/inside"))
    let root = try #require(try publication.metadata("1.root.json"))
    let follower = Follower(
      folder: folder, source: Source(publication, folder.parts), root: root, graceSeconds: 0)
    #expect(try await follower.look().warnings.count == warningsAtOnce)
    try deployment.origin("UPDATE stop SET name = 'new' WHERE id = 1")
    _ = try deployment.step()
    let report = try await follower.look()
    #expect(report.warnings.count == 1 && report.warnings[0].contains("copy/metadata/\(name): "))
    #expect(report.json["warnings"] == JSONValue(strings: report.warnings))
    #expect(try folder.publication.published().timestamp.version == publication.published().timestamp.version)
  }
}
