import Foundation
import SeedFormat
import Support
import Testing

/// `seedbank origin log`: an origin that notes what its writers touch, real `sqlite3` processes among them.
@Suite(.bounded) struct OriginLogCommandTests {
  private let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private var origin: String { deployment.folder("my.sqlite") }

  private func tables() throws -> String {
    try Tool.sqlite(origin, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'seedbank%'")
  }

  @Test func `setup tells what it would do, and writes only when it is told to`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: origin))
    let told = try deployment.seedbank("origin", "log", "setup")
    #expect(told.status == 0 && told.output.contains("shop  by id"), "\(told.output)")
    let printed = try deployment.seedbank("origin", "log", "setup", "--print")
    #expect(try Data(contentsOf: URL(fileURLWithPath: origin)) == before)
    #expect(try deployment.seedbank("origin", "log", "setup", "--yes").status == 0)
    let made = try Tool.sqlite(origin, "SELECT name FROM sqlite_schema ORDER BY name")
    #expect(try deployment.seedbank("origin", "log", "remove", "--yes").status == 0)
    #expect(try tables() == "0\n")
    // What is printed for somebody else makes the very same.
    try Tool.sqlite(origin, printed.output)
    #expect(try Tool.sqlite(origin, "SELECT name FROM sqlite_schema ORDER BY name") == made)
  }

  @Test func `what sqlite3 writes is published by the log, and a new model is not offered the log's tables`()
    throws
  {
    try SeedbankBinary.succeed(["origin", "log", "setup", "--yes"], in: deployment.folder.path)
    try SeedbankBinary.succeed(["regenerate"], in: deployment.folder.path)
    try Tool.sqlite(
      origin, "REPLACE INTO shop VALUES (2, 'by log', 1), (9, 'new', 2); DELETE FROM shop WHERE id = 1")
    let shop = try regenerated()["tables"]?["shop"]
    #expect(
      shop?["inserted"] == 1 && shop?["updated"] == 1 && shop?["deleted"] == 1, "\(String(describing: shop))")
    #expect(try deployment.seedbank("verify").status == 0)
    #expect(try found() == ["log", nil, "comparison", "it is the first step with this log"])
    let status = try deployment.seedbank("status").output
    #expect(status.contains("found by log") && status.contains("log: all rows last compared"), "\(status)")
    let check = try deployment.seedbank("config", "check")
    #expect(check.status == 0 && !(check.output + check.errors).contains("gained"), "\(check.errors)")
  }

  @Test func `rows that a log missed are told, and accept trusts it again`() throws {
    try SeedbankBinary.succeed(["origin", "log", "setup", "--yes"], in: deployment.folder.path)
    try SeedbankBinary.succeed(["regenerate"], in: deployment.folder.path)
    // Triggers are off in this writer.
    try Tool.run(
      ["sqlite3", origin, ".dbconfig enable_trigger off", "UPDATE shop SET name = 'unseen' WHERE id = 1"])
    #expect(try regenerated()["outcome"] == "unchanged")
    try OriginLogScene.rewindAudit(deployment.folder("seedbank/state/my-1.cursor"))
    let outcome = try deployment.seedbank("regenerate")
    #expect(
      outcome.status == 0 && outcome.errors.contains("(id = 1): they are published now"),
      "\(outcome.errors)")
    #expect(try found().first == "audit")
    let status = try #require(try deployment.json("status").first?["series"]?.elements?.first)
    #expect(status["logMissedAt"]?.string != nil && status["comparedAt"] == status["logMissedAt"])
    #expect(try deployment.seedbank("origin", "log", "accept").status == 0)
    #expect(try deployment.seedbank("regenerate").status == 0)
    #expect(try found().prefix(2) == ["comparison", "it is the first step with this log"])
  }

  /// By what the newest steps found what changed, and why by a comparison, the newest first.
  private func found() throws -> [String?] {
    let builds = try #require(try deployment.json("status", "--history").first?["builds"]?.elements)
    return builds.prefix(2).flatMap { [$0["foundBy"]?.string, $0["foundReason"]?.string] }
  }

  /// What a step says of the one series.
  private func regenerated() throws -> JSONValue {
    try #require(try deployment.json("regenerate").first?["series"]?.elements?.first)
  }

  @Test func `mistakes are named`() throws {
    try SeedbankBinary.succeed(["origin", "log", "setup", "--yes"], in: deployment.folder.path)
    let twice = try deployment.seedbank("origin", "log", "setup", "--yes")
    #expect(twice.status == 78 && twice.errors.contains("has a log already"), "\(twice.errors)")
    #expect(try deployment.seedbank("origin", "log").status == 64)
    #expect(try deployment.seedbank("origin", "log", "accept", "--yes").status == 64)
    try FileManager.default.moveItem(atPath: origin, toPath: origin + ".away")
    let gone = try deployment.seedbank("origin", "log", "remove", "--yes")
    #expect(gone.status == 69 && gone.errors.contains("no origin database"), "\(gone.errors)")
  }
}

/// What tests of origins with a log share.
enum OriginLogScene {
  /// As if the last comparison of all rows had been years ago.
  static func rewindAudit(_ cursorPath: String) throws {
    let text = try String(contentsOfFile: cursorPath, encoding: .utf8)
    let old = try #require(text.range(of: #""comparedAt":"[^"]+""#, options: .regularExpression))
    try text.replacingCharacters(in: old, with: #""comparedAt":"2020-01-01T00:00:00Z""#).write(
      toFile: cursorPath, atomically: true, encoding: .utf8)
  }
}
