import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedPublisher

/// Damage to a publisher's files, and crashes between two lines of its code.
@Suite struct PublisherAccidentTests {
  private func bytes(_ path: String) throws -> [UInt8] { try DurableFile.read(path, limit: 1 << 30) }

  @Test func `an older copy catches up by deltas, and one of another history or behind the floor is rebuilt`()
    throws
  {
    let deployment = try PublisherFixture.deployment()
    let before = try bytes(deployment.copy())
    for sql in ["UPDATE stop SET name = 'x' WHERE id = 1", "DELETE FROM stop WHERE id = 2"] {
      try deployment.change(sql)
    }
    // As if the publisher had died between publishing and COMMIT.
    try DurableFile.write(before, to: deployment.copy())
    let report = try deployment.publish("INSERT INTO stop VALUES (9, 'n', 1)")
    #expect(report.outcome == .changed && report.version?.number == 4 && report.repair == nil)
    #expect(try deployment.names() == ["x", "c", "n"])
    let other = try PublisherFixture.deployment()
    try DurableFile.write(try bytes(other.copy()), to: deployment.copy())
    #expect(try deployment.verifiedStep().repair?.contains("another epoch or series") == true)
    deployment.job.retainedSnapshots = 1
    for name in ["y", "z"] {
      try deployment.origin("UPDATE stop SET name = '\(name)'")
      try deployment.verifiedStep(forcingSnapshot: true)
    }
    try DurableFile.write(before, to: deployment.copy())
    let late = try deployment.verifiedStep()
    #expect(late.outcome == .unchanged && late.repair?.contains("did not catch up") == true)
  }

  enum Damage: String, CaseIterable {
    case missing, empty, garbage, half, lastPage, rowChanged, rowAdded, rowGone, sumChanged, sumGone,
      tableGone
    case columnGone, metaGone, notUTF8, digestChanged, schemaChanged, anotherDatabase, staleJournal, leftovers
  }

  @Test(.full, arguments: Damage.allCases)
  func `a damaged working copy publishes nothing wrong and is repaired by the next step`(_ damage: Damage)
    throws
  {
    let deployment = try PublisherFixture.deployment()
    try deployment.origin(
      "INSERT INTO stop SELECT value, 'stop ' || value, 1 FROM json_each('[\((10..<900).map(String.init).joined(separator: ","))]')"
    )
    try deployment.verifiedStep(forcingSnapshot: true)
    try deployment.publish("UPDATE stop SET name = 'x' WHERE id = 1")
    let expected = try deployment.names()
    try inflict(damage, deployment.copy())
    #expect(try deployment.verifiedStep().outcome == .unchanged)
    #expect(try deployment.names() == expected)
    let report = try deployment.publish("UPDATE stop SET name = 'y' WHERE id = 2")
    #expect(report.outcome == .changed && report.changes["stop"]?.updated == 1 && report.repair == nil)
    try deployment.origin("UPDATE stop SET name = 'z' WHERE id = 3")
    try deployment.verifiedStep(forcingSnapshot: true)
    #expect(try deployment.names() == ["x", "y", "z"] + expected.dropFirst(3))
  }

  private func inflict(_ damage: Damage, _ path: String) throws {
    let file = try bytes(path)
    switch damage {
    case .missing: try Folder.remove(path)
    case .empty: try DurableFile.write([], to: path)
    case .garbage: try DurableFile.write(Array("not a database".utf8), to: path)
    case .half: try DurableFile.write(Array(file.prefix(file.count / 2)), to: path)
    case .lastPage:
      try DurableFile.write(file.dropLast(4096) + [UInt8](repeating: 0xA5, count: 4096), to: path)
    case .staleJournal: try DurableFile.write(Array("not a journal".utf8), to: path + "-journal")
    case .leftovers:
      for suffix in [".new.tmp", ".rebuild.tmp", ".rebuild.tmp-journal", ".rebuild.sqlite"] {
        try DurableFile.write([1, 2, 3], to: path + suffix)
      }
      try Folder.remove(path)
    case .anotherDatabase:
      try Folder.remove(path)
      try Connection(path, .creator).execute("CREATE TABLE stop(id INTEGER PRIMARY KEY, name)")
    default: try Connection(path, .writer).execute(Self.sql(damage))
    }
  }

  private static func sql(_ damage: Damage) -> String {
    switch damage {
    case .rowChanged: "UPDATE stop SET name = 'by hand' WHERE id = 3"
    case .rowAdded: "INSERT INTO stop VALUES (5000, 'by hand')"
    case .rowGone: "DELETE FROM stop WHERE id = 3"
    case .sumChanged: "UPDATE seedbank_table SET rows = 1"
    case .sumGone: "DELETE FROM seedbank_table"
    case .tableGone: "DROP TABLE stop"
    case .columnGone: "ALTER TABLE stop RENAME COLUMN name TO other"
    case .metaGone: "DELETE FROM seedbank_meta WHERE key = 'epoch'"
    case .notUTF8: "UPDATE stop SET name = CAST(x'ff' AS TEXT) WHERE id = 3"
    case .digestChanged: "UPDATE seedbank_meta SET value = '\(SHA256Digest.of([]).hex)' WHERE key = 'digest'"
    case .schemaChanged: "UPDATE seedbank_meta SET value = '\(SHA256Digest.of([]).hex)' WHERE key = 'schema'"
    default: "SELECT 1"
    }
  }

  @Test func `a copy that was refused does not stay on the disk after its model is withdrawn`() throws {
    let deployment = try PublisherFixture.deployment()
    let published = model("2.0", PublisherFixture.schema)
    let checked = "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone CHECK (zone > 0))"
    try deployment.use([published, model("2.1", checked)])
    deployment.job.shrinkGuard.minimumRows = 1
    try deployment.origin("DELETE FROM stop")
    #expect(throws: PublicationError.self) { try deployment.step() }
    try deployment.use([published])
    deployment.job.shrinkGuard.percent = 100
    #expect(try deployment.step().series[0].outcome == .changed)
    #expect(try Folder.names(in: deployment.folder("state")).allSatisfy { !$0.contains(".new") })
  }

  @Test func `a step rejects a publication that was restored from an old backup, lost, or created again`()
    throws
  {
    let deployment = try PublisherFixture.deployment()
    let backup = try publishedFiles(deployment.publication)
    try deployment.change("DELETE FROM stop WHERE id = 1")
    for path in try publishedFiles(deployment.publication).keys where backup[path] == nil {
      try Folder.remove(path)
    }
    for (path, bytes) in backup { try DurableFile.write(bytes, to: path) }
    func expectCopyAhead(of head: String) throws {
      try deployment.expectNothingPublished {
        let error = #expect(throws: PublicationError.self) { try deployment.step() }
        #expect(error == .copyAhead(copy: deployment.copy(), version: "2", head: head))
      }
    }
    try expectCopyAhead(of: "1")
    for path in backup.keys { try Folder.remove(path) }
    #expect(throws: PublicationError.missing(path: deployment.publication.path)) { try deployment.step() }
    try Folder.removeAll(deployment.publication.path)
    try Folder.create(deployment.publication.path + "/metadata")
    let founding = try RepositorySigner(now: .now()).create(
      delegating: deployment.job.plans.map(\.series), keys: deployment.keys)
    try deployment.publication.write(founding.files)
    try expectCopyAhead(of: "nothing")
  }

  @Test(arguments: [true, false])
  func `a corrupt published object is reported and not used for a rebuild`(_ isDelta: Bool) throws {
    let deployment = try PublisherFixture.deployment()
    try deployment.change("DELETE FROM stop WHERE id = 1")
    let objects = try deployment.metadata(major: 2).objects
    let file = deployment.publication.file(try #require(objects.first { $0.isDelta == isDelta }))
    let good = try bytes(file)
    try Folder.remove(deployment.copy())
    try DurableFile.write(try Compression.gzip(Array("another file".utf8)), to: file)
    try deployment.expectNothingPublished {
      #expect(throws: PublicationError.damaged(file: file)) { try deployment.step() }
    }
    try DurableFile.write(good, to: file)
    #expect(try deployment.verifiedStep().repair == "it was missing")
  }

  @Test(arguments: [
    ("missing", "there is no origin"), ("garbage", "restore it from a backup"),
    ("table", "origin.sqlite; bring it back, or create"),
    ("column", "lacks the column \"name\""),
  ])
  func `an unusable origin is reported and the publication stays`(
    _ accident: String, _ words: String
  ) throws {
    let deployment = try PublisherFixture.deployment()
    let good = try bytes(deployment.originPath)
    switch accident {
    case "missing": try Folder.remove(deployment.originPath)
    case "garbage": try DurableFile.write([UInt8](repeating: 7, count: 8192), to: deployment.originPath)
    case "table": try deployment.origin("DROP TABLE stop")
    default: try deployment.origin("ALTER TABLE stop RENAME COLUMN name TO other")
    }
    try deployment.expectNothingPublished {
      let error = #expect(throws: OriginError.self) { try deployment.step() }
      #expect(error?.description.contains(words) == true)
      #expect(error?.isUnavailable == (accident == "missing"))
    }
    try DurableFile.write(good, to: deployment.originPath)
    #expect(try deployment.verifiedStep().outcome == .unchanged)
  }

  @Test func `an origin that lacks file descriptors is retried, and is not said to lack rights or room`() {
    let reason = DatabaseError(code: ResultCode.cannotOpen, message: "m", subject: "s", place: .descriptors)
    for error in [OriginError.reading("/o", reason), .sorting("/o", reason)] {
      #expect(error.isUnavailable && error.description.hasSuffix("read: m; \(FileError.exhaustedRemedy)"))
    }
  }

  @Test func `the same steps on the same files give the same bytes`() throws {
    let deployment = try PublisherFixture.deployment()
    let twin = deployment.folder("twin")
    try FileManager.default.copyItem(atPath: deployment.publication.path, toPath: twin)
    try FileManager.default.copyItem(atPath: deployment.folder("state"), toPath: twin + "-state")
    try deployment.origin("UPDATE stop SET name = 'x' WHERE id = 1; DELETE FROM stop WHERE id = 2")
    try deployment.verifiedStep(forcingSnapshot: true)
    let second = Publisher(
      PublicationDirectory(twin), stateFolder: twin + "-state", keys: KeySource(deployment.keys))
    _ = try second.step(deployment.job, StepOptions(forcingSnapshot: true), now: deployment.clock)
    let expected = try publishedFiles(deployment.publication).map {
      ($0.key.dropFirst(deployment.publication.path.count), $0.value)
    }
    let found = try publishedFiles(PublicationDirectory(twin)).map {
      ($0.key.dropFirst(twin.count), $0.value)
    }
    #expect(Dictionary(uniqueKeysWithValues: found) == Dictionary(uniqueKeysWithValues: expected))
  }
}
