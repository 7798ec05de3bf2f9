import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// A publisher that checks its origin once an hour and wakes up when the file changes.
@Suite struct WakeTests {
  let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private var origin: String { deployment.folder("my.sqlite") }

  private func run(checkSeconds: Int = 3600) throws -> RunningSeedbank {
    try RunningSeedbank(
      ["run", "--port", "0", "--log-level", "notice"], in: deployment.folder.path,
      environment: ["SEEDBANK_DATASETS_MY_SCHEDULE_CHECK_SECONDS": "\(checkSeconds)"])
  }

  private func head() throws -> Int {
    try #require(try deployment.publication.published().series.values.first).metadata.state.head.number
  }

  /// Expects a step after a change, long before the next check.
  private func expectWake(_ change: () throws -> Void) throws {
    let next = try head() + 1
    try change()
    try waitUntil("version \(next) is published", every: 0.01) { try head() >= next }
  }

  /// Repeats a change until it is published, because the first one may come before the watch begins.
  private func expectPublished(_ change: () throws -> Void) throws {
    let before = try head()
    try eventually("a change is published", every: 0.5) {
      try change()
      return try head() > before ? true : nil
    }
  }

  private func rename() throws {
    try deployment.origin("UPDATE shop SET name = hex(randomblob(8)) WHERE id = 1")
  }

  @Test(.full) func `a commit is published at once, with a rollback journal, in another file and with a WAL`()
    throws
  {
    let server = try run()
    try expectPublished(rename)
    try expectWake(rename)
    for number in 0..<2 {
      try expectWake {
        let new = deployment.folder("new.sqlite")
        try Tool.run(["cp", origin, new])
        try Tool.sqlite(new, "UPDATE shop SET name = 'replaced \(number)' WHERE id = 1")
        try Folder.rename(new, to: origin)
      }
      try expectWake(rename)
    }
    try deployment.origin("PRAGMA journal_mode = WAL")
    try expectPublished(rename)
    // A writer that stays connected writes only to the WAL.
    let writer = try Connection(origin, .own)
    for _ in 0..<3 {
      try expectWake { try writer.execute("UPDATE shop SET name = hex(randomblob(8)) WHERE id = 1") }
    }
    #expect(server.stop() == 0)
  }

  @Test(.full) func `an origin behind a symbolic link is watched at its target`() throws {
    try deployment.folder.makeFolder("data")
    try Folder.rename(origin, to: deployment.folder("data/real.sqlite"))
    try #require(symlink("data/real.sqlite", origin) == 0)
    let server = try run()
    try expectPublished(rename)
    try expectWake(rename)
    #expect(server.stop() == 0)
  }

  @Test func `a writer that commits all the time causes few steps, and its last commit is published`() throws
  {
    try deployment.origin("PRAGMA journal_mode = WAL")
    let server = try run(checkSeconds: 2)
    try expectPublished(rename)
    let (start, before, commits) = (ContinuousClock.now, try head(), 6000)
    let writer = try Connection(origin, .own)
    try writer.execute("PRAGMA synchronous = OFF")
    for number in 0..<commits { try writer.execute("UPDATE shop SET name = 'commit \(number)' WHERE id = 1") }
    try eventually("the last commit is published") {
      try Tool.sqlite(deployment.folder("seedbank/state/my-1.sqlite"), "SELECT name FROM shop WHERE id = 1")
        .contains("commit \(commits - 1)") ? true : nil
    }
    let steps = try head() - before
    // A second or more apart. A loop without rests publishes the same commits sooner, in more steps.
    #expect(steps <= 1 + Int((ContinuousClock.now - start) / .seconds(1)))
    #expect(server.stop() == 0)
  }
}
