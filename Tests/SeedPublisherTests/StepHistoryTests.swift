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
    var publisher: Publisher { deployment.publisher }

    init() throws {
      deployment = try PublisherFixture.deployment()
      let heard = Heard()
      history = StepHistory(deployment.folder("state")) { heard.add($0) }
      deployment.publisher.history = history
      self.heard = heard
    }

    let heard: Heard

    @discardableResult
    func step(_ sql: String = "SELECT 1") throws -> StepReport {
      try deployment.origin(sql)
      deployment.clock = deployment.clock.adding(seconds: 1)
      return try publisher.step(deployment.job, now: deployment.clock)
    }
  }

  private final class Heard: Sendable {
    private let records = Mutex<[LogRecord]>([])
    func add(_ record: LogRecord) { records.withLock { $0.append(record) } }
    var messages: [String] { records.withLock { $0.map(\.message) } }
  }

  @Test func `each outcome of a step is recorded`() throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1; INSERT INTO stop VALUES (9, 'n', 1)")
    try scene.step()
    try scene.deployment.origin("INSERT INTO stop VALUES (1, 'twice', 1)")
    #expect(throws: OriginError.self) { try scene.step() }
    try scene.deployment.origin("DELETE FROM stop WHERE name = 'twice'")
    try Folder.rename(scene.deployment.originPath, to: scene.deployment.folder("away"))
    #expect(throws: OriginError.self) {
      try scene.publisher.step(scene.deployment.job, now: scene.deployment.clock)
    }
    try Folder.rename(scene.deployment.folder("away"), to: scene.deployment.originPath)
    let series = SeedSeries(scene.deployment.job.name, model: "2.0")
    _ = try scene.publisher.rollBack(series, to: .first, scene.deployment.job, now: scene.deployment.clock)
    try scene.step()
    let builds = try scene.history.newest(10).reversed()
    #expect(builds.map(\.outcome) == [.published, .unchanged, .refused, .failed, .rolledBack, .held])
    let first = try #require(builds.first)
    #expect((first.from, first.to) == (1, 2) && first.series == series && first.deltaBytes != nil)
    #expect((first.changes["stop"]?.inserted, first.changes["stop"]?.updated) == (1, 1))
    #expect(builds.map { $0.error == nil } == [true, true, false, false, true, true])
    #expect(builds.map(\.reason) == [nil, nil, .data, .origin, nil, nil])
    #expect(try scene.history.latest(of: series)?.outcome == .held)
  }

  @Test func `steps with the same result are one row with a count`() throws {
    let scene = try Scene()
    for _ in 0..<5 { try scene.step() }
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    for _ in 0..<3 { try scene.step() }
    let builds = try scene.history.newest(10)
    #expect(builds.map(\.outcome) == [.unchanged, .published, .unchanged])
    #expect(builds.map(\.times) == [3, 1, 5])
    #expect(builds[0].last.secondsSinceEpoch - builds[0].at.secondsSinceEpoch >= 2)
  }

  @Test func `the record of a long step has the time of its end`() throws {
    let scene = try Scene()
    scene.deployment.publisher.beforeCompression = { _, _ in Thread.sleep(forTimeInterval: 1.1) }
    try scene.deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1")
    _ = try scene.deployment.step(forcingSnapshot: true)
    let record = try #require(try scene.history.newest(1).first)
    #expect(record.at == scene.deployment.clock && record.last > record.at)
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

  @Test func `rows missed by a log are still counted after records are deleted`() throws {
    let scene = try Scene()
    try scene.step()
    var record = try #require(try scene.history.newest(1).first)
    var facts = SeriesFacts(try #require(record.series), writtenAt: record.last)
    (record.outcome, record.missedRows, record.foundBy) = (.published, 3, FoundBy(.audit))
    scene.history.record([record, record])
    #expect(try scene.history.newest(1).first?.missedRows == 3)
    try scene.history.fill(&facts, steps: 1)
    #expect(facts.missedRows == 6)
    (record.missedRows, record.outcome) = (0, .published)
    scene.history.record(Array(repeating: record, count: StepHistory.mostRecords + 1))
    try scene.history.fill(&facts, steps: 1)
    #expect(facts.missedRows == 6)
  }

  @Test func `a recurring failure and the good steps in between have separate counts`() throws {
    let scene = try Scene()
    func fail(times: Int) throws {
      try Folder.rename(scene.deployment.originPath, to: scene.deployment.folder("away"))
      for _ in 0..<times {
        scene.deployment.clock = scene.deployment.clock.adding(seconds: 60)
        #expect(throws: OriginError.self) {
          try scene.publisher.step(scene.deployment.job, now: scene.deployment.clock)
        }
      }
      try Folder.rename(scene.deployment.folder("away"), to: scene.deployment.originPath)
    }
    try fail(times: 3)
    for _ in 0..<2 { try scene.step() }
    try fail(times: 2)
    try scene.step()
    let builds = try scene.history.newest(10)
    #expect(builds.map(\.outcome) == [.unchanged, .failed, .unchanged, .failed])
    #expect(builds.map(\.times) == [1, 2, 2, 3])
    #expect(builds.allSatisfy { $0.last.secondsSinceEpoch - $0.at.secondsSinceEpoch <= 180 })
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

  @Test func `records are ordered by insertion even after the clock was wrong`() throws {
    let scene = try Scene()
    let right = scene.deployment.clock
    scene.deployment.clock = right.adding(days: 365)
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    try scene.step()
    scene.deployment.clock = right
    try scene.step()
    try Folder.remove(scene.deployment.originPath)
    for _ in 0..<2 {
      #expect(throws: OriginError.self) {
        try scene.publisher.step(scene.deployment.job, now: scene.deployment.clock)
      }
    }
    let series = SeedSeries(scene.deployment.job.name, model: "2.0")
    #expect(try scene.history.latest(of: series)?.outcome == .failed)
    #expect(try scene.history.newest(10).map(\.outcome) == [.failed, .unchanged, .published])
  }

  @Test func `the oldest rows are deleted`() throws {
    let scene = try Scene()
    let report = try scene.step("UPDATE stop SET name = 'x' WHERE id = 1").series
    for _ in 0..<3 { try scene.step("UPDATE stop SET name = name || '!' WHERE id = 1") }
    let build = try #require(try scene.history.newest(1).first)
    scene.history.record(Array(repeating: build, count: StepHistory.mostRecords + 10))
    #expect(report.count == 1)
    let file = try Connection(scene.history.path, .reader)
    #expect(try file.integer("SELECT count(*) FROM step") == Int64(StepHistory.mostRecords))
    #expect(try scene.history.newest(Int(Int32.max)).count == StepHistory.mostRecords)
  }

  @Test func `a busy dataset displaces neither the newest nor the newest good record of another`() throws {
    let scene = try Scene()
    try scene.step()
    let busy = try #require(try scene.history.newest(1).first)
    let outcomes: [StepRecord.Outcome] = [.published, .unchanged, .refused, .failed]
    let quiet = try SeedSeries("quiet", major: 1)
    scene.history.record(
      outcomes.map { outcome in
        var record = StepRecord(outcome, of: quiet.dataset, at: busy.at)
        record.series = quiet
        return record
      })
    scene.history.record(
      (0..<StepHistory.mostRecords).map { _ in
        // Each is a row of its own.
        var record = busy
        record.outcome = .published
        return record
      })
    #expect(try scene.history.newest(10, of: quiet.dataset).map(\.outcome) == [.failed, .unchanged])
    #expect(try scene.history.latest(of: quiet)?.outcome == .failed)
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
    #expect(Folder.exists(scene.history.path + ".damaged") == isSetAside, "\(scene.heard.messages)")
    #expect(scene.heard.messages.count == (isSetAside ? 1 : 0), "\(scene.heard.messages)")
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
    #expect(scene.heard.messages.allSatisfy { $0.hasPrefix("The history of steps could not be written") })
    #expect(scene.heard.messages.count == 1)
  }

  @Test(arguments: [nil, Publisher.Half.changes])
  func `a step blocked by another process is recorded`(_ half: Publisher.Half?) throws {
    let scene = try Scene()
    let lock = try File("\(scene.deployment.publication.path)/.lock", for: .updating)
    #expect(try lock.tryLock())
    #expect(throws: PublicationError.self) {
      try LockFile.$secondLength.withValue(.milliseconds(5)) {
        _ = try scene.publisher.step(scene.deployment.job, half: half, now: scene.deployment.clock)
      }
    }
    lock.unlock()
    #expect(try scene.history.newest(10).map(\.outcome) == [.failed])
  }

  @Test func `a lock that other processes hold one after the other is one failure, which may pass`() throws {
    let scene = try Scene()
    for holder in ["process 1, seedbank", "process 2, seedbank"] {
      let error = PublicationError.locked(path: "p", by: holder, waitedSeconds: 10)
      #expect(StepRecord.Reason(error) == .other)
      scene.history.record([
        StepRecord(error, of: scene.deployment.job.name, at: scene.deployment.clock, milliseconds: 1)
      ])
    }
    let records = try scene.history.newest(10)
    #expect(records.map(\.times) == [2] && records[0].outcome == .failed)
  }

  @Test func `errors that differ in numbers or a program's output are one failure with the newest text`()
    throws
  {
    let (scene, folder) = (try Scene(), try TemporaryFolder())
    func record(_ error: any Error) {
      let (name, now) = (scene.deployment.job.name, scene.deployment.clock)
      scene.history.record([StepRecord(error, of: name, at: now, milliseconds: 1)])
    }
    let series = SeedSeries(scene.deployment.job.name, model: "2.0")
    for rows in [412, 415] {
      record(PublicationError.shrunk([series: [ShrunkTable(name: "stop", before: 1000, after: rows)]]))
    }
    for word in ["one", "two"] {
      let program = ["/bin/sh", "-c", "echo \(word); exit 1"]
      record(
        try #require(throws: OriginError.self) {
          try FeedProgram.fill(
            folder.path, last: nil, by: program, [:], within: .seconds(60), log: folder("log"))
        })
    }
    let records = try scene.history.newest(10)
    #expect(records.map(\.times) == [2, 2])
    #expect(records[0].error?.contains("it said: two") == true && records[1].error?.contains("415") == true)
  }

  @Test func `usage errors are not recorded`() throws {
    let scene = try Scene()
    let series = SeedSeries(scene.deployment.job.name, model: "2.0")
    #expect(throws: RecallError.self) {
      try scene.publisher.rollBack(
        series, to: 99, scene.deployment.job, now: scene.deployment.clock)
    }
    #expect(try scene.history.newest(10).isEmpty)
  }
}
