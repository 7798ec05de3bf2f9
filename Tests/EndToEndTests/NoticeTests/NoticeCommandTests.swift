import Foundation
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct NoticeCommandTests {
  let deployment: OperatedDeployment

  init() throws {
    deployment = try OperatedDeployment()
    try deployment.folder.write("#!/bin/sh\ncat >> \"$1\"\n", to: "seedbank/tell")
    try Tool.run(["chmod", "+x", deployment.folder("seedbank/tell")])
    try configure(["published", "failed"].map { ($0, ["./tell", deployment.folder($0)]) })
  }

  private func configure(_ commands: [(String, [String])]) throws {
    let file = deployment.folder("seedbank/seedbank.json")
    let json = try JSONValue(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: file))))
    let members = (json.members ?? []).filter { $0.name != "on" }
    let on = JSONValue.object(commands.map { JSONMember($0, JSONValue(strings: $1)) })
    try Data(JSONValue.object(members + [JSONMember("on", on)]).bytes).write(to: URL(fileURLWithPath: file))
  }

  /// Returns the lines that a program has read so far.
  private func told(_ event: String) -> [Substring] {
    let text = (try? deployment.folder.text(event)) ?? ""
    return text.split(separator: "\n")
  }

  private func fail(repeats: Int = 1) throws {
    for _ in 0..<repeats { #expect(try deployment.seedbank("regenerate").status != 0) }
  }

  private func succeed() throws { try deployment.folder.succeed("regenerate") }

  private func move(_ file: String, _ target: String) throws {
    try Tool.run(["mv", deployment.folder(file), deployment.folder(target)])
  }

  /// Waits for the next second, because the history's times are in seconds.
  private func passSecond() throws {
    let second = UTCTime.now()
    try waitUntil("the next second", every: 0.01) { UTCTime.now() != second }
  }

  @Test func `regenerate, rollback and new-epoch run the program after a publication, and only then`() throws
  {
    try succeed()
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    try deployment.folder.succeed("regenerate", "--dry-run")
    #expect(told("published").isEmpty)
    let series = try #require(try deployment.json("regenerate").first?["series"])
    #expect(series.elements?.first?["version"]?.integer == 4)
    #expect(told("published") == [#"{"event":"published","dataset":"my","series":\#(series.text)}"#])
    for _ in 0..<2 { try deployment.folder.succeed("rollback", "--to", "2") }
    #expect(told("published").count == 2, "the second rollback published nothing")
    try deployment.folder.succeed("new-epoch", "--yes")
    #expect(told("published").count == 3 && told("failed").isEmpty)
  }

  @Test func `the end of the program is noticed although the calling process ignores SIGCHLD`() throws {
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    let outcome = try TestProgram.run(
      ["env", "--ignore-signal=CHLD", SeedbankBinary.path, "regenerate"], in: deployment.folder.path)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(told("published").count == 1)
  }

  @Test func `a version is reported as published although the snapshot after it fails`() throws {
    let lock = deployment.folder("seedbank/publication/.my-1.snapshots.lock")
    try Folder.remove(lock)
    try Folder.create(lock)
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    let outcome = try deployment.seedbank("regenerate", "--snapshot")
    #expect(outcome.status != 0 && outcome.output.contains("version 4"))
    #expect(told("published").count == 1 && told("failed").count == 1)
  }

  @Test func `the program for failures runs when a failure begins and when its reason changes`() throws {
    try move("my.sqlite", "away.sqlite")
    try fail()
    let error = try #require(try deployment.json("regenerate").last?["error"])
    #expect(told("failed") == [#"{"event":"failed","dataset":"my","error":\#(error.text)}"#])
    try deployment.folder.write("This is no database.", to: "my.sqlite")
    try fail(repeats: 2)
    #expect(told("failed").count == 2)
    try passSecond()
    try move("away.sqlite", "my.sqlite")
    try succeed()
    try passSecond()
    try move("my.sqlite", "away.sqlite")
    try fail(repeats: 2)
    #expect(told("failed").count == 3)
    // Steps that cannot begin, because a key or a model is missing.
    try move("seedbank/keys/timestamp.key", "timestamp.key")
    try fail(repeats: 2)
    #expect(told("failed").count == 4 && told("failed")[3].contains("keys rotate timestamp"))
    try move("timestamp.key", "seedbank/keys/timestamp.key")
    try deployment.folder.write("CREATE NONSENSE", to: "seedbank/my/models/1.0/schema.sql")
    for _ in 0..<2 { try deployment.seedbank("run", "--port", "0").expect(78) }
    #expect(told("failed").count == 5 && told("failed")[4].contains("schema.sql"))
  }

  @Test func `steps that a mirror's other publisher prevents are one failure of the dataset`() throws {
    try Folder.create(deployment.folder("mirror"))
    try deployment.name(mirrors: [["folder": .string(deployment.folder("mirror"))]])
    try succeed()
    try Tool.run(["cp", "-rp", deployment.folder("seedbank"), deployment.folder("copy")])
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    try succeed()
    let config = ["--config", deployment.folder("copy/seedbank.json")]
    for command in [["regenerate"], ["run", "--port", "0"]] {
      try SeedbankBinary.run(command + config, in: deployment.folder.path).expect(75)
    }
    #expect(told("failed").count == 1 && told("failed")[0].contains("another publisher publishes there"))
    try SeedbankBinary.run(["status", "--check"] + config, in: deployment.folder.path).expect(
      1, output: "the last step was refused: The mirror")
  }

  @Test(.full) func `run starts both programs, and ends even if one of them hangs`() throws {
    let hang = ["sh", "-c", "cat >> \(deployment.folder("published")); sleep 1000"]
    try configure([("published", hang), ("failed", ["./tell", deployment.folder("failed")])])
    let server = try RunningSeedbank(
      ["run", "--port", "0"], in: deployment.folder.path, environment: ["PATH": "/usr/bin:/bin"])
    try move("my.sqlite", "away.sqlite")
    try waitUntil("the failure is reported", every: 0.01) { told("failed").count == 1 }
    let history = StepHistory(deployment.folder("seedbank/state"))
    try waitUntil("the next step fails too", every: 0.01) {
      try history.newest(1).contains { $0.outcome == .failed && $0.times >= 2 }
    }
    try move("away.sqlite", "my.sqlite")
    try deployment.origin("UPDATE shop SET name = 'new' WHERE id = 1")
    try waitUntil("the publication is reported", every: 0.01) { told("published").count == 1 }
    #expect(try deployment.publication.published().series.values.first?.metadata.state.head.number == 4)
    #expect(server.stop() == 0)
    #expect(server.errors.contains("on.published: sh was ended by the signal 9."))
    #expect(told("failed").count == 1)
  }

  @Test func `config check finds programs that cannot be started`() throws {
    try deployment.folder.succeed("config", "check")
    for (published, failed, problems) in [
      (
        "./none", "./seedbank.json",
        [
          "on.published: there is no program \(deployment.folder("seedbank/none"))",
          "on.failed: this user may not run \(deployment.folder("seedbank/seedbank.json"))",
        ]
      ),
      ("./tell", "no-such-program", ["on.failed: there is no program no-such-program in PATH"]),
    ] {
      try configure([("published", [published]), ("failed", [failed])])
      let outcome = try deployment.seedbank("config", "check", environment: ["PATH": "/usr/bin:/bin"]).expect(
        78)
      #expect(problems.allSatisfy { (outcome.output + outcome.errors).contains($0) }, "\(outcome)")
    }
  }
}
