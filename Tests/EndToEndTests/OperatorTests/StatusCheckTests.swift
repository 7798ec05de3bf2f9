import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
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

  @Test func `with age, the state goes from ok to warning and critical`() throws {
    let limits = ["--older-than", "26h", "--no-step-for", "15m"]
    let healthy = try check(limits).expect(0)
    #expect(healthy.output.hasPrefix("ok: my/1: version 3, "), "\(healthy)")
    let json = try check("--json").json()
    #expect(json["state"]?.string == "ok" && json["problems"]?.elements == [])
    let old = try check(limits, days: 2).expect(
      1, output: "version 3 is 2 days old, more than 26 hours",
      "the last publish step was 2 days ago, more than 15 minutes")
    #expect(old.output.hasPrefix("warning: "), "\(old)")
    let timer = try check(days: 2).expect(1, output: "2 days ago, more than 26 hours")
    #expect(!timer.output.contains(" old, more than"), "no limit of its age was given")
    try check(days: 5).expect(1, output: "timestamp: its metadata expires at")
    let expired = try check("--older-than", "1h", days: 8).expect(2, output: "version 3 is 8 days old")
    #expect(expired.output.hasPrefix("critical: timestamp: its metadata expired at"), "\(expired)")
    for (days, state) in [(2, "warning"), (8, "critical")] {
      let json = try check("--json", days: days).json()
      #expect(json["state"]?.string == state && json["problems"]?.elements?.first?["state"]?.string == state)
    }
    try check("--dataset", "nope").expect(64)
  }

  @Test(
    arguments: [
      ("rm seedbank/state/history.sqlite", 1, ["the age of the last one is unknown"]),
      ("$seedbank rollback --to 2", 1, ["held at the content of version 2"]),
      ("truncate -s -1 \(delta)", 2, [".delta-2-3."]),
      ("rm seedbank/publication/targets/my/1/*", 2, ["and 2 more: missing"]),
      ("rm seedbank/publication/metadata/timestamp.json", 2, ["critical: "]),
      ("rm seedbank/seedbank.json", 2, ["critical: "]),
      ("rm -r seedbank; $seedbank init my.sqlite", 2, ["nothing is published yet"]),
      (
        "sqlite3 my.sqlite 'ALTER TABLE shop ADD COLUMN note TEXT'; $seedbank model new", 1,
        ["my/1: model 1.1 is not published yet: restart 'seedbank run'"]
      ),
      (
        "mv seedbank/keys/targets.key .; cp -r seedbank/my/models/1.0 seedbank/my/models/2.0; $seedbank regenerate",
        1, ["my/2: nothing is published yet; the series my/2 is new, and the targets key"]
      ),
      (
        """
        sqlite3 my.sqlite "INSERT INTO shop VALUES (7, CAST(x'ff' AS TEXT), 1)"
        chmod 644 seedbank/keys/series.key; rm seedbank/keys/snapshot.key
        """, 1,
        [
          "series.key: other users can read the key", "snapshot.key: the key is missing",
          "already read the key\n",
        ]
      ),
      (
        """
        sqlite3 my.sqlite 'ALTER TABLE shop RENAME COLUMN name TO title'
        $seedbank regenerate || [ $? = 65 ]
        $seedbank rollback --to 2
        rm seedbank/keys/snapshot.key
        $seedbank regenerate || [ $? = 78 ]
        """, 1, ["the last step was refused: "]
      ),
    ] as [(String, Int32, [String])])
  func `each state has its code and a line`(script: String, status: Int32, words: [String]) throws {
    try type(script)
    let outcome = try check().expect(status)
    for part in words { #expect(outcome.output.contains(part), "\(outcome)") }
    #expect(!outcome.output.contains(".;"), "one character separates messages")
    let json = try check("--json").expect(status).json()
    #expect(json["state"]?.string == (status == 1 ? "warning" : "critical"), "\(json)")
  }

  @Test func `a step that kept the origin open for long is a warning, and status shows it`() throws {
    try deployment.folder.write(
      "{\"openMilliseconds\":720000,\"lagSeconds\":7,\"role\":\"standby\",\"server\":\"db2\"}",
      to: "seedbank/state/my.reading")
    try check().expect(1, output: "transaction open for 12 minutes")
    let text = try deployment.seedbank("status").output
    let line =
      "origin: last read held a transaction open for 12 minutes, standby db2, 7 seconds behind at most"
    #expect(text.contains(line), "\(text)")
    let series = try #require(try deployment.json("status").first?["series"]?.elements?.first)
    #expect(
      series["originReading"]
        == ["openMilliseconds": 720_000, "lagSeconds": 7, "role": "standby", "server": "db2"])
  }

  @Test func `the default limit after run comes from its schedule`() throws {
    let run = try RunningSeedbank(
      ["run", "--port", "0"], in: deployment.folder.path,
      environment: ["PATH": "/usr/bin:/bin", "SEEDBANK_DATASETS_MY_SCHEDULE_CHANGE_SECONDS": "600"])
    try waitUntil("it has told", every: 0.01) {
      deployment.publication.facts.read(try SeedSeries("my", major: 1))?.checkSeconds != nil
    }
    #expect(run.stop() == 0)
    #expect(try check().status == 0)
    try check(seconds: 460).expect(1, output: "ago, more than 7 minutes: is the publisher running?")
  }

  @Test func `a working copy that is locked or does not exist yet is not reported as unreadable`() throws {
    let copy = try Connection(deployment.folder("seedbank/state/my-1.sqlite"), .writer)
    try copy.execute("BEGIN EXCLUSIVE")
    #expect(try check().status == 0)
    try copy.execute("ROLLBACK")
    try type("rm seedbank/state/my-1.sqlite*")
    #expect(try check().status == 0)
  }

  private func page(_ front: RunningSeedbank) throws -> String {
    String(decoding: try RawClient(port: front.port).get("/").body, as: UTF8.self)
  }

  private func standing(_ front: RunningSeedbank) throws -> String {
    let parts = try page(front).split(separator: "id=\"standing\"")
    return String(parts.last?.split(separator: "</p>").first ?? "")
  }

  private func wait(until front: RunningSeedbank, says words: String) throws {
    try waitUntil("the page says \(words)", every: 0.01) { try standing(front).contains(words) }
  }

  private static let allIsWell = "Everything is current."

  private func start(_ command: String) throws -> RunningSeedbank {
    let front = try RunningSeedbank(
      [command, "--port", "0", "--public", PageScene.pages], in: deployment.folder.path,
      environment: ["PATH": "/usr/bin:/bin"])
    try wait(until: front, says: Self.allIsWell)
    return front
  }

  @Test(.full)
  func `the page warns like the check about a new column and about a key that others can read`() throws {
    let front = try start("run")
    try deployment.origin("ALTER TABLE shop ADD COLUMN margin REAL")
    try wait(until: front, says: "new in the origin")
    #expect(try check().status == 1)
    try deployment.folder.succeed("model", "skip")
    try wait(until: front, says: Self.allIsWell)
    #expect(try check().status == 0)
    try type("chmod 644 seedbank/keys/snapshot.key; $seedbank regenerate")
    try wait(until: front, says: "key files")
    #expect(try check().status == 1)
    #expect(try !page(front).contains(deployment.folder.path), "the page is everybody's")
  }

  @Test(
    .full,
    arguments: [
      "chmod 644 seedbank/keys/snapshot.key",
      """
      rm seedbank/keys/snapshot.key
      sqlite3 -cmd '.timeout 10000' my.sqlite "UPDATE shop SET name = 'later'"
      """,
    ])
  func `run shows a bad key file on the page and in its log without a published step`(script: String) throws {
    let front = try start("run")
    try type(script)
    try wait(until: front, says: "key files")
    try waitUntil("the log names the file", every: 0.01) { front.errors.contains("/snapshot.key: ") }
    #expect(try check().status == 1)
    #expect(try !page(front).contains(deployment.folder.path), "the page is everybody's")
  }

  static let delta = "seedbank/publication/targets/my/1/*.delta-2-3.*"
  private static let facts =
    "sed -i -E 's/(\"openMilliseconds\":)[0-9]+/\\1'$time'/' seedbank/publication/facts/my-1.json"
  /// Faults, the page's messages, and scripts that begin and end the faults.
  private static let faults = [
    ("a delta is gone", "files are missing", "mv \(delta) kept", "mv kept $(cat name)"),
    (
      "a delta is cut", "files are missing", "cp \(delta) kept; truncate -s -1 \(delta)",
      "mv kept $(cat name)"
    ),
    (
      "an origin was held open", "long transaction",
      "time=720000; \(facts); echo '{\"openMilliseconds\":720000}' > seedbank/state/my.reading",
      "time=1; \(facts); rm seedbank/state/my.reading"
    ),
    (
      "a key file is open to others", "key files",
      "chmod 644 seedbank/keys/snapshot.key; $seedbank regenerate",
      "chmod 600 seedbank/keys/snapshot.key; $seedbank regenerate"
    ),
    (
      "a key change waits", "A key change waits",
      "mv seedbank/keys/root.key .; $seedbank keys rotate snapshot --prepare; $seedbank regenerate",
      "mv root.key seedbank/keys/; $seedbank keys discard; $seedbank regenerate"
    ),
    (
      "a dataset is not published", "A dataset is not published yet",
      "sqlite3 b.sqlite 'CREATE TABLE t(a PRIMARY KEY)'; $seedbank init b.sqlite; mv b.sqlite kept; $seedbank regenerate || true",
      "mv kept b.sqlite; $seedbank regenerate"
    ),
    (
      "a model is gone", "its model is missing",
      "cp seedbank/seedbank.json one; sqlite3 b.sqlite 'CREATE TABLE t(a PRIMARY KEY)'; $seedbank init b.sqlite; "
        + "$seedbank regenerate; cp seedbank/seedbank.json two; cp one seedbank/seedbank.json; $seedbank regenerate",
      "cp two seedbank/seedbank.json; $seedbank regenerate"
    ),
    (
      "a working copy is damaged", "working copy of this series cannot be read",
      "echo nothing > seedbank/state/my-1.sqlite; mv my.sqlite kept; $seedbank regenerate || true",
      "mv kept my.sqlite; $seedbank regenerate"
    ),
  ]

  @Test(arguments: Stage.pick(quick: [faults[3]], full: faults, deep: faults))
  func `the page warns like the check about each fault`(
    name: String, words: String, begin: String, end: String
  ) throws {
    try type("echo \(Self.delta) > name")
    let front = try start("serve")
    try type(begin)
    try waitUntil("it is told", every: 0.01) { try page(front).contains(words) }
    #expect(try !standing(front).contains(Self.allIsWell) && check().status != 0)
    try type(end)
    try wait(until: front, says: Self.allIsWell)
    #expect(try check().status == 0)
  }

  private func type(_ script: String) throws {
    let command = "set -e; seedbank=\(SeedbankBinary.path)\n\(script)"
    try Tool.run(["sh", "-c", command], in: deployment.folder.path)
  }
}
