import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront
@testable import SeedPublisher

@Suite struct FactsKeeperTests {
  private final class Scene {
    let deployment: TestDeployment
    let series: SeedSeries
    let heard = Said()

    init() throws {
      deployment = try PublisherFixture.deployment()
      deployment.publisher.history = StepHistory(deployment.folder("state"))
      series = SeedSeries(deployment.job.name, model: "2.0")
      keep(isOn: true)
    }

    func keep(isOn: Bool) {
      deployment.publisher.facts = FactsKeeper(isOn: isOn) { [heard] in heard.add($0.message) }
    }

    func step(_ sql: String = "SELECT 1") throws {
      try deployment.origin(sql)
      _ = try deployment.step()
    }

    var facts: SeriesFacts? { deployment.publication.facts.read(series) }

    func factsText() throws -> String {
      let file = deployment.publication.facts.file(series)
      return String(decoding: try DurableFile.read(file, limit: FactsFolder.mostBytes), as: UTF8.self)
    }

    /// Makes the facts this many seconds older.
    func age(_ seconds: Int) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -Double(seconds))],
        ofItemAtPath: deployment.publication.facts.file(series))
    }
  }

  @Test func `facts report steps, tables and checks without error texts`() throws {
    let scene = try Scene()
    (scene.deployment.job.checkSeconds, scene.deployment.job.commandSeconds) = (7, 600)
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1; INSERT INTO stop VALUES (9, 'n', 1)")
    let good = try #require(scene.facts)
    let table = try #require(good.tables.first { $0.name == "stop" })
    let copy = try Connection("\(scene.deployment.folder("state"))/\(scene.series.roleName).sqlite", .reader)
    #expect(try copy.integer("SELECT count(*) FROM stop") == Int64(table.rows))
    #expect(try copy.value("SELECT sql FROM sqlite_schema WHERE name = 'stop'") == .text(table.sql))
    #expect(table.columns.filter(\.isKey).map(\.name) == ["id"])
    #expect(good.tables.allSatisfy { !$0.name.hasPrefix(ReservedTable.prefix) })
    #expect(try good.look.newest == .published && #require(good.look.good) >= scene.deployment.clock)
    #expect(good.checkSeconds == 7 && good.commandSeconds == 600 && good.nextSnapshot != nil)
    #expect(good.steps.first?.changes["stop"]?.inserted == 1)
    #expect(good.steps.first?.rows == good.tables.reduce(0) { $0 + $1.rows })
    try scene.deployment.origin("INSERT INTO stop VALUES (1, 'a secret', 1)")
    #expect(throws: OriginError.self) { try scene.step() }
    let refused = try #require(scene.facts)
    #expect(refused.look.newest == .refused && refused.look.good == good.look.good)
    #expect(good.look.reason == nil && refused.look.reason == .data)
    #expect(refused.tables == good.tables)
    #expect(refused.steps.map(\.outcome).prefix(2) == [.refused, .published])
    #expect(refused.counts[.refused] == 1 && refused.counts[.published] == good.counts[.published])
    let text = try scene.factsText()
    #expect(!text.contains("secret") && !text.contains(scene.deployment.folder.path))
  }

  @Test func `facts are written once in thirty seconds while results stay the same`() throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    try scene.step()
    let first = try #require(scene.facts)
    #expect(first.look.newest == .unchanged && first.counts[.unchanged] == 1)
    try scene.step()
    #expect(scene.facts == first, "they are fresh")
    try scene.age(FactsKeeper.restSeconds)
    try scene.step()
    #expect(scene.facts?.counts[.unchanged] == 3)
    try scene.age(-3600)
    try scene.step()
    #expect(scene.facts?.counts[.unchanged] == 4, "another clock dated them")
  }

  @Test func `facts report at once that a step failed, succeeds again or is held back`() throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    try scene.step()
    try Folder.rename(scene.deployment.originPath, to: scene.deployment.folder("away"))
    #expect(throws: OriginError.self) { try scene.deployment.step() }
    #expect(scene.facts?.look.newest == .failed && scene.facts?.look.reason == .origin)
    try Folder.rename(scene.deployment.folder("away"), to: scene.deployment.originPath)
    try scene.step()
    let again = try #require(scene.facts?.look)
    #expect(try again.newest == .unchanged && #require(again.good) >= scene.deployment.clock)
    try scene.step(
      "WITH n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO stop SELECT i, 'n', 1 FROM n"
    )
    try scene.deployment.origin("DELETE FROM stop")
    #expect(throws: PublicationError.self) { try scene.deployment.step() }
    #expect(scene.facts?.look.newest == .refused && scene.facts?.look.reason == .shrunk)
  }

  @Test func `a step that could not begin reports only its reason and keeps earlier table facts`()
    throws
  {
    let scene = try Scene()
    scene.deployment.job.checkSeconds = 7
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    let good = try #require(scene.facts)
    let later = scene.deployment.clock.adding(seconds: 60)
    scene.deployment.publisher.note(
      failure: "/secret/keys/series.key is missing", .keys, of: scene.deployment.job.name, now: later)
    let told = try #require(scene.facts)
    var look = SeriesFacts.Look(good: good.look.good, newest: .refused, newestAt: later, reason: .keys)
    look.reading = good.look.reading
    #expect(told.look == look)
    #expect(told.tables == good.tables && told.checkSeconds == 7 && told.nextSnapshot == good.nextSnapshot)
    #expect(told.counts[.refused] == 1 && told.steps.first?.outcome == .refused)
    #expect(try !scene.factsText().contains("secret"))
    let record = try scene.deployment.publisher.history?.newest(1).first
    #expect(record?.error == "/secret/keys/series.key is missing" && record?.outcome == .refused)
    try scene.step()
    #expect(scene.facts?.look.newest == .unchanged && scene.facts?.look.reason == nil)
  }

  @Test func `facts count new tables and columns of the origin until the operator decides`() throws {
    let scene = try Scene()
    let known = OriginOutline(tables: ["stop": ["id", "name", "zone"]], indexes: [], views: [])
    scene.deployment.job.knownOrigin = known
    try scene.step()
    #expect(scene.facts?.gained == 0)
    try scene.step("CREATE TABLE salary(id INTEGER PRIMARY KEY); ALTER TABLE stop ADD COLUMN margin REAL")
    let told = try #require(scene.facts)
    #expect(told.gained == 2 && !told.json.text.contains("salary") && !told.json.text.contains("margin"))
    try Folder.rename(scene.deployment.originPath, to: scene.deployment.folder("away"))
    #expect(throws: OriginError.self) { try scene.deployment.step() }
    #expect(scene.facts?.gained == 2, "nobody could look")
    try Folder.rename(scene.deployment.folder("away"), to: scene.deployment.originPath)
    scene.deployment.job.knownOrigin = OriginOutline(
      tables: ["stop": ["id", "name", "zone", "margin"], "salary": ["id"]], indexes: [], views: [])
    _ = try scene.deployment.step()
    #expect(scene.facts?.gained == 0)
  }

  @Test func `facts report how long the origin was open until a step opens it again`() throws {
    let scene = try Scene()
    let origin = scene.deployment.originPath
    func settle() {
      let past = timespec(tv_sec: 1_700_000_000, tv_nsec: 5)
      utimensat(AT_FDCWD, origin, [past, past], 0)
    }
    settle()
    _ = try scene.deployment.step()
    #expect(scene.facts?.look.reading.openMilliseconds != nil && scene.facts?.look.reading.lagSeconds == nil)
    let file = scene.deployment.folder("state/test.reading")
    try DurableFile.write(Array("{\"openMilliseconds\":720000}".utf8), to: file)
    try scene.age(FactsKeeper.restSeconds + 1)
    #expect(try scene.deployment.step().warnings == [], "no step warns of what another one did")
    #expect(scene.facts?.look.reading == OriginReading(openMilliseconds: 720_000))
    for damage in ["", "no JSON", "[]", "{\"openMilliseconds\":-1}"] {
      try DurableFile.write(Array(damage.utf8), to: file)
      try scene.age(FactsKeeper.restSeconds + 1)
      _ = try scene.deployment.step()
      #expect(scene.facts?.look.reading == OriginReading(), "\(damage)")
    }
    try scene.step("UPDATE stop SET name = 'again' WHERE id = 1")
    #expect(try #require(scene.facts?.look.reading.openMilliseconds) < 720_000)
  }

  @Test(arguments: [(600_999, false), (601_000, true), (7_200_000, true)])
  func `an origin open for more than ten minutes causes a warning`(_ milliseconds: Int, _ warns: Bool) {
    #expect((OriginReading(openMilliseconds: milliseconds).warning != nil) == warns)
  }

  @Test func `counts do not fall when history records are deleted`() throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    let history = try #require(scene.deployment.publisher.history)
    let record = try #require(try history.newest(1).first)
    history.record(Array(repeating: record, count: StepHistory.mostRecords + 10))
    try scene.step("UPDATE stop SET name = 'y' WHERE id = 1")
    let facts = try #require(scene.facts)
    #expect(facts.counts[.published] ?? 0 > StepHistory.mostRecords + 10)
    #expect(facts.steps.count == FactsKeeper.steps)
  }

  @Test func `facts are deleted when they or their major end, and begin again without history`() throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    let old = try SeedSeries(scene.deployment.job.name, major: 99)
    try scene.deployment.publication.facts.write(.example(of: old))
    try scene.step()
    #expect(scene.deployment.publication.facts.read(old) == nil && scene.facts != nil)
    scene.keep(isOn: false)
    try scene.step()
    #expect(scene.facts == nil)
    #expect(try Folder.names(in: "\(scene.deployment.publication.path)/facts").isEmpty)
    func note() {
      let (publisher, now) = (scene.deployment.publisher, scene.deployment.clock)
      publisher.note(failure: "no key", .keys, of: scene.deployment.job.name, now: now)
    }
    note()
    #expect(scene.facts == nil, "they are turned off")
    scene.keep(isOn: true)
    scene.deployment.publisher.history = nil
    note()
    #expect(scene.facts?.look.newest == .refused && scene.facts?.look.reason == .keys)
  }

  @Test func `a failure to write facts is reported and the step succeeds`() throws {
    let scene = try Scene()
    try DurableFile.write([], to: "\(scene.deployment.publication.path)/facts")
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    #expect(!scene.heard.lines.isEmpty)
    #expect(scene.heard.lines.allSatisfy { $0.hasPrefix("The facts of") })
    #expect(try scene.deployment.metadata(major: 2).state.head > .first)
  }

  @Test func `verify and prune ignore facts`() throws {
    let scene = try Scene()
    try scene.step("UPDATE stop SET name = 'x' WHERE id = 1")
    let (publication, folder) = (scene.deployment.publication, scene.deployment.folder)
    let verifier = PublicationVerifier(
      publication, scratch: folder.path, now: scene.deployment.clock)
    let found = try verifier.run()
    #expect(found.findings.isEmpty)
    let pruned = try Pruning(publication: publication, stateFolder: folder("state"), graceSeconds: 0)
      .run(publication.published(), now: scene.deployment.clock.adding(days: 1), isDryRun: true)
    #expect(!(pruned.removed + pruned.waiting.keys).contains { $0.contains("facts") })
  }

  @Test(.full)
  func `facts of two hundred datasets are followed and a check without news is cheap`()
    throws
  {
    let series = try (1...200).map { try SeedSeries(DatasetName("dataset-\($0)"), major: 1) }
    let publication = try FrontPublication(series)
    for one in series {
      try publication.publish(one, head: 1, floor: 1, [publication.snapshot(one, 1)])
      try publication.directory.facts.write(.example(of: one))
    }
    let source = CatalogSource(publication.directory)
    #expect(source.current().facts.count == 200 && source.current().isReady)
    let changes = Said()
    source.whenChanged { changes.add("changed") }
    let view = source.current()
    source.lookAtFacts()
    source.checkStanding(at: .now())
    #expect(source.current().facts == view.facts && changes.lines.count == 1)
    let page = FrontMetrics().page(view)
    #expect(String(decoding: page, as: UTF8.self).contains("seedbank_held{series=\"dataset-200/1\"} 0"))
  }
}
