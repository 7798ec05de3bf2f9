import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Files without a reference are deleted after a grace period, and no others.
@Suite struct PruningTests {
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)"

  private static func deployment() throws -> TestDeployment {
    let deployment = try TestDeployment([model("1.0", schema)], in: try TemporaryFolder(inMemory: true))
    deployment.job.retainedSnapshots = 1
    deployment.job.graceSeconds = 600
    try deployment.origin("\(schema); INSERT INTO t VALUES (1, 'a')")
    _ = try deployment.step()
    return deployment
  }

  private static func files(_ deployment: TestDeployment) throws -> Set<String> {
    let path = deployment.publication.path
    return Set(
      try FileManager.default.subpathsOfDirectory(atPath: path).filter { !Folder.isFolder("\(path)/\($0)") })
  }

  private static func change(_ deployment: TestDeployment, _ text: String) throws {
    try deployment.origin("UPDATE t SET v = '\(text)'")
    _ = try deployment.step(forcingSnapshot: true)
  }

  /// The grace periods of this dataset, and the longest of others.
  @Test(arguments: [(600, 0), (60, 600)])
  func `a file without a reference is deleted after the longest grace period`(_ own: Int, _ longest: Int)
    throws
  {
    let deployment = try Self.deployment()
    (deployment.job.graceSeconds, deployment.publisher.graceSeconds) = (own, longest)
    let first = try #require(try deployment.metadata().newestSnapshot)
    try Self.change(deployment, "b")
    #expect(try !deployment.metadata().objects.contains(first))
    #expect(try Self.files(deployment).contains(first.filePath), "a client may be fetching it")
    for (seconds, isThere) in [(590, true), (20, false)] {
      deployment.clock = deployment.clock.adding(seconds: seconds)
      _ = try deployment.step()
      #expect(try Self.files(deployment).contains(first.filePath) == isThere)
    }
  }

  @Test func `a step that fails also removes obsolete files`() throws {
    let deployment = try Self.deployment()
    let first = try #require(try deployment.metadata().newestSnapshot)
    try Self.change(deployment, "b")
    deployment.clock = deployment.clock.adding(seconds: 610)
    try Folder.rename(deployment.originPath, to: deployment.folder("away"))
    #expect(throws: OriginError.self) { try deployment.step() }
    #expect(try !Self.files(deployment).contains(first.filePath))
    try deployment.verify()
  }

  @Test func `an obsolete file that stays is reported, and keeps neither others nor the snapshot`() throws {
    let deployment = try Self.deployment()
    let folder = deployment.publication.path + "/targets/test/1"
    try Folder.create("\(folder)/stuck/inside")
    try Data().write(to: URL(fileURLWithPath: "\(folder)/other"))
    _ = try deployment.step()
    deployment.clock = deployment.clock.adding(seconds: 700)
    try deployment.origin("UPDATE t SET v = 'b'")
    let report = try deployment.step(forcingSnapshot: true)
    #expect(!report.pruned.contains("targets/test/1/stuck") && !Folder.exists("\(folder)/other"))
    #expect(try deployment.metadata().newestSnapshot?.version.number == 2)
    for warnings in [report.warnings, try deployment.step().warnings] {
      let found = warnings.filter {
        $0.hasPrefix("cannot remove \(folder)/stuck: ") && $0.contains("obsolete files remain")
      }
      #expect(found.count == 1, "\(warnings)")
    }
  }

  @Test func `a step of another dataset removes only files whose grace period is known to be over`() throws {
    let deployment = try Self.deployment()
    try Self.change(deployment, "b")
    let folder = "\(deployment.publication.path)/targets/test/1"
    try Data().write(to: URL(fileURLWithPath: "\(folder)/unknown"))
    let pruning = Pruning(
      publication: deployment.publication, stateFolder: deployment.publisher.stateFolder, graceSeconds: 600)
    let published = try deployment.publication.published()
    let obsolete = try Self.files(deployment).subtracting(
      published.series.values.flatMap(\.metadata.objects).map(\.filePath)
    )
    .filter { $0.hasPrefix("targets/") && !$0.hasSuffix("unknown") }
    for (seconds, removed) in [(0, []), (590, []), (610, obsolete)] as [(Int, Set<String>)] {
      let now = deployment.clock.adding(seconds: seconds)
      let run = try pruning.run(published, of: DatasetName("other"), now: now, isDryRun: false)
      #expect(Set(run.removed.filter { $0.hasPrefix("targets") }) == removed, "after \(seconds) seconds")
    }
    #expect(Folder.exists("\(folder)/unknown"))
  }

  @Test func `a step of another dataset forgets the time of a file that is named again`() throws {
    let deployment = try Self.deployment()
    let before = try deployment.publication.published()
    let first = try #require(try deployment.metadata().newestSnapshot).filePath
    try Self.change(deployment, "b")
    let pruning = Pruning(
      publication: deployment.publication, stateFolder: deployment.publisher.stateFolder, graceSeconds: 600)
    // As after the metadata came back from a backup.
    _ = try pruning.run(
      before, of: DatasetName("other"), now: deployment.clock.adding(seconds: 590), isDryRun: false)
    let now = deployment.clock.adding(seconds: 610)
    let run = try pruning.run(try deployment.publication.published(), now: now, isDryRun: true)
    #expect(run.waiting[first] == now && !run.removed.contains(first), "\(run.removed)")
  }

  @Test func `a file left by a crash that stays is reported, and the step goes on`() throws {
    let deployment = try Self.deployment()
    let (publication, state) = (deployment.publication.path, deployment.folder("state"))
    let places = [
      "\(publication)/metadata/a.tmp", "\(publication)/targets/test/1/b.tmp",
      "\(publication)/targets/test/1/c.draft", "\(state)/d.tmp",
    ]
    for (index, stuck) in places.enumerated() {
      try Folder.create("\(stuck)/inside")
      try deployment.origin("UPDATE t SET v = '\(index)'")
      let warnings = try deployment.step().warnings
      #expect(
        warnings.count { $0.hasPrefix("cannot remove \(stuck): ") && $0.contains("left by a crash remain") }
          == 1,
        "\(warnings)")
      #expect(try deployment.metadata().state.head.number == index + 2)
      try Folder.removeAll(stuck)
    }
  }

  @Test func `the grace period begins when a step stops naming a file, not when the step began`() throws {
    let deployment = try Self.deployment()
    let (publisher, published) = (deployment.publisher, try deployment.publication.published())
    let leftover = "targets/test/1/\(String(repeating: "0", count: 64)).snapshot-9.sqlite.gz"
    try Data().write(to: URL(fileURLWithPath: "\(deployment.publication.path)/\(leftover)"))
    let context = StepContext(
      publisher: publisher, job: deployment.job, now: deployment.clock, start: .now - .seconds(3600))
    var report = StepReport()
    try context.prune(published, &report)
    let pruning = Pruning(
      publication: publisher.publication, stateFolder: publisher.stateFolder, graceSeconds: 600)
    for (seconds, removed) in [(3700, []), (4300, [leftover])] as [(Int, [String])] {
      let now = deployment.clock.adding(seconds: seconds)
      #expect(try pruning.run(published, now: now, isDryRun: true).removed == removed)
    }
  }

  @Test(.full) func `after a hundred publications exactly the referenced files are left`() throws {
    let deployment = try Self.deployment()
    deployment.job.graceSeconds = 5
    for number in 0..<100 { try Self.change(deployment, "\(number)") }
    deployment.clock = deployment.clock.adding(seconds: 10)
    for _ in 0..<2 { _ = try deployment.step() }
    let published = try deployment.publication.published()
    let objects = published.series.values.flatMap(\.metadata.objects).map(\.filePath)
    let files = try Self.files(deployment)
    #expect(files.filter { $0.hasPrefix("targets/") } == Set(objects))
    #expect(files.filter { $0.hasPrefix("metadata/") }.count == 5, "\(files.sorted())")
  }

  @Test func `a temporary file left by a crash is deleted at the next step`() throws {
    let deployment = try Self.deployment()
    let leftover = deployment.publication.path + "/targets/test/1/snapshot-9-gzip.tmp"
    try Data([1]).write(to: URL(fileURLWithPath: leftover))
    _ = try deployment.step()
    #expect(!Folder.exists(leftover))
  }

  @Test func `a lost or damaged list of unreferenced files only delays their deletion`() throws {
    let deployment = try Self.deployment()
    let first = try #require(try deployment.metadata().newestSnapshot)
    try Self.change(deployment, "b")
    try Data("{".utf8).write(to: URL(fileURLWithPath: deployment.folder("state/unnamed-files.json")))
    deployment.clock = deployment.clock.adding(seconds: 700)
    _ = try deployment.step()
    #expect(try Self.files(deployment).contains(first.filePath))
    deployment.clock = deployment.clock.adding(seconds: 700)
    _ = try deployment.step()
    #expect(try !Self.files(deployment).contains(first.filePath))
  }
}
