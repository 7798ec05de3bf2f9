import Foundation
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

/// Origins that SQLite cannot read: the error names the cause, and its advice repairs it.
@Suite struct OriginAccidentTests {
  private let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private var origin: String { deployment.folder("my.sqlite") }

  /// Leaves a hot journal: a writer with a small cache writes to the file before it commits, and then dies.
  private func leaveHotJournal() throws {
    try Tool.sqlite(
      origin,
      """
      PRAGMA journal_mode = DELETE;
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO shop SELECT i, printf('%0500d', i), NULL FROM n;
      """)
    let copies = ["", "-journal"].map { "cp '\(origin)\($0)' '\(deployment.folder("left"))\($0)'" }
    try Tool.sqlite(
      origin,
      """
      PRAGMA cache_size = 5; BEGIN; UPDATE shop SET name = 'half';
      .shell \(copies.joined(separator: " && "))
      ROLLBACK;
      """)
    for end in ["", "-journal"] { try Tool.run(["mv", deployment.folder("left\(end)"), "\(origin)\(end)"]) }
  }

  @Test func `a change interrupted by a writer's death is reported, and the next writer rolls it back`()
    throws
  {
    try leaveHotJournal()
    let before = try Data(contentsOf: URL(fileURLWithPath: origin))
    for command in [["regenerate"], ["init", "my.sqlite", "--directory", "other"]] {
      try SeedbankBinary.run(command, in: deployment.folder.path).expect(69, "in the middle of a change")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: origin)) == before)
    try Tool.sqlite(origin, ".tables")
    #expect(try deployment.seedbank("regenerate").status == 0)
    #expect(try Tool.sqlite(origin, "SELECT count(*) FROM shop WHERE name = 'half'") == "0\n")
  }

  @Test func `a WAL origin whose shared memory file cannot be created is reported`() throws {
    try Tool.sqlite(origin, "PRAGMA journal_mode = WAL")
    try Tool.run(["rm", "-f", "\(origin)-shm", "\(origin)-wal"])
    // The link prevents SQLite from creating the file; permissions would not stop root.
    try Tool.run(["ln", "-s", "my.sqlite-shm", "\(origin)-shm"])
    try deployment.seedbank("regenerate").expect(69, "my.sqlite-shm, which this user cannot make")
    try Tool.run(["rm", "\(origin)-shm"])
    #expect(try deployment.seedbank("regenerate").status == 0)
  }

  /// Whether tests can run as another user or mount a disk, because permissions do not stop root.
  private static let isRoot = geteuid() == 0
  private static let asOther =
    isRoot ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
  private static let otherCanStart =
    (try? Tool.run(asOther + [SeedbankBinary.path, "--version"])) != nil
  private static let mayMount =
    isRoot && (try? Tool.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])) != nil

  private func logged() throws -> String {
    let folder = deployment.folder("logged")
    try deployment.folder.makeFolder("logged")
    try Tool.sqlite(
      "\(folder)/log.sqlite", "PRAGMA journal_mode = WAL; CREATE TABLE t(id INTEGER PRIMARY KEY)")
    return folder
  }

  @Test(.enabled(if: otherCanStart, "the build's folder is open to other users"))
  func `a WAL origin in another user's folder is reported with the remedy`() throws {
    let folder = try logged()
    let home = try TemporaryFolder()
    try Tool.run(["chmod", "755", deployment.folder.path])
    try Tool.run(["chmod", "555", folder])
    try Tool.run(["chmod", "777", home.path])
    let initialize =
      Self.asOther + [SeedbankBinary.path, "init", "\(folder)/log.sqlite", "--directory", "d"]
    let failure = #expect(throws: Tool.Failure.self) { try Tool.run(initialize, in: home.path) }
    #expect(
      failure?.status == 69 && failure?.output.contains("log.sqlite-shm, which this user cannot") == true)
    try Tool.sqlite("\(folder)/log.sqlite", "PRAGMA journal_mode = DELETE")
    try Tool.run(initialize, in: home.path)
  }

  @Test(.enabled(if: mayMount, "only root may mount"))
  func `a WAL origin on a read-only disk is reported with the remedy`() throws {
    let folder = try logged()
    let script = """
      mkdir "$1"; mount -t tmpfs tmpfs "$1"; cp "$2"/log.sqlite "$1"; mount -o remount,ro "$1"
      exec "$0" init "$1"/log.sqlite --directory "$3"
      """
    let failure = #expect(throws: Tool.Failure.self) {
      try Tool.run([
        "unshare", "-m", "sh", "-ec", script, SeedbankBinary.path, deployment.folder("mount"), folder,
        deployment.folder("d"),
      ])
    }
    #expect(
      failure?.status == 69 && failure?.output.contains("log.sqlite-shm, which this user cannot") == true)
  }

  @Test(.enabled(if: mayMount, "only root may mount"))
  func `on a read-only disk a step fails with the remedy, and verify succeeds`() throws {
    let script = """
      mkdir "$1"; mount -t tmpfs tmpfs "$1"; cp -a my.sqlite seedbank "$1"; mount -o remount,ro "$1"; cd "$1"
      "$0" verify; "$0" regenerate
      """
    let failure = #expect(throws: Tool.Failure.self) {
      try Tool.run(
        ["unshare", "-m", "sh", "-ec", script, SeedbankBinary.path, deployment.folder("mount")],
        in: deployment.folder.path)
    }
    let output = failure?.output ?? ""
    #expect(output.contains("\nsound\n"), "\(output)")
    #expect(failure?.status == 74 && output.contains("its disk is mounted read-only: mount it for writing"))
  }

  @Test(arguments: ["mkfifo my.sqlite", "mkdir my.sqlite"])
  func `a pipe or a folder instead of the origin is reported, and no command hangs`(_ script: String) throws {
    try Tool.run(["sh", "-ec", "mv my.sqlite away; \(script)"], in: deployment.folder.path)
    for command in [["regenerate"], ["regenerate", "--dry-run"], ["config", "check"]] {
      let outcome = try SeedbankBinary.run(command, in: deployment.folder.path)
      let said = outcome.output + outcome.errors
      #expect(outcome.status != 0 && said.contains("is not a regular file"), "\(said)")
    }
    try Tool.run(["sh", "-ec", "rm -r my.sqlite; mv away my.sqlite"], in: deployment.folder.path)
    #expect(try deployment.seedbank("regenerate").output.contains("unchanged at version 3"))
  }

  @Test func `a table with SQLite's maximum of columns is published, changed and verified`() throws {
    let columns = (1..<2000).map { "c\($0)" }.joined(separator: ",")
    try Tool.sqlite(
      deployment.folder("wide.sqlite"),
      "CREATE TABLE wide(id INTEGER PRIMARY KEY, \(columns)); INSERT INTO wide(id, c7) VALUES (1, 'x'), (2, 'y')"
    )
    for (change, expected) in [
      ("", "version 1 created"), ("UPDATE wide SET c1999 = 'z' WHERE id = 2", "1 updated"),
    ] {
      if change.isEmpty {
        #expect(try deployment.seedbank("init", "wide.sqlite").status == 0)
      } else {
        try Tool.sqlite(deployment.folder("wide.sqlite"), change)
      }
      let outcome = try deployment.seedbank("regenerate")
      #expect(outcome.status == 0 && outcome.output.contains(expected), "\(outcome.errors.prefix(2000))")
    }
    #expect(try deployment.seedbank("verify").status == 0)
  }

  @Test(.full)
  func `steps without the origin are recorded in the history, and publishing resumes when it returns`()
    throws
  {
    let running = try RunningSeedbank(["run", "--port", "0"], in: deployment.folder.path)
    defer { withExtendedLifetime(running) {} }
    try Tool.run(["mv", deployment.folder("my.sqlite"), deployment.folder("away.sqlite")])
    let history = StepHistory(deployment.folder("seedbank/state"))
    try eventually("steps without an origin are noted", within: 60) {
      try history.newest(1).first { $0.outcome == .failed && $0.times >= 2 }
    }
    try Tool.run(["mv", deployment.folder("away.sqlite"), deployment.folder("my.sqlite")])
    try deployment.origin("UPDATE shop SET name = 'back'")
    try eventually("the origin is followed again", within: 60) {
      try history.newest(1).first { $0.outcome == .published }
    }
  }
}
