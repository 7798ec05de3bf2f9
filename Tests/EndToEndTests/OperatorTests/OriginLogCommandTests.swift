import Foundation
import SeedDatabase
import SeedFormat
import SeedSystem
import Support
import Testing

/// `seedbank origin log` with real `sqlite3` writers.
@Suite struct OriginLogCommandTests {
  private let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private var origin: String { deployment.folder("my.sqlite") }

  private func names() throws -> String {
    try Tool.sqlite(origin, "SELECT name FROM sqlite_schema ORDER BY name")
  }

  private func follow() throws {
    try deployment.folder.succeed("origin", "log", "setup", "--yes")
    try deployment.folder.succeed("regenerate")
  }

  @Test func `setup shows its changes and makes them only with --yes, and mistakes are reported`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: origin))
    let others = try names()
    try deployment.seedbank("origin", "log", "setup").expect(0, output: "shop  by id")
    let printed = try deployment.folder.succeed("origin", "log", "setup", "--print")
    #expect(try Data(contentsOf: URL(fileURLWithPath: origin)) == before)
    try deployment.folder.succeed("origin", "log", "setup", "--yes")
    let made = try names()
    try deployment.seedbank("origin", "log", "setup", "--yes").expect(78, "already has a log")
    try deployment.folder.succeed("origin", "log", "remove", "--yes")
    #expect(try names() == others)
    // The printed SQL makes the same tables and triggers.
    try Tool.sqlite(origin, printed)
    #expect(try names() == made)
    try deployment.seedbank("origin", "log").expect(64)
    try deployment.seedbank("origin", "log", "accept", "--yes").expect(64)
    try Folder.rename(origin, to: origin + ".away")
    try deployment.seedbank("origin", "log", "remove", "--yes").expect(69, "no origin database")
  }

  @Test func `changes are published from the log, missed rows are reported, and accept trusts the log again`()
    throws
  {
    try follow()
    try Tool.sqlite(
      origin, "REPLACE INTO shop VALUES (2, 'by log', 1), (9, 'new', 2); DELETE FROM shop WHERE id = 3")
    let shop = try regenerated()["tables"]?["shop"]
    #expect(
      shop?["inserted"] == 1 && shop?["updated"] == 1 && shop?["deleted"] == 1, "\(String(describing: shop))")
    try deployment.folder.succeed("verify")
    let first = "it is the first step since the log was made or accepted"
    #expect(try found() == ["log", nil, "comparison", first])
    try deployment.seedbank("status").expect(0, output: "found by log", "log: all rows last compared")
    let check = try deployment.seedbank("config", "check").expect(0)
    #expect(!(check.output + check.errors).contains("gained"), "the log's tables are not for models")

    try missRow()
    #expect(try regenerated()["outcome"] == "unchanged")
    try OriginLogScene.rewindAudit(deployment.folder("seedbank/state/my-1.cursor"))
    try deployment.seedbank("regenerate").expect(0, "(id = 1): they are published now")
    #expect(try found().first == "audit")
    let newest = try #require(try deployment.json("status", "--history").first?["builds"]?.elements?.first)
    #expect(newest["missedRows"] == 1 && newest["foundWhy"] == .null)
    let status = try #require(try deployment.json("status").first?["series"]?.elements?.first)
    #expect(status["logMissedAt"]?.string != nil && status["comparedAt"] == status["logMissedAt"])
    try deployment.folder.succeed("origin", "log", "accept")
    try deployment.folder.succeed("regenerate")
    #expect(try found().prefix(2) == ["comparison", first])
  }

  /// Writes without triggers.
  private func missRow() throws {
    try Tool.run(
      ["sqlite3", origin, ".dbconfig enable_trigger off", "UPDATE shop SET name = 'unseen' WHERE id = 1"])
  }

  @Test func `status reports tables that the log no longer watches until the log is made again`() throws {
    try follow()
    let unwatched = #"no longer watches "shop""#
    #expect(try !deployment.seedbank("status").output.contains(unwatched))
    let triggers = try Tool.sqlite(
      origin, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'shop' LIMIT 1")
    try Tool.sqlite(
      origin,
      "DROP TRIGGER \(triggers.filter { !$0.isNewline }); UPDATE shop SET name = 'unwatched' WHERE id = 1")
    #expect(try regenerated()["tables"]?["shop"]?["updated"] == 1)
    for command in [["status"], ["status", "--check"]] {
      let told = try SeedbankBinary.run(command, in: deployment.folder.path)
      #expect((told.output + told.errors).contains(unwatched), "\(told)")
    }
    try deployment.folder.succeed("origin", "log", "remove", "--yes")
    try follow()
    #expect(try !deployment.seedbank("status").output.contains(unwatched))
  }

  /// Returns how the two newest steps found changes, and why they compared all rows, newest first.
  private func found() throws -> [String?] {
    let builds = try #require(try deployment.json("status", "--history").first?["builds"]?.elements)
    return builds.prefix(2).flatMap { [$0["foundBy"]?.string, $0["foundReason"]?.string] }
  }

  private func regenerated() throws -> JSONValue {
    try #require(try deployment.json("regenerate").first?["series"]?.elements?.first)
  }

  @Test func `a key that is not UTF-8 is reported with its row, and blocks nothing after its removal`() throws
  {
    try Tool.run(["sqlite3", origin, "CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL, n INTEGER)"])
    try deployment.folder.succeed("model", "new")
    try deployment.folder.succeed("origin", "log", "setup", "--yes")
    #expect(try deployment.seedbank("regenerate").status == 0)
    try Tool.run(["sqlite3", origin, "INSERT INTO tag VALUES (CAST(x'FF41' AS TEXT), 7)"])
    try deployment.seedbank("regenerate").expect(65, #"table \"tag\""#)
    try Tool.run(["sqlite3", origin, "DELETE FROM tag; INSERT INTO tag VALUES ('A', 8)"])
    #expect(try deployment.seedbank("regenerate").status == 0)
  }

  @Test(.full)
  func `another deployment uses an existing log, and a failed removal changes no setting`() throws {
    let file = deployment.folder("seedbank/my/dataset.json")
    let before = try String(contentsOfFile: file, encoding: .utf8)
    try deployment.folder.succeed("origin", "log", "setup", "--yes")
    let followed = try String(contentsOfFile: file, encoding: .utf8)
    try before.write(toFile: file, atomically: true, encoding: .utf8)
    try deployment.seedbank("origin", "log", "setup").expect(0, output: "uses it")
    #expect(try deployment.seedbank("origin", "log", "setup", "--print").status == 78)
    #expect(try deployment.seedbank("origin", "log", "setup", "--yes").status == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == followed)
    let writer = try Connection(origin, .creator)
    try writer.execute("BEGIN IMMEDIATE")
    #expect(try deployment.seedbank("origin", "log", "remove", "--yes").status == 69)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == followed)
    try writer.execute("ROLLBACK")
  }
}

enum OriginLogScene {
  /// Moves the last comparison of all rows years back.
  static func rewindAudit(_ cursorPath: String) throws {
    let text = try String(contentsOfFile: cursorPath, encoding: .utf8)
    let old = try #require(text.range(of: #""comparedAt":"[^"]+""#, options: .regularExpression))
    try text.replacingCharacters(in: old, with: #""comparedAt":"2020-01-01T00:00:00Z""#).write(
      toFile: cursorPath, atomically: true, encoding: .utf8)
  }
}
