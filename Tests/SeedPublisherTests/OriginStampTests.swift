import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

@testable import SeedPublisher

/// Detects writes to an origin from outside. Real `sqlite3` processes write to it.
@Suite struct OriginStampTests {
  let deployment: TestDeployment
  private var path: String { deployment.originPath }

  init() throws {
    deployment = try PublisherFixture.deployment()
    deployment.job.originWaitSeconds = 0
  }

  // MARK: Helpers

  private func sqlite(_ sql: String) throws {
    let outcome = try TestProgram.run(["sqlite3", "-bail", "-cmd", ".timeout 10000", path, sql])
    #expect(outcome.status == 0, "\(sql): \(outcome.errors)")
  }

  private func stamp() throws -> String { try deployment.job.origin.look().stamp.text }

  /// Resets the modification time to a fixed moment, as some tools do.
  private func age(_ suffixes: [String] = ["", "-wal"]) {
    let past = timespec(tv_sec: 1_700_000_000, tv_nsec: 5)
    for suffix in suffixes { utimensat(AT_FDCWD, path + suffix, [past, past], 0) }
  }

  /// Moves a file's change time only, as SQLite does to a log that root opens.
  private func moveChangeTime(_ suffix: String) throws {
    try #require(chown(path + suffix, getuid(), getgid()) == 0)
  }

  /// A writer in WAL mode whose first commit stays in the log.
  private func walWriter() throws -> Connection {
    try sqlite("PRAGMA journal_mode = WAL")
    let writer = try Connection(path, .own)
    try writer.execute("PRAGMA wal_autocheckpoint = 0; UPDATE stop SET name = 'x' WHERE id = 1")
    return writer
  }

  private func rows() throws -> [String] {
    try Connection(path, .origin).rows("SELECT id, name, zone FROM stop ORDER BY id").map { "\($0)" }
  }

  // MARK: WAL

  @Test func `an empty WAL left by a reader is not a change`() throws {
    try sqlite("PRAGMA journal_mode = WAL; UPDATE stop SET name = 'x' WHERE id = 1")
    try #require(!Folder.exists(path + "-wal"))
    let before = try stamp()
    _ = try rows()
    try #require(Folder.exists(path + "-wal"))
    #expect(try stamp() == before)
  }

  @Test func `an unchanged WAL origin is not read after root opened it`() throws {
    let writer = try walWriter()
    // A commit that may still be syncing does not count as seen.
    age([""])
    #expect(try deployment.job.origin.look().stamp.isSettled == false)
    age()
    #expect(try deployment.job.origin.look().stamp.isSettled == true)
    #expect(try deployment.verifiedStep().outcome == .changed)
    // The memory is written whenever the origin is read.
    let memory = deployment.folder("state/test.origin")
    let remembered = try #require(try FileStamp(memory))
    for _ in 0..<3 {
      _ = try rows()
      try moveChangeTime("-wal")
      let report = try deployment.step()
      #expect(report.series[0].outcome == .unchanged)
      #expect(try #require(report.originStamp?.renewed()).text == stamp())
      #expect(try FileStamp(memory) == remembered, "it was read")
    }
    try writer.execute("UPDATE stop SET name = 'y' WHERE id = 1")
    age()
    #expect(try deployment.verifiedStep().outcome == .changed)
  }

  @Test func `a WAL too long to read is compared by its file's attributes`() throws {
    let file = path + "-wal"
    try Data(repeating: 7, count: 64 << 20).write(to: URL(fileURLWithPath: file))
    let before = try LogStamp(file)
    try moveChangeTime("-wal")
    #expect(try LogStamp(file).hasSameContent(as: before))
    try Data(repeating: 7, count: 64 << 20 + 1).write(to: URL(fileURLWithPath: file))
    let long = try LogStamp(file)
    #expect(try LogStamp(file).hasSameContent(as: long))
    try moveChangeTime("-wal")
    #expect(!(try LogStamp(file).hasSameContent(as: long)))
  }

  @Test func `the WAL of a symlinked origin is found beside its target`() throws {
    let writer = try walWriter()
    let link = deployment.folder("link.sqlite")
    try #require(symlink(path, link) == 0)
    let job = DatasetJob(name: deployment.job.name, origin: SQLitePlace(link), plans: deployment.job.plans)
    let before = try job.origin.look().stamp.text
    try writer.execute("UPDATE stop SET name = 'y' WHERE id = 1")
    #expect(try job.origin.look().stamp.text != before)
  }

  // MARK: No change is missed

  private static let changes = [
    "UPDATE stop SET name = hex(randomblob(4)) WHERE id = abs(random() % 3) + 1",
    "UPDATE stop SET zone = zone + 1 WHERE id = 2",
    "INSERT OR REPLACE INTO stop VALUES (abs(random() % 50) + 4, hex(randomblob(2000)), 1)",
    "DELETE FROM stop WHERE id > 20",
    "BEGIN; UPDATE stop SET name = 'undone'; ROLLBACK",
    "PRAGMA cache_size = 1; BEGIN; UPDATE stop SET name = hex(randomblob(9000)); ROLLBACK",
    "VACUUM", "PRAGMA journal_mode = WAL", "PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = TRUNCATE",
    "PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA wal_autocheckpoint = 0; UPDATE stop SET zone = zone + 1 WHERE id = 1",
  ]

  private static let steps = Stage.pick(quick: 60, full: 120, deep: 120)

  /// One writer keeps the WAL open at times, others come and go, and modification times never change.
  @Test(arguments: [Stage.seed, 7])
  func `equal stamps mean equal rows whatever writers did`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var (known, writer): ([String: [String]], Connection?) = ([:], nil)
    for step in 0..<Self.steps {
      if Int.random(in: 0..<6, using: &random) == 0 {
        writer = writer == nil ? try Connection(path, .own) : nil
      }
      let sql = Self.changes.randomElement(using: &random)!
      // A change of the journal mode fails while others have the file open.
      if let writer, Bool.random(using: &random) {
        try? writer.execute(sql)
      } else if sql.contains("journal_mode"), writer != nil {
        continue
      } else {
        try sqlite(sql)
      }
      age()
      let (stamp, rows) = (try stamp(), try rows())
      #expect(known[stamp] == nil || known[stamp] == rows, "seed \(seed), step \(step): \(sql)")
      known[stamp] = rows
    }
    #expect(known.count > Self.steps / 6)
  }
}
