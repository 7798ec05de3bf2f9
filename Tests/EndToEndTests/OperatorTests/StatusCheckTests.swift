import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// `status --check` for monitors: one line on stdout and an exit code.
@Suite struct StatusCheckTests {
  let deployment: OperatedDeployment
  private let clock: MovedClock

  init() throws { (deployment, clock) = (try OperatedDeployment(), try MovedClock()) }

  private func check(_ more: String..., days: Int = 0, seconds: Int = 0) throws -> ProgramOutcome {
    try check(more, days: days, seconds: seconds)
  }

  private func check(_ more: [String], days: Int = 0, seconds: Int = 0) throws -> ProgramOutcome {
    let ahead = clock.words(seconds: days * MovedClock.secondsPerDay + seconds)
    let words = ahead + [SeedbankBinary.path, "status", "--check"] + more
    let outcome = try TestProgram.run(words, in: deployment.folder.path, within: longestWait)
    let isOneLine = outcome.output.split(separator: "\n").count == 1 && outcome.errors.isEmpty
    #expect(isOneLine || outcome.status == 64, "\(outcome)")
    return outcome
  }

  @Test func `a healthy deployment is ok`() throws {
    let outcome = try check("--older-than", "26h", "--no-step-for", "15m")
    #expect(outcome.status == 0 && outcome.output.hasPrefix("ok: my/1: version 3, "), "\(outcome)")
    let json = try check("--json").json()
    #expect(json["state"]?.string == "ok" && json["problems"]?.elements == [])
  }

  @Test func `old data, a stalled publisher and signatures that expire soon are warnings`() throws {
    let old = try check("--older-than", "26h", "--no-step-for", "15m", days: 2)
    #expect(old.status == 1 && old.output.hasPrefix("warning: "), "\(old)")
    #expect(old.output.contains("version 3 is 2 days old, more than 26 hours"))
    #expect(old.output.contains("the last publish step was 2 days ago, more than 15 minutes"))
    try check(days: 5).expect(1, output: "timestamp: its metadata expires at")
  }

  @Test func `an origin kept open for long by a step is a warning, and status shows it`() throws {
    try deployment.folder.write(
      "{\"openMilliseconds\":720000,\"lagSeconds\":7,\"role\":\"standby\",\"server\":\"db2\"}",
      to: "seedbank/state/my.reading")
    try check().expect(1, output: "transaction open for 12 minutes")
    let text = try deployment.seedbank("status").output
    let line = "origin: open for 12 minutes when it was read last, standby db2, 7 seconds behind at most"
    #expect(text.contains(line), "\(text)")
    let series = try #require(try deployment.json("status").first?["series"]?.elements?.first)
    #expect(
      series["originReading"]
        == ["openMilliseconds": 720_000, "lagSeconds": 7, "role": "standby", "server": "db2"])
  }

  @Test func `default limits come from the configuration and from the last publisher`() throws {
    let timer = try check(days: 2).expect(1, output: "2 days ago, more than 26 hours")
    #expect(!timer.output.contains(" old, more than"), "nobody said how old it may be")
    let run = try RunningSeedbank(
      ["run", "--port", "0"], in: deployment.folder.path,
      environment: ["PATH": "/usr/bin:/bin", "SEEDBANK_DATASETS_MY_SCHEDULE_CHANGE_SECONDS": "600"])
    try waitUntil("it has told") {
      deployment.publication.facts.read(try SeedSeries("my", major: 1))?.checkSeconds != nil
    }
    #expect(run.stop() == 0)
    #expect(try check().status == 0)
    try check(seconds: 460).expect(1, output: "ago, more than 7 minutes: does the publisher still run?")
  }

  @Test func `a missing history is a warning`() throws {
    try Tool.run(["rm", deployment.folder("seedbank/state/history.sqlite")])
    try check().expect(1, output: "its age is unknown")
  }

  @Test func `a working copy that is locked by a large change is not reported as unreadable`() throws {
    let copy = try Connection(deployment.folder("seedbank/state/my-1.sqlite"), .writer)
    try copy.execute("BEGIN EXCLUSIVE")
    #expect(try check().status == 0)
    try copy.execute("ROLLBACK")
  }

  @Test func `a held series is a warning`() throws {
    #expect(try deployment.seedbank("rollback", "--to", "2").status == 0)
    try check().expect(1, output: "held at the content of version 2")
    let json = try check("--json").json()
    #expect(json["problems"]?.elements?.first?["state"]?.string == "warning")
  }

  private func standing(_ front: RunningSeedbank) throws -> String {
    let page = String(decoding: try RawClient(port: front.port).get("/").body, as: UTF8.self)
    return String(page.split(separator: "id=\"standing\"").last?.split(separator: "</p>").first ?? "")
  }

  private func run() throws -> RunningSeedbank {
    try RunningSeedbank(
      ["run", "--port", "0", "--public", PageScene.pages], in: deployment.folder.path,
      environment: ["PATH": "/usr/bin:/bin"])
  }

  @Test func `the page warns like the check if an origin has a new column`() throws {
    let front = try run()
    try waitUntil("all is well", every: 0.05) { try standing(front).contains("Everything is current.") }
    try deployment.origin("ALTER TABLE shop ADD COLUMN margin REAL")
    try waitUntil("it is told", every: 0.05) { try standing(front).contains("more in the origin") }
    #expect(try check().status == 1)
    #expect(try deployment.seedbank("model", "skip").status == 0)
    try waitUntil("it is decided", every: 0.05) { try standing(front).contains("Everything is current.") }
    #expect(try check().status == 0)
  }

  @Test func `the page warns like the check if a key file is missing`() throws {
    let front = try run()
    try waitUntil("all is well", every: 0.05) { try standing(front).contains("Everything is current.") }
    try Tool.run(["rm", deployment.folder("seedbank/keys/snapshot.key")])
    try deployment.origin("UPDATE shop SET name = 'later'")
    try waitUntil("the page reports the key", every: 0.05) { try standing(front).contains("key files") }
    #expect(try check().status == 1)
    let page = String(decoding: try RawClient(port: front.port).get("/").body, as: UTF8.self)
    #expect(!page.contains(deployment.folder.path), "the page is everybody's")
  }

  @Test func `messages in one line are separated by one character`() throws {
    try deployment.origin("ALTER TABLE shop RENAME COLUMN name TO title")
    #expect(try deployment.seedbank("regenerate").status == 65)
    #expect(try deployment.seedbank("rollback", "--to", "2").status == 0)
    try Tool.run(["rm", deployment.folder("seedbank/keys/snapshot.key")])
    #expect(try deployment.seedbank("regenerate").status == 78)
    let outcome = try check()
    #expect(
      outcome.output.contains("the last step was refused: ") && !outcome.output.contains(".;"), "\(outcome)")
  }

  /// A fault and its repair, as scripts for the deployment's folder.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The page's message.
    let words: String
    let begin: String
    let end: String

    init(_ name: String, _ words: String, _ begin: String, _ end: String) {
      (testDescription, self.words, self.begin, self.end) = (name, words, begin, end)
    }
  }

  private static let delta = "seedbank/publication/targets/my/1/*.delta-2-3.*"
  private static let facts =
    "sed -i -E 's/(\"openMilliseconds\":)[0-9]+/\\1'$time'/' seedbank/publication/facts/my-1.json"
  static let faults = [
    Fault("a delta is gone", "files are missing", "mv \(delta) kept", "mv kept $(cat name)"),
    Fault(
      "a delta is cut", "files are missing", "cp \(delta) kept; truncate -s -1 \(delta)",
      "mv kept $(cat name)"),
    Fault(
      "an origin was held open", "origin open for long",
      "time=720000; \(facts); echo '{\"openMilliseconds\":720000}' > seedbank/state/my.reading",
      "time=1; \(facts); rm seedbank/state/my.reading"),
    Fault(
      "a key file is open to others", "key files",
      "chmod 644 seedbank/keys/snapshot.key; $seedbank regenerate",
      "chmod 600 seedbank/keys/snapshot.key; $seedbank regenerate"),
    Fault(
      "a change of keys waits", "A change of keys waits",
      "mv seedbank/keys/root.key .; $seedbank keys rotate snapshot --prepare; $seedbank regenerate",
      "mv root.key seedbank/keys/; $seedbank keys discard; $seedbank regenerate"),
    Fault(
      "a dataset is not published", "Nothing of a dataset is published",
      "sqlite3 b.sqlite 'CREATE TABLE t(a PRIMARY KEY)'; $seedbank init b.sqlite; mv b.sqlite kept; $seedbank regenerate || true",
      "mv kept b.sqlite; $seedbank regenerate"),
    Fault(
      "a model is gone", "its model is gone",
      "cp seedbank/seedbank.json one; sqlite3 b.sqlite 'CREATE TABLE t(a PRIMARY KEY)'; $seedbank init b.sqlite; "
        + "$seedbank regenerate; cp seedbank/seedbank.json two; cp one seedbank/seedbank.json; $seedbank regenerate",
      "cp two seedbank/seedbank.json; $seedbank regenerate"),
    Fault(
      "a working copy is damaged", "working copy of it cannot be read",
      "echo nothing > seedbank/state/my-1.sqlite; mv my.sqlite kept; $seedbank regenerate || true",
      "mv kept my.sqlite; $seedbank regenerate"),
  ]

  @Test(.full, arguments: faults)
  func `the page warns like the check about each fault`(_ fault: Fault) throws {
    let front = try RunningSeedbank(
      ["serve", "--port", "0", "--public", PageScene.pages], in: deployment.folder.path,
      environment: ["PATH": "/usr/bin:/bin"])
    func type(_ script: String) throws {
      let command = "set -e; seedbank=\(SeedbankBinary.path)\n\(script)"
      try Tool.run(["sh", "-c", command], in: deployment.folder.path)
    }
    func page() throws -> String {
      String(decoding: try RawClient(port: front.port).get("/").body, as: UTF8.self)
    }
    try type("echo \(Self.delta) > name")
    try waitUntil("all is well", every: 0.05) { try standing(front).contains("Everything is current.") }
    try type(fault.begin)
    try waitUntil("it is told", every: 0.05) { try page().contains(fault.words) }
    #expect(try !standing(front).contains("Everything is current.") && check().status != 0)
    try type(fault.end)
    try waitUntil("it is over", every: 0.05) { try standing(front).contains("Everything is current.") }
    #expect(try check().status == 0)
  }

  @Test(.full) func `run shows a key file that others can read on the page without a step`() throws {
    let front = try run()
    try waitUntil("all is well", every: 0.05) { try standing(front).contains("Everything is current.") }
    try Tool.run(["chmod", "644", deployment.folder("seedbank/keys/snapshot.key")])
    try waitUntil("it is told", every: 0.05) { try standing(front).contains("key files") }
  }

  @Test func `expired signatures are critical, and come before warnings`() throws {
    let outcome = try check("--older-than", "1h", days: 8)
    #expect(outcome.status == 2 && outcome.output.hasPrefix("critical: timestamp: its metadata expired at"))
    #expect(outcome.output.contains("version 3 is 8 days old"))
  }

  @Test func `an unreadable publication or configuration is critical`() throws {
    try Tool.run(["rm", deployment.folder("seedbank/publication/metadata/timestamp.json")])
    #expect(try check().status == 2)
    try Tool.run(["rm", deployment.folder("seedbank/seedbank.json")])
    let outcome = try check("--json").expect(2)
    #expect(try outcome.json()["state"]?.string == "critical")
  }

  @Test func `a missing or truncated published file is critical`() throws {
    let objects = try deployment.publication.published().series.values.flatMap(\.metadata.objects)
    let files = objects.map { deployment.publication.file($0) }
    try Tool.run(["truncate", "-s", "-1", files[0]])
    #expect(try check().status == 2)
    try Tool.run(["rm"] + files)
    try check().expect(2, output: "and \(files.count - 1) more: missing")
  }

  @Test func `a deployment without a publication is critical`() throws {
    let folder = deployment.folder
    try Tool.run(["rm", "-r", folder("seedbank")])
    try folder.succeed("init", "my.sqlite")
    try check().expect(2, output: "nothing is published yet")
  }

  @Test(arguments: [
    "--older-than 1w", "--older-than", "--no-step-for 0s", "--older-than 2000000d", "--dataset nope",
  ])
  func `an invalid limit is a usage error`(_ words: String) throws {
    let outcome = try check(words.split(separator: " ").map(String.init)).expect(64)
    let isTime = words.split(separator: " ").count == 2 && !words.hasPrefix("--dataset")
    #expect(
      !isTime || outcome.errors.contains("Expected a whole number from 1 to 1000000 and a unit, such as 90s"),
      "\(outcome.errors)")
  }

  @Test func `a limit without --check is a usage error`() throws {
    try deployment.seedbank("status", "--older-than", "1h").expect(64, "--check beside it")
  }
}
