import Dispatch
import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Concurrent changes of a publication while one of its snapshots is compressed.
@Suite struct CompressionStepTests {
  private struct Other: Sendable {
    let publisher: Publisher
    var job: DatasetJob
    let now: UTCTime

    @discardableResult
    func step(_ sql: String = "SELECT 1", _ options: StepOptions = StepOptions()) throws -> StepReport {
      try Connection(job.origin.text, .creator).execute(sql)
      return try publisher.step(job, options, now: now)
    }

    /// Publishes new models and drops older snapshots.
    func found(_ models: [ModelDefinition], as outcome: SeriesReport.Outcome = .created) throws {
      var job = DatasetJob(
        name: job.name, origin: job.origin, plans: try SeriesPlan.plans(job.name, models))
      job.retainedSnapshots = 0
      #expect(try publisher.step(job, now: now).series[0].outcome == outcome)
    }

    /// Publishes the changes of such a step now, and its snapshot on another thread.
    fileprivate func stepAside(_ options: StepOptions, _ work: SideWork) throws {
      let context = StepContext(publisher: publisher, job: job, options: options, now: now)
      var report = StepReport()
      let published = try ChangeStep.run(context, &report)
      work.start {
        var report = StepReport()
        try CompressionStep.run(context, after: published, &report)
      }
    }
  }

  private static let laterSeconds = 10

  /// Three versions, and a closure that runs while the next snapshot is compressed.
  private func deployment(
    _ encoding: ContentEncoding = .gzip, meanwhile body: @escaping @Sendable (Other) throws -> Void
  ) throws -> TestDeployment {
    let deployment = try PublisherFixture.deployment()
    for name in ["x", "y"] { try deployment.change("UPDATE stop SET name = '\(name)' WHERE id = 1") }
    let other = Other(
      publisher: deployment.publisher, job: deployment.job,
      now: deployment.clock.adding(seconds: Self.laterSeconds))
    deployment.publisher.beforeCompression = { _, begun in if begun == encoding { try body(other) } }
    return deployment
  }

  private func snapshots(_ deployment: TestDeployment) throws -> [Int] {
    try deployment.metadata(major: 2).objects.filter { !$0.isDelta && $0.encoding == .gzip }
      .map(\.version.number).sorted()
  }

  private func expectNoDrafts(_ deployment: TestDeployment) throws {
    #expect(
      try Folder.names(in: deployment.folder("publication/targets/test/2")).allSatisfy {
        !$0.hasSuffix(".draft")
      })
    #expect(try Folder.names(in: deployment.folder("state")).allSatisfy { !$0.contains(".snapshot") })
  }

  @Test func `other steps publish during compression without the due snapshot, which their deltas continue`()
    throws
  {
    let deployment = try deployment { other in
      var other = other
      other.job.snapshotSeconds = 0
      for name in ["z", "w"] {
        let report = try other.step("UPDATE stop SET name = '\(name)' WHERE id = 2")
        #expect(report.series[0].outcome == .changed && !report.series[0].hasSnapshot)
      }
    }
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.series[0].version?.number == 3 && report.series[0].snapshotBytes != nil)
    #expect(report.warnings.isEmpty)
    try deployment.verify()
    #expect(try snapshots(deployment) == [1, 3])
    #expect(try deployment.metadata(major: 2).state.head.number == 5)
    #expect(try deployment.names() == ["y", "w", "c"])
    try expectNoDrafts(deployment)
  }

  @Test func `a working copy that cannot be read is reported, and deltas are merged without it`() throws {
    let deployment = try deployment { other in
      let path = WorkingCopy.path(of: other.job.plans[0].series, in: other.publisher.stateFolder)
      try Connection(path, .writer).execute("DELETE FROM seedbank_meta")
    }
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.warnings.count == 1 && report.warnings[0].contains("cannot be read"))
    #expect(report.series[0].merged.map(\.length) == [2])
    #expect(try deployment.change("UPDATE stop SET name = 'z' WHERE id = 1").repair != nil)
    try deployment.verify()
  }

  @Test func `pruning during compression keeps the files of the snapshot`() throws {
    let deployment = try deployment { other in
      let (publisher, publication) = (other.publisher, other.publisher.publication)
      let pruning = Pruning(publication: publication, stateFolder: publisher.stateFolder, graceSeconds: 0)
      for _ in 0..<2 { _ = try pruning.run(publication.published(), now: other.now, isDryRun: false) }
      try other.step("DELETE FROM stop WHERE id = 3")
    }
    deployment.job.graceSeconds = 0
    deployment.job.encodings = [.gzip, .xz]
    try deployment.verifiedStep(forcingSnapshot: true)
    #expect(try snapshots(deployment) == [1, 3])
    #expect(try deployment.metadata(major: 2).objects.contains { $0.encoding == .xz })
    #expect(try deployment.names() == ["y", "b"])
  }

  @Test func `a step that needs another snapshot waits for the one in progress`() throws {
    let work = SideWork()
    let deployment = try deployment { other in
      try Connection(other.job.origin.text, .creator).execute("UPDATE stop SET name = 'z' WHERE id = 2")
      try other.stepAside(StepOptions(forcingSnapshot: true), work)
    }
    _ = try deployment.step(forcingSnapshot: true)
    try work.finish()
    try deployment.verify()
    #expect(try snapshots(deployment) == [1, 3, 4])
    #expect(try deployment.names() == ["y", "z", "c"])
  }

  @Test func `a step that needs the snapshot in progress uses its result`() throws {
    let work = SideWork()
    let deployment = try deployment { other in
      try other.stepAside(StepOptions(forcingSnapshot: true), work)
    }
    _ = try deployment.step(forcingSnapshot: true)
    try work.finish()
    try deployment.verify()
    #expect(try snapshots(deployment) == [1, 3])
  }

  @Test func `a series can be rolled back while a snapshot is compressed`() throws {
    let work = SideWork()
    let deployment = try deployment { other in
      let series = other.job.plans[0].series
      try other.stepAside(try StepOptions(rollingBack: series, to: .first, other.job), work)
    }
    _ = try deployment.step(forcingSnapshot: true)
    try work.finish()
    try deployment.verify()
    #expect(try snapshots(deployment) == [1, 3, 4])
    #expect(try deployment.metadata(major: 2).state.hold?.version == .first)
    #expect(try deployment.names() == ["a", "b", "c"])
  }

  @Test func `a snapshot of an outdated schema is not listed`() throws {
    let wider = "CREATE TABLE stop(id INTEGER PRIMARY KEY, zone INTEGER, name TEXT)"
    let models = [model("2.0", PublisherFixture.schema), model("2.1", wider)]
    let deployment = try deployment { other in try other.found(models) }
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.warnings.count == 1 && report.warnings[0].contains("is not listed"))
    #expect(!report.series[0].hasSnapshot)
    let metadata = try deployment.metadata(major: 2)
    #expect(metadata.state.floor.number == 4 && metadata.state.head.number == 4)
    #expect(try snapshots(deployment) == [4])
    try expectNoDrafts(deployment)
  }

  @Test func `a snapshot of the older minor is listed if a delta leads from it to the newer one`() throws {
    let wider = "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone INTEGER)"
    let models = [model("2.0", PublisherFixture.schema), model("2.1", wider)]
    let deployment = try deployment { other in try other.found(models, as: .changed) }
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.warnings.isEmpty && report.series[0].hasSnapshot)
    try deployment.verify()
    try expectNoDrafts(deployment)
  }

  @Test func `a further encoding of an unlisted snapshot is not listed`() throws {
    let wider = "CREATE TABLE stop(id INTEGER PRIMARY KEY, zone INTEGER, name TEXT)"
    let models = [model("2.0", PublisherFixture.schema), model("2.1", wider)]
    let deployment = try deployment(.xz) { other in try other.found(models) }
    deployment.job.encodings = [.gzip, .xz]
    let report = try deployment.step(forcingSnapshot: true)
    #expect(report.warnings.count == 1 && report.warnings[0].contains("is not listed"))
    #expect(try deployment.metadata(major: 2).objects.allSatisfy { $0.encoding == .gzip })
    try deployment.verify()
    try expectNoDrafts(deployment)
  }

  @Test
  func `a failed snapshot leaves its step's delta in the publication, the report and the history`()
    throws
  {
    struct Failure: Error {}
    let deployment = try deployment { _ in throw Failure() }
    let history = StepHistory(deployment.folder("state"))
    deployment.publisher.history = history
    try deployment.origin("UPDATE stop SET name = 'z' WHERE id = 2")
    var report = StepReport()
    #expect(throws: Failure.self) {
      try deployment.publisher.step(
        deployment.job, StepOptions(forcingSnapshot: true), now: deployment.clock, &report)
    }
    #expect(report.series.map(\.outcome) == [.changed])
    try deployment.verify()
    try expectNoDrafts(deployment)
    let builds = try history.newest(2)
    #expect(builds.map(\.outcome) == [.failed, .published])
    #expect(builds.last?.to == 4 && builds.last?.changes["stop"]?.updated == 1)
    deployment.publisher.beforeCompression = { _, _ in }
    try deployment.verifiedStep(forcingSnapshot: true)
    #expect(try snapshots(deployment) == [1, 4])
  }

  @Test func `a new epoch is reported although a further encoding of its snapshot fails`() throws {
    struct Failure: Error {}
    let deployment = try deployment(.xz) { _ in throw Failure() }
    deployment.job.encodings = [.gzip, .xz]
    let root = try #require(try deployment.publication.metadata("1.root.json"))
    var outcomes: [SeriesReport.Outcome] = []
    #expect(throws: Failure.self) {
      try deployment.publisher.beginEpoch([deployment.job], root: root, now: deployment.clock) { _, report in
        outcomes += report.series.map(\.outcome)
      }
    }
    #expect(outcomes == [.created])
  }

  @Test func `the next step removes files left by a crash unless a snapshot is in progress`() throws {
    let deployment = try deployment { _ in }
    let left = [
      "publication/targets/test/2/snapshot-3-gzip.draft", "state/test-2.snapshot",
      "state/test-2.new.snapshot.indexed",
    ]
    .map { deployment.folder($0) }
    for path in left { try DurableFile.write([1, 2, 3], to: path) }
    let series = deployment.job.plans[0].series
    _ = try deployment.publication.snapshotLock(of: series).holdIfFree {
      _ = try deployment.step()
      #expect(left.allSatisfy { Folder.exists($0) })
    }
    _ = try deployment.step()
    #expect(left.allSatisfy { !Folder.exists($0) })
  }
}

/// Decides which snapshots may be listed after concurrent publications.
@Suite struct SnapshotListingTests {
  private static let series = SeedSeries("test", model: "1.0")
  private static let epoch = Epoch.random()
  private static let schema = SHA256Digest.of(Array("schema".utf8))

  private static func digest(_ version: Int, _ rows: String = "rows") -> SHA256Digest {
    SHA256Digest.of(Array("\(rows) at \(version)".utf8))
  }

  private static func object(
    _ kind: PublishedObject.Kind, _ digest: SHA256Digest, bytes: Int = 10
  ) -> PublishedObject {
    PublishedObject(
      series: series, kind: kind, length: bytes, sha256: .of(Array("\(kind)".utf8)), model: "1.0",
      rawLength: 10, schema: schema, digest: digest)
  }

  private static func snapshot(
    _ version: Int, _ encoding: ContentEncoding = .gzip, rows: String = "rows"
  ) throws -> PublishedObject {
    object(.snapshot(try SeedVersion(version), encoding), digest(version, rows))
  }

  private static func delta(
    _ from: Int, _ to: Int, _ encoding: ContentEncoding = .gzip, bytes: Int = 10
  ) throws -> PublishedObject {
    object(.delta(from: try SeedVersion(from), to: try SeedVersion(to), encoding), digest(to), bytes: bytes)
  }

  /// A series at version 5 with a snapshot at 2 and deltas from there on.
  private static func published(
    floor: Int = 2, head: Int = 5, schema: SHA256Digest = schema, _ more: [PublishedObject] = [],
    deltas: ClosedRange<Int> = 2...4
  ) throws -> SeriesMetadata {
    let state = SeriesState(
      epoch: epoch, head: try SeedVersion(head), floor: try SeedVersion(floor), model: "1.0",
      models: ["1.0": schema], lifecycle: .active, publishedAt: .now(), pollSeconds: 60, license: nil,
      attribution: nil, source: nil, hold: nil)
    let objects = try [snapshot(2)] + deltas.map { try delta($0, $0 + 1) } + more
    return SeriesMetadata(series: series, state: state, objects: objects)
  }

  private func canList(
    _ object: PublishedObject, from source: PublishedObject? = nil, _ published: SeriesMetadata
  ) -> Bool {
    ObjectListing.canList(object, from: source, of: Self.epoch, in: published)
  }

  @Test(arguments: [3, 4, 5])
  func `a snapshot between floor and head is listed`(_ version: Int) throws {
    #expect(canList(try Self.snapshot(version), try Self.published()))
  }

  @Test func `a wrong or useless snapshot is not listed`() throws {
    let third = try Self.snapshot(3)
    #expect(
      !ObjectListing.canList(third, from: nil, of: .random(), in: try Self.published()), "another history")
    #expect(!canList(third, try Self.published(schema: Self.digest(0))), "no delta leads to that schema")
    #expect(!canList(third, try Self.published(floor: 4, deltas: 4...4)))
    #expect(!canList(third, try Self.published(deltas: 4...4)), "no delta leads on")
    #expect(!canList(try Self.snapshot(6), try Self.published()), "the publication has gone back")
    #expect(!canList(try Self.snapshot(3, rows: "others"), try Self.published()))
    for version in [3, 4] { #expect(!canList(third, try Self.published([Self.snapshot(version)]))) }
  }

  private func missing(
    _ encodings: [ContentEncoding], _ more: [PublishedObject]
  ) throws -> PublishedObject.Kind? {
    ObjectListing.missingEncoding(encodings, of: try Self.published(more)).map {
      $0.0.kind.encoded(as: $0.1)
    }
  }

  @Test func `the newest snapshot and large merged deltas get further encodings, one after the other`() throws
  {
    let both: [ContentEncoding] = [.xz, .gzip]
    let (large, snapshot) = (try Self.delta(2, 4, bytes: 65_536), try Self.snapshot(2, .xz))
    #expect(try missing([.gzip], [large]) == nil)
    #expect(try missing(both, [large]) == snapshot.kind)
    #expect(try missing(both, [large, snapshot]) == .delta(from: 2, to: 4, .xz))
    #expect(try missing(both, [large, snapshot, Self.delta(2, 4, .xz)]) == nil)
    let others = try [Self.delta(2, 4, bytes: 65_535), Self.delta(1, 2, bytes: 1_000_000)]
    #expect(try missing(both, others + [snapshot]) == nil, "a small one, and one of a single step")
  }

  @Test func `a further encoding is listed once and only beside the same gzip file`() throws {
    let snapshots = (try Self.snapshot(2), further: try Self.snapshot(2, .xz))
    let deltas = (try Self.delta(2, 3), further: try Self.delta(2, 3, .xz))
    for (gzip, further) in [snapshots, deltas] {
      #expect(canList(further, from: gzip, try Self.published()))
      #expect(!canList(further, from: gzip, try Self.published([further])), "twice")
    }
    for gone in try [Self.snapshot(2, rows: "others"), Self.snapshot(3), Self.delta(2, 3, bytes: 11)] {
      #expect(!canList(snapshots.further, from: gone, try Self.published()))
    }
  }
}

/// Work on another thread.
private final class SideWork: Sendable {
  private let group = DispatchGroup()
  private let failure = Mutex<(any Error)?>(nil)

  func start(_ body: @escaping @Sendable () throws -> Void) {
    group.enter()
    Thread.detachNewThread { [self] in
      defer { group.leave() }
      do { try body() } catch { failure.withLock { $0 = error } }
    }
  }

  func finish() throws {
    guard group.wait(timeout: .now() + longestWait) == .success else {
      throw NeverHappened(what: "the other thread ends")
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

@Suite struct WorkerPoolTests {
  @Test(arguments: [1, 2, 7])
  func `a worker pool runs each job once for any number of threads`(_ threads: Int) throws {
    let done = Mutex<[Int]>([])
    try WorkerPool.run((0..<20).map { job in { done.withLock { $0.append(job) } } }, threads: threads)
    #expect(done.withLock { $0.sorted() } == Array(0..<20))
  }

  @Test func `a worker pool starts no job after an error and reports the error`() throws {
    struct Failure: Error {}
    let done = Mutex<[Int]>([])
    #expect(throws: Failure.self) {
      try WorkerPool.run(
        (0..<20).map { job in
          {
            if job == 3 { throw Failure() }
            done.withLock { $0.append(job) }
          }
        }, threads: 1)
    }
    #expect(done.withLock { $0 } == [0, 1, 2])
  }
}
