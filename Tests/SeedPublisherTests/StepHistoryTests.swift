import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// The history records steps and never blocks one.
@Suite struct StepHistoryTests {
  /// A deployment whose steps are recorded, and the messages about its history.
  private final class Scene {
    let deployment: TestDeployment
    let history: StepHistory
    private let heard = Shared<[String]>([])
    var publisher: Publisher { deployment.publisher }
    var messages: [String] { heard.withLock(\.self) }
    var series: SeedSeries { deployment.job.plans[0].series }

    init() throws {
      deployment = try PublisherFixture.deployment()
      history = StepHistory(deployment.folder("state")) { [heard] record in
        heard.withLock { $0.append(record.message) }
      }
      deployment.publisher.history = history
    }

    @discardableResult
    func step(_ sql: String = "SELECT 1") throws -> StepReport {
      try deployment.origin(sql)
      deployment.clock = deployment.clock.adding(seconds: 59)
      return try deployment.step()
    }

    /// Steps that fail because the origin is away.
    func fail(times: Int) throws {
      try Folder.rename(deployment.originPath, to: deployment.folder("away"))
      for _ in 0..<times {
        deployment.clock = deployment.clock.adding(seconds: 59)
        #expect(throws: OriginError.self) { try deployment.step() }
      }
      try Folder.rename(deployment.folder("away"), to: deployment.originPath)
    }

    /// A record of this series, or of another one.
    func sample(_ outcome: StepRecord.Outcome, of other: SeedSeries? = nil) -> StepRecord {
      var record = StepRecord(outcome, of: (other ?? series).dataset, at: deployment.clock)
      record.series = other ?? series
      return record
    }

    func record(_ error: any Error) {
      history.record([StepRecord(error, of: deployment.job.name, at: deployment.clock, milliseconds: 1)])
    }
  }

  @Test func `each outcome of a step except usage errors is recorded`() throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1; INSERT INTO stop VALUES (9, 'n', 1)")
    try scene.step()
    try scene.deployment.origin("INSERT INTO stop VALUES (1, 'twice', 1)")
    #expect(throws: OriginError.self) { try scene.step() }
    try scene.deployment.origin("DELETE FROM stop WHERE name = 'twice'")
    try scene.fail(times: 1)
    func rollBack(to version: SeedVersion) throws {
      let job = scene.deployment.job
      try scene.publisher.step(
        job, StepOptions(rollingBack: scene.series, to: version, job), now: scene.deployment.clock)
    }
    #expect(throws: RecallError.self) { try rollBack(to: 99) }
    try rollBack(to: .first)
    try scene.step()
    let builds = try scene.history.newest(10).reversed()
    #expect(builds.map(\.outcome) == [.published, .unchanged, .refused, .failed, .rolledBack, .held])
    let first = try #require(builds.first)
    #expect((first.from, first.to) == (1, 2) && first.series == scene.series && first.deltaBytes != nil)
    #expect((first.changes["stop"]?.inserted, first.changes["stop"]?.updated) == (1, 1))
    #expect(builds.map { $0.error == nil } == [true, true, false, false, true, true])
    #expect(builds.map(\.reason) == [nil, nil, .data, .origin, nil, nil])
    #expect(try scene.history.latest(of: scene.series)?.outcome == .held)
  }

  @Test func `a damaged origin is recorded as a failure of the origin and not of its data`() throws {
    let scene = try Scene()
    try DurableFile.write(Array("not a database".utf8), to: scene.deployment.originPath)
    #expect(throws: OriginError.self) { try scene.deployment.step() }
    let newest = try #require(try scene.history.newest(1).first)
    #expect(newest.outcome == .failed && newest.reason == .origin, "\(newest)")
    #expect(newest.error?.contains("is damaged") == true)
  }

  @Test func `steps with the same result are one row with a count`() throws {
    let scene = try Scene()
    let start = scene.deployment.clock
    for _ in 0..<5 { try scene.step() }
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    try scene.fail(times: 3)
    for _ in 0..<2 { try scene.step() }
    try scene.fail(times: 2)
    try scene.step()
    let builds = try scene.history.newest(10)
    #expect(builds.map(\.outcome) == [.unchanged, .failed, .unchanged, .failed, .published, .unchanged])
    #expect(builds.map(\.times) == [1, 2, 2, 3, 1, 5])
    #expect(builds.map(\.at) == [14, 12, 10, 7, 6, 1].map { start.adding(seconds: 60 * $0) })
    #expect(builds.allSatisfy { $0.last >= $0.at.adding(seconds: 60 * ($0.times - 1)) })
  }

  @Test func `the record of a long step has the time of its end`() throws {
    let scene = try Scene()
    let (publisher, start) = (scene.publisher, scene.deployment.clock)
    let context = StepContext(publisher: publisher, job: scene.deployment.job, now: start)
    publisher.record(StepReport(), .failure(NotASeed("away")), context, milliseconds: 7999)
    let record = try #require(try scene.history.newest(1).first)
    #expect(record.at == start && record.last == start.adding(seconds: 7) && record.milliseconds == 7999)
    scene.deployment.publisher.beforeCompression = { _, _ in usleep(2000) }
    try scene.deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    _ = try scene.deployment.step(forcingSnapshot: true)
    #expect(try scene.history.newest(1).first.map { $0.milliseconds > 0 } == true)
  }

  @Test func `a step names its long parts`() throws {
    let deployment = try PublisherFixture.deployment()
    let parts = Mutex<[String]>([])
    deployment.publisher.progress = { part in parts.withLock { $0.append(part) } }
    deployment.job.encodings = [.gzip, .xz]
    try WorkingCopy.remove(deployment.copy())
    try deployment.change("UPDATE stop SET name = 'x' WHERE id = 1", forcingSnapshot: true)
    #expect(
      parts.withLock { $0 } == [
        "test: preparing the origin", "test: opening the origin", "test/2: rebuilding the working copy",
        "test/2: comparing the rows", "test/2: making the snapshot of version 2",
        "test/2: compressing version 2 in xz",
      ])
  }

  @Test func `an audit between log checks is a separate row`() throws {
    let scene = try Scene()
    let ways: [FoundBy?] = [
      nil, nil, FoundBy(.log), FoundBy(.log), FoundBy(.audit), FoundBy(.log),
      FoundBy(.comparison, .first, reason: "a"),
      FoundBy(.comparison, .first, reason: "b"),
      FoundBy(.comparison, .pruned, reason: "b"),
    ]
    for (place, way) in ways.enumerated() {
      let at = scene.deployment.clock.adding(seconds: place)
      var record = StepRecord(.unchanged, of: scene.deployment.job.name, at: at, milliseconds: 1)
      record.foundBy = way
      scene.history.record([record])
    }
    let builds = try scene.history.newest(10).reversed()
    #expect(builds.map(\.foundBy) == [nil] + ways.dropFirst(3))
    #expect(builds.map(\.times) == [2, 2, 1, 1, 1, 1, 1])
  }

  @Test func `a repeating pair of a good series and a failed step is counted`() throws {
    let scene = try Scene()
    try scene.step()
    let good = try #require(try scene.history.newest(1).first)
    var bad = good
    (bad.series, bad.outcome, bad.error) = (nil, .failed, "the disk is full")
    for turn in 1...4 {
      let at = good.last.adding(seconds: 60 * turn)
      let records = [good, bad].map { record in
        var record = record
        (record.at, record.last, record.times) = (at, at.adding(seconds: 9), 1)
        return record
      }
      scene.history.record(records)
    }
    #expect(try scene.history.newest(10).map(\.times) == [4, 5])
  }

  @Test func `a failure of snapshots stays the newest outcome until one succeeds, in one row`() throws {
    struct Failure: Error {}
    let scene = try Scene()
    let deployment = scene.deployment
    deployment.publisher.facts = FactsKeeper(isOn: true)
    deployment.job.snapshotSeconds = 0
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    // Each step reads an origin that was just written to.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: deployment.originPath)
    var newest: StepRecord.Outcome? { deployment.publication.facts.read(scene.series)?.look.newest }
    func step(_ half: Publisher.Half) throws {
      deployment.clock = deployment.clock.adding(seconds: 60)
      try deployment.publisher.step(deployment.job, half: half, now: deployment.clock)
    }
    deployment.publisher.beforeCompression = { _, _ in throw Failure() }
    try step(.changes)
    #expect(newest == .published)
    for _ in 1...5 {
      #expect(throws: Failure.self) { try step(.snapshots) }
      #expect(newest == .failed)
      try step(.changes)
      #expect(newest == .failed)
    }
    let builds = try scene.history.newest(10)
    #expect(builds.map(\.outcome) == [.failed, .unchanged, .published])
    #expect(builds.map(\.times) == [5, 5, 1])
    deployment.publisher.beforeCompression = { _, _ in }
    try step(.snapshots)
    #expect(newest == .published)
    try step(.changes)
    #expect(newest == .unchanged)
  }

  @Test func `records are ordered by insertion even after the clock was wrong`() throws {
    let scene = try Scene()
    let right = scene.deployment.clock
    scene.deployment.clock = right.adding(days: 365)
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    try scene.step()
    scene.deployment.clock = right
    try scene.step()
    try scene.fail(times: 2)
    #expect(try scene.history.latest(of: scene.series)?.outcome == .failed)
    #expect(try scene.history.newest(10).map(\.outcome) == [.failed, .unchanged, .published])
  }

  @Test func `old records are deleted, but no counts and no dataset's newest and newest good record`() throws
  {
    let scene = try Scene()
    var missed = scene.sample(.published)
    (missed.missedRows, missed.foundBy) = (3, FoundBy(.audit))
    scene.history.record([missed, missed])
    #expect(try scene.history.newest(1).first?.missedRows == 3)
    var facts = SeriesFacts(scene.series, writtenAt: missed.last)
    try scene.history.fill(&facts, steps: 1)
    #expect(facts.missedRows == 6)
    let quiet = try SeedSeries("quiet", major: 1)
    let outcomes: [StepRecord.Outcome] = [.published, .unchanged, .refused, .failed]
    scene.history.record(outcomes.map { scene.sample($0, of: quiet) })
    // Each is a separate row.
    scene.history.record(Array(repeating: scene.sample(.published), count: StepHistory.mostRecords))
    try scene.history.fill(&facts, steps: 1)
    #expect(facts.missedRows == 6)
    #expect(try scene.history.newest(10, of: quiet.dataset).map(\.outcome) == [.failed, .unchanged])
    #expect(try scene.history.latest(of: quiet)?.outcome == .failed)
    #expect(try scene.history.newest(Int(Int32.max)).count == StepHistory.mostRecords + 2)
  }

  enum Damage: String, CaseIterable {
    case garbage, half, otherTables, otherLayout, missing, emptyFile
  }

  @Test(arguments: Damage.allCases)
  func `a damaged history is moved aside and the step continues`(_ damage: Damage) throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    try inflict(damage, scene.history.path)
    let report = try scene.step("UPDATE stop SET name = 'y' WHERE id = 1")
    #expect(report.series[0].outcome == .changed)
    #expect(try scene.history.newest(10).first?.to == 3)
    let isSetAside = damage != .missing && damage != .emptyFile
    #expect(Folder.exists(scene.history.path + ".damaged") == isSetAside, "\(scene.messages)")
    #expect(scene.messages.count == (isSetAside ? 1 : 0), "\(scene.messages)")
  }

  private func inflict(_ damage: Damage, _ path: String) throws {
    let bytes = try DurableFile.read(path, limit: 1 << 20)
    switch damage {
    case .garbage: try DurableFile.write(bytes.map { ~$0 }, to: path)
    case .half: try DurableFile.write(Array(bytes[..<(bytes.count / 2 + 100)]), to: path)
    case .otherTables: try Connection(path, .writer).execute("DROP TABLE step; CREATE TABLE step(x)")
    case .otherLayout: try Connection(path, .writer).execute("PRAGMA user_version = 99")
    case .missing: try Folder.remove(path)
    case .emptyFile: try DurableFile.write([], to: path)
    }
  }

  @Test func `a failure to write the history is reported and the step continues`() throws {
    let scene = try Scene()
    try Folder.create(scene.history.path)
    #expect(try scene.step("UPDATE stop SET name = 'x' WHERE id = 1").series[0].outcome == .changed)
    #expect(scene.messages.allSatisfy { $0.hasPrefix("The history of steps could not be written") })
    #expect(scene.messages.count == 1)
  }

  @Test func `the record of a dataset does not wait for that of another one`() throws {
    let deployment = try PublisherFixture.deployment()
    let (begun, met) = (Shared(0), Shared<[Bool]>([]))
    // A folder in its place makes the history report each record while the record is written.
    try Folder.create(deployment.folder("state/history.sqlite"))
    deployment.publisher.history = StepHistory(deployment.folder("state")) { _ in
      begun.withLock { $0 += 1 }
      let isMet: Void? = try? waitUntil("both are being written") { begun.withLock { $0 == 2 } }
      met.withLock { $0.append(isMet != nil) }
    }
    let (publisher, job, now) = (deployment.publisher, deployment.job, deployment.clock)
    @Sendable func record(_ dataset: DatasetName) {
      let other = DatasetJob(name: dataset, origin: job.origin, plans: job.plans)
      let context = StepContext(publisher: publisher, job: other, now: now)
      publisher.record(StepReport(), .failure(NotASeed("away")), context, milliseconds: 1)
    }
    Thread.detachNewThread { record("other") }
    record(job.name)
    #expect(met.withLock { !$0.contains(false) })
  }

  @Test func `errors that differ in holders, numbers or a program's output are one failure`() throws {
    let (scene, folder) = (try Scene(), try TemporaryFolder(inMemory: true))
    for holder in ["process 1, seedbank", "process 2, seedbank"] {
      let error = PublicationError.locked(path: "p", by: holder, waitedSeconds: 10)
      #expect(StepRecord.Reason(error) == .other, "it may pass")
      scene.record(error)
    }
    for rows in [412, 415] {
      scene.record(
        PublicationError.shrunk([scene.series: [ShrunkTable(name: "stop", before: 1000, after: rows)]]))
    }
    for word in ["one", "two"] {
      let program = ["/bin/sh", "-c", "echo \(word); exit 1"]
      scene.record(
        try #require(throws: OriginError.self) {
          try FeedProgram.fill(
            folder.path, last: nil, by: program, [:], within: .seconds(60), log: folder("log"))
        })
    }
    let records = try scene.history.newest(10)
    #expect(records.map(\.times) == [2, 2, 2] && records[2].outcome == .failed)
    #expect(records[0].error?.contains("it said: two") == true && records[1].error?.contains("415") == true)
  }
}
