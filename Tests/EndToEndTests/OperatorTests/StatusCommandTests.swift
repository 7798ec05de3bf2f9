import Foundation
import SeedFormat
import SeedSystem
import Support
import Testing

@Suite struct StatusCommandTests {
  @Test func `status shows a series with its versions, rows and sizes`() throws {
    let deployment = try OperatedDeployment()
    let status = try #require(try deployment.json("status").first)
    let series = try #require(status["series"]?.elements?.first)
    #expect(series["series"]?.string == "my/1" && series["model"]?.string == "1.0")
    #expect(
      series["head"]?.integer == 3 && series["floor"]?.integer == 1 && series["copyVersion"]?.integer == 3)
    #expect(series["rows"]?["shop"]?.integer == 3 && series["lifecycle"]?.string == "active")
    #expect(series["snapshots"]?.elements?.count == 1 && series["deltas"]?["count"]?.integer == 2)
    #expect(series["hold"] == .null && series["lastBuild"]?["outcome"]?.string == "published")
    #expect(series["nextSnapshotAt"]?.string != nil && (series["ageSeconds"]?.integer ?? -1) >= 0)
    #expect(status["warnings"]?.elements == [] && (status["publicationBytes"]?.integer ?? 0) > 1000)
    #expect(status["keys"]?.elements?.allSatisfy { $0["state"]?.string == "present" } == true)
    #expect(
      status["roles"]?.elements?.compactMap { $0["name"]?.string } == [
        "root", "targets", "snapshot", "timestamp",
      ])
    let text = try deployment.seedbank("status").output
    #expect(text.hasPrefix("my/1\n  model: 1.0, active\n  version: 3, with deltas since version 1\n"))
  }

  @Test func `status shows the next snapshot until it is made`() throws {
    let deployment = try OperatedDeployment()
    #expect(try deployment.seedbank("status").output.contains("next: a snapshot at "))
    #expect(try deployment.seedbank("regenerate", "--snapshot").status == 0)
    let done = try #require(try deployment.json("status").first?["series"]?.elements?.first)
    #expect(done["nextSnapshotAt"] == .null)
    #expect(try deployment.seedbank("status").output.contains("next: a check of the origin "))
  }

  @Test func `the history shows every kind of step, and a damaged one is recreated and stops nothing`() throws
  {
    let deployment = try OperatedDeployment(isCopied: false)
    for _ in 0..<2 { try deployment.folder.succeed("regenerate") }
    try deployment.origin("INSERT INTO shop VALUES (7, CAST(x'ff' AS TEXT), 1)")
    try deployment.seedbank("regenerate").expect(65)
    let builds = try builds(deployment)
    #expect(
      builds.map { $0["outcome"]?.string } == ["refused", "unchanged", "published", "published", "published"])
    #expect(
      builds[0]["error"]?.string?.contains("not valid UTF-8") == true && builds[1]["times"]?.integer == 2)
    #expect(builds[2]["tables"]?["shop"]?["inserted"]?.integer == 1)
    let text = try deployment.folder.succeed("status", "--history", "--count", "1")
    #expect(text.split(separator: "\n").count == 1 && text.contains("my refused"))
    #expect(try deployment.json("status").first?["warnings"]?.elements?.count == 1)

    try deployment.folder.replace("seedbank/state/history.sqlite", by: "my.sqlite")
    try deployment.origin("DELETE FROM shop WHERE id = 7; UPDATE shop SET rank = 5 WHERE id = 1")
    let outcome = try deployment.seedbank("regenerate", "--log-format", "json").expect(0)
    let line = try JSONValue(parsing: Array(outcome.errors.utf8))
    #expect(line["level"]?.string == "warning" && line["msg"]?.string?.contains("starts over") == true)
    #expect(try self.builds(deployment).map { $0["to"]?.integer } == [4])
  }

  private func builds(_ deployment: OperatedDeployment) throws -> [JSONValue] {
    try #require(try deployment.json("status", "--history").first?["builds"]?.elements)
  }

  @Test(arguments: [
    ("--check --history", "'--check' and '--history' cannot be used together"),
    ("--count 0", "'--count' needs '--history'"),
    ("--check --count 5", "'--count' needs '--history'"),
    ("--older-than 1h", "'--older-than' needs '--check'"), ("--check --older-than", "--older-than"),
    ("--check --older-than 1w", "Expected a whole number from 1 to 1000000 and a unit, such as 90s"),
    ("--check --no-step-for 0s", "Expected a whole number from 1 to 1000000 and a unit, such as 90s"),
    ("--check --older-than 2000000d", "Expected a whole number from 1 to 1000000 and a unit, such as 90s"),
  ])
  func `options that are invalid or contradict each other are a usage error`(options: String, words: String)
    throws
  {
    try SeedbankBinary.run(["status"] + options.split(separator: " ").map(String.init), in: "/").expect(
      64, words)
  }
}

@Suite struct PruningStepTests {
  @Test func `a step removes files that were unnamed long ago, and a dry run counts them`() throws {
    let deployment = try OperatedDeployment()
    let file = "seedbank/publication/metadata/1.snapshot.json"
    try deployment.folder.endGrace(in: "seedbank/state")
    let dry = try deployment.seedbank("regenerate", "--dry-run")
    #expect(dry.output.contains(/[1-9][0-9]* files? would be removed, because no metadata/), "\(dry)")
    #expect(deployment.folder.exists(file))
    #expect(try deployment.seedbank("regenerate").status == 0)
    #expect(!deployment.folder.exists(file))
    #expect(try deployment.seedbank("verify").status == 0)
  }
}
