import Foundation
import SeedSystem
import Support
import Testing

/// Origins that SQLite cannot read: the error names the cause, and its advice repairs it.
@Suite struct OriginAccidentTests {
  private let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private var origin: String { deployment.folder("my.sqlite") }

  /// Leaves a hot journal: a writer with a small cache writes to the file before it commits, and then dies.
  private func leaveHotJournal(of file: String) throws {
    try Tool.sqlite(
      file,
      """
      PRAGMA journal_mode = DELETE;
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO shop SELECT i, printf('%0500d', i), NULL FROM n;
      """)
    let copies = ["", "-journal"].map { "cp '\(file)\($0)' '\(deployment.folder("left"))\($0)'" }
    try Tool.sqlite(
      file,
      """
      PRAGMA cache_size = 5; BEGIN; UPDATE shop SET name = 'half';
      .shell \(copies.joined(separator: " && "))
      ROLLBACK;
      """)
    for end in ["", "-journal"] { try Tool.run(["mv", deployment.folder("left\(end)"), "\(file)\(end)"]) }
  }

  @Test func `a change interrupted by a writer's death is reported, and the next writer rolls it back`()
    throws
  {
    try leaveHotJournal(of: origin)
    let before = try Data(contentsOf: URL(fileURLWithPath: origin))
    for command in [["regenerate"], ["init", "my.sqlite", "--directory", "other"]] {
      try SeedbankBinary.run(command, in: deployment.folder.path).expect(69, "has an unfinished change")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: origin)) == before)
    try Tool.sqlite(origin, ".tables")
    #expect(try deployment.seedbank("regenerate").status == 0)
    #expect(try Tool.sqlite(origin, "SELECT count(*) FROM shop WHERE name = 'half'") == "0\n")
  }

  @Test func `status does not report a killed step's change, which the next step rolls back`() throws {
    try leaveHotJournal(of: deployment.folder("seedbank/state/my-1.sqlite"))
    let outcome = try deployment.seedbank("status")
    #expect(outcome.status == 0 && !outcome.output.contains("cannot be read"), "\(outcome)")
  }

  @Test func `a WAL origin whose shared memory file cannot be created is reported`() throws {
    try Tool.sqlite(origin, "PRAGMA journal_mode = WAL")
    try Tool.run(["rm", "-f", "\(origin)-shm", "\(origin)-wal"])
    // The link prevents SQLite from creating the file; permissions would not stop root.
    try Tool.run(["ln", "-s", "my.sqlite-shm", "\(origin)-shm"])
    try deployment.seedbank("regenerate").expect(69, "my.sqlite-shm, which this user cannot create")
    try Tool.run(["rm", "\(origin)-shm"])
    #expect(try deployment.seedbank("regenerate").status == 0)
  }

  private static let mayMount =
    OtherUser.isRoot && (try? Tool.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])) != nil

  private func logged() throws -> String {
    let folder = deployment.folder("logged")
    try deployment.folder.makeFolder("logged")
    try Tool.sqlite(
      "\(folder)/log.sqlite", "PRAGMA journal_mode = WAL; CREATE TABLE t(id INTEGER PRIMARY KEY)")
    return folder
  }

  @Test(.enabled(if: OtherUser.canStart, "the build's folder is open to other users"))
  func `a WAL origin in another user's folder is reported with the remedy`() throws {
    let folder = try logged()
    let home = try TemporaryFolder()
    try Tool.run(["chmod", "755", deployment.folder.path])
    try Tool.run(["chmod", "555", folder])
    try Tool.run(["chmod", "777", home.path])
    let initialize =
      OtherUser.command + [SeedbankBinary.path, "init", "\(folder)/log.sqlite", "--directory", "d"]
    let failure = #expect(throws: Tool.Failure.self) { try Tool.run(initialize, in: home.path) }
    #expect(
      failure?.status == 69 && failure?.output.contains("log.sqlite-shm, which this user cannot") == true)
    try Tool.sqlite("\(folder)/log.sqlite", "PRAGMA journal_mode = DELETE")
    try Tool.run(initialize, in: home.path)
  }

  @Test(.enabled(if: mayMount, "only root may mount, with a program of Scripts/deps --test"))
  func `on a read-only disk a step and a WAL origin fail with the remedy, and verify succeeds`() throws {
    let script = """
      mkdir "$1"; mount -t tmpfs tmpfs "$1"; cp -a my.sqlite seedbank "$2"/log.sqlite "$1"
      mount -o remount,ro "$1"; cd "$1"
      "$0" verify; "$0" regenerate || echo "regenerate: $?"; exec "$0" init log.sqlite --directory "$3"
      """
    let failure = #expect(throws: Tool.Failure.self) {
      try Tool.run(
        [
          "unshare", "-m", "sh", "-ec", script, SeedbankBinary.path, deployment.folder("mount"), try logged(),
          deployment.folder("d"),
        ], in: deployment.folder.path)
    }
    let output = failure?.output ?? ""
    for words in ["\nsound\n", "its disk is mounted read-only: mount it for writing", "regenerate: 74\n"] {
      #expect(output.contains(words), "\(output)")
    }
    #expect(failure?.status == 69 && output.contains("log.sqlite-shm, which this user cannot"), "\(output)")
  }

  @Test func `a pipe or a folder instead of the origin is reported, and no command hangs`() throws {
    try Folder.rename(origin, to: deployment.folder("away"))
    for tool in ["mkfifo", "mkdir"] {
      try Tool.run([tool, origin])
      for command in [["regenerate"], ["regenerate", "--dry-run"], ["config", "check"]] {
        let outcome = try SeedbankBinary.run(command, in: deployment.folder.path)
        let said = outcome.output + outcome.errors
        #expect(outcome.status != 0 && said.contains("is not a regular file"), "\(tool): \(said)")
      }
      try deployment.folder.remove("my.sqlite")
    }
    try Folder.rename(deployment.folder("away"), to: origin)
    #expect(try deployment.folder.succeed("regenerate").contains("unchanged at version 3"))
  }

  @Test func `a table with SQLite's maximum of columns is published, changed and verified`() throws {
    let columns = (1..<2000).map { "c\($0)" }.joined(separator: ",")
    try deployment.folder.sqlite(
      "wide.sqlite",
      "CREATE TABLE wide(id INTEGER PRIMARY KEY, \(columns)); INSERT INTO wide(id, c7) VALUES (1, 'x'), (2, 'y')"
    )
    try deployment.folder.succeed("init", "wide.sqlite")
    #expect(try deployment.folder.succeed("regenerate").contains("version 1 created"))
    try deployment.folder.sqlite("wide.sqlite", "UPDATE wide SET c1999 = 'z' WHERE id = 2")
    #expect(try deployment.folder.succeed("regenerate").contains("1 updated"))
    try deployment.folder.succeed("verify")
  }
}
