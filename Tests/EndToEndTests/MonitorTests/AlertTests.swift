import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

/// The shipped alert rules against the metrics of a real front in each alert's state.
@Suite struct AlertTests {
  private let clock: MovedClock

  init() throws { clock = try MovedClock() }

  /// A state of a deployment and exactly the alerts that must fire.
  struct State: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let alerts: [String]
    var front = ["serve"]
    var hoursAhead = 0
    var prepare: @Sendable (OperatedDeployment) throws -> Void = { _ in }
    /// Runs between two scrapes.
    var happen: @Sendable (OperatedDeployment, RunningSeedbank) throws -> Void = { _, _ in }
    var isDiskFull = false
    var environment: [String: String] = [:]
  }

  private static let stalled = ["SeedbankNoSuccessfulCheck", "SeedbankPublisherStalled"]
  private static let late = stalled + ["SeedbankSignaturesExpireInADay"]

  static let states = [
    State(testDescription: "all is well", alerts: [], happen: { try ask($1, "/v1", times: 20) }),
    State(
      testDescription: "snapshots are gone", alerts: ["SeedbankNotReady"],
      happen: { deployment, front in
        try Tool.run(["find", deployment.publication.path, "-name", "*.snapshot-*", "-delete"])
        try waitUntil("it is not ready") { try status(front, "/readyz") == "503" }
      }),
    State(
      testDescription: "data is older than it should be", alerts: ["SeedbankDataOld"], hoursAhead: 1,
      prepare: { deployment in
        let expected = ["SEEDBANK_DATASETS_MY_SCHEDULE_CHANGE_SECONDS": "600"]
        try run(deployment, "regenerate", environment: expected)
      }),
    State(
      testDescription: "no timer has started a step", alerts: ["SeedbankNoSuccessfulCheck"], hoursAhead: 27),
    State(
      testDescription: "a publisher that should go on has ended", alerts: ["SeedbankNoSuccessfulCheck"],
      prepare: { deployment in
        let run = try RunningSeedbank(["run", "--port", "0"], in: deployment.folder.path)
        try waitUntil("it has told") { try isExpected(deployment) }
        #expect(run.stop() == 0)
      }),
    State(
      testDescription: "the origin is away", alerts: ["SeedbankStepFailed"],
      prepare: { deployment in
        try Folder.rename(deployment.folder("my.sqlite"), to: deployment.folder("away.sqlite"))
        try run(deployment, "regenerate", ends: 69)
      }),
    State(
      testDescription: "a key is missing", alerts: ["SeedbankStepFailed"],
      prepare: { deployment in
        try Folder.remove(deployment.folder("seedbank/keys/timestamp.key"))
        try run(deployment, "regenerate", ends: 78)
      }),
    State(
      testDescription: "the models do not fit", alerts: ["SeedbankStepFailed"],
      prepare: { deployment in
        try deployment.folder.write(
          "CREATE TABLE shop(id INTEGER PRIMARY KEY, name TEXT DEFAULT (random()));",
          to: "seedbank/my/models/1.0/schema.sql")
        try run(deployment, "regenerate", ends: 78)
      }),
    State(
      testDescription: "the origin is refused", alerts: ["SeedbankStepFailed"],
      prepare: { deployment in
        try deployment.origin("ALTER TABLE shop RENAME COLUMN name TO title")
        try run(deployment, "regenerate", ends: 65)
      }),
    State(
      testDescription: "a step kept the origin open for long", alerts: ["SeedbankOriginHeldOpen"],
      prepare: { try record(OriginReading(openMilliseconds: 700_000), $0) }),
    State(
      testDescription: "a mirror is behind", alerts: ["SeedbankMirrorBehind"],
      prepare: { deployment in
        let since = UTCTime(secondsSinceEpoch: UTCTime.now().secondsSinceEpoch - 700)
        try deployment.publication.facts.write(MirrorFacts(behindSince: [nil, since]))
      }),
    State(
      // promtool does not let the time of the last look grow.
      testDescription: "a follower's looks have stopped", alerts: ["SeedbankFollowerBehind"],
      front: follower(of: "seedbank/publication"),
      happen: { try waitForLooks("good", $1) }),
    State(
      testDescription: "a follower has not reached its publication since its start",
      alerts: ["SeedbankFollowerBehind"], front: follower(of: "http://127.0.0.1:1"),
      prepare: { deployment in
        let once = follower(of: "seedbank/publication").map { $0 == "--serve" ? "--once" : $0 }
        try SeedbankBinary.succeed(once, in: deployment.folder.path)
      }, happen: { try waitForLooks("failed", $1) }),
    State(
      testDescription: "a verification found errors", alerts: ["SeedbankVerifyFailed"],
      prepare: { try $0.publication.facts.write(VerificationFacts(isSound: false, at: .now(), after: nil)) }),
    State(
      testDescription: "a rollback holds the series", alerts: ["SeedbankHeld"],
      prepare: { try run($0, "rollback", "--to", "1") }),
    State(testDescription: "signatures are not renewed", alerts: stalled, hoursAhead: 3 * 24),
    State(testDescription: "signatures expire tomorrow", alerts: late, hoursAhead: 6 * 24 + 3),
    State(testDescription: "keys are needed", alerts: late + ["SeedbankKeysNeeded"], hoursAhead: 140 * 24),
    State(
      testDescription: "keys are needed this week",
      alerts: late + ["SeedbankKeysNeeded", "SeedbankSignaturesExpireInAWeek"], hoursAhead: 175 * 24),
    State(testDescription: "the disk is full", alerts: ["SeedbankDiskNearlyFull"], isDiskFull: true),
    State(
      testDescription: "heads are refused", alerts: ["SeedbankRefusesConnections"],
      happen: { _, front in
        for (head, status) in [("HTTP/1.1\r\nHost: a b", 400), ("HTTP/1.2\r\nHost: a", 505)] {
          for _ in 0..<45 {
            let client = try RawClient(port: front.port)
            client.send("GET /v1 \(head)\r\n\r\n")
            #expect(try client.response().status == status)
          }
        }
      }),
    State(
      testDescription: "no more files can be opened", alerts: ["SeedbankRefusesConnections"],
      // The held connections must not time out, even on a slow machine.
      happen: { try exhaustDescriptors(of: $1) },
      environment: ["SEEDBANK_HTTP_IDLE_TIMEOUT_SECONDS": "3600"]),
    State(
      testDescription: "all connections are taken", alerts: ["SeedbankFull"],
      prepare: { try publishLargeSnapshot($0) },
      happen: { deployment, front in
        try readSlowly(deployment, front)
        // Makes half of the responses fast.
        try ask(front, "/v1", times: 20)
      }, environment: ["SEEDBANK_HTTP_CONNECTION_LIMIT": "\(slowReaders)"]),
    State(testDescription: "heads are slow", alerts: [], happen: { try sendSlowly(to: $1) }),
    State(
      testDescription: "a file is missing", alerts: ["SeedbankErrors", "SeedbankFilesMissing"],
      happen: { deployment, front in
        let objects = try deployment.publication.published().series.values.flatMap(\.metadata.objects)
        let delta = try #require(objects.first { $0.span != nil })
        try Folder.remove(deployment.publication.file(delta))
        let span = try #require(delta.span)
        try ask(front, "/v1/my/changes?model=1.0&since=\(span.from)&to=\(span.to)", times: 5)
        try waitUntil("the front counts it") {
          (try Scrape(front.address).samples["seedbank_missing_files{series=\"my/1\"}"] ?? 0) > 0
        }
      }),
    State(
      testDescription: "most responses are slow", alerts: ["SeedbankSlow"],
      prepare: { try publishLargeSnapshot($0) }, happen: { try readSlowly($0, $1) }),
  ]

  private static func run(
    _ deployment: OperatedDeployment, _ arguments: String..., ends status: Int32 = 0,
    environment: [String: String] = [:]
  ) throws {
    let outcome = try SeedbankBinary.run(arguments, environment: environment, in: deployment.folder.path)
    #expect(outcome.status == status, "\(outcome.errors)")
  }

  private static func follower(of source: String) -> [String] {
    ["follow", source, "--root", "seedbank/root.json", "--to", "copy", "--serve"]
  }

  private static func waitForLooks(_ result: String, _ front: RunningSeedbank) throws {
    try waitUntil("a look: \(result)") {
      (try Scrape(front.address).samples["seedbank_follow_looks_total{result=\"\(result)\"}"] ?? 0) > 0
    }
  }

  /// Writes facts as a step with this reading would.
  private static func record(_ reading: OriginReading, _ deployment: OperatedDeployment) throws {
    let folder = deployment.publication.facts
    var facts = try #require(folder.read(try SeedSeries("my", major: 1)))
    facts.look.reading = reading
    try folder.write(facts)
  }

  private static func ask(_ front: RunningSeedbank, _ target: String, times: Int) throws {
    for _ in 0..<times { _ = try RawClient(port: front.port).get(target) }
  }

  private static func status(_ front: RunningSeedbank, _ target: String) throws -> String {
    "\(try RawClient(port: front.port).get(target).status)"
  }

  private static func isExpected(_ deployment: OperatedDeployment) throws -> Bool {
    deployment.publication.facts.read(try SeedSeries("my", major: 1))?.checkSeconds != nil
  }

  private static func readSlowly(_ deployment: OperatedDeployment, _ front: RunningSeedbank) throws {
    let objects = try deployment.publication.published().series.values.flatMap(\.metadata.objects)
    let snapshot = try #require(objects.snapshots().first)
    // One address would not get all connections.
    let clients = try (2..<slowReaders + 2).map {
      let client = try RawClient(port: front.port, source: "127.0.0.\($0)", receives: 4096)
      client.send("GET /\(snapshot.filePath) HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    Thread.sleep(forTimeInterval: pauseSeconds)
    for client in clients { try client.skip(snapshot.length) }
  }

  private static func publishLargeSnapshot(_ deployment: OperatedDeployment) throws {
    try deployment.origin("INSERT INTO shop SELECT 99, hex(randomblob(8000000)), 1")
    try run(deployment, "regenerate", "--snapshot")
  }

  private static let slowReaders = 4
  /// Longer than a response should take, and more than a hundredth of a minute.
  private static let pauseSeconds = 0.9

  /// Pauses clients within their request headers, which does not count as a slow answer.
  private static func sendSlowly(to front: RunningSeedbank) throws {
    let clients = try (0..<slowReaders).map { _ in try RawClient(port: front.port) }
    for client in clients { client.send("GET /v1 HTTP/1.1\r\nHost: a\r\n") }
    Thread.sleep(forTimeInterval: pauseSeconds)
    for client in clients {
      client.send("\r\n")
      #expect(try client.response().status == 200)
    }
  }

  /// Repeats until the front has refused enough connections for the rule, because their number varies.
  private static func exhaustDescriptors(of front: RunningSeedbank) throws {
    try waitUntil("the front has refused \(refusalsWanted) connections") {
      try exhaustDescriptorsOnce(of: front)
      let metric = "seedbank_refused_connections_total{reason=\"descriptors\"}"
      return (try Scrape(front.address).samples[metric] ?? 0) >= refusalsWanted
    }
  }

  /// Limits the process's descriptors to the open ones. Each closed connection then admits a waiting one, and the next
  /// one is refused.
  private static func exhaustDescriptorsOnce(of front: RunningSeedbank) throws {
    var held = try (0..<clientsLeaving).map { _ in
      let client = try RawClient(port: front.port)
      #expect(try client.get("/livez").status == 200)
      return client
    }
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(front.identifier)/fd")
    try limitFiles(of: front, to: (open.compactMap { Int($0) }.max() ?? 0) + 1)
    let waiting = try (0..<2 * held.count).map { _ in
      let client = try RawClient(port: front.port)
      client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    while !held.isEmpty {
      let answered = waiting.count(where: \.hasBytes)
      held.removeLast()
      _ = try? eventually("another one is let in", within: 1, every: 0.001) {
        waiting.count(where: \.hasBytes) > answered ? true : nil
      }
    }
    try limitFiles(of: front, to: plentyOfFiles)
    withExtendedLifetime(waiting) {}
  }

  private static let clientsLeaving = 60
  /// More than the rule requires within a minute.
  private static let refusalsWanted = 90.0
  private static let plentyOfFiles = 4096

  private static func limitFiles(of front: RunningSeedbank, to count: Int) throws {
    try Tool.run(["prlimit", "--pid", "\(front.identifier)", "--nofile=\(count):"])
  }

  @Test(.full, arguments: states)
  func `in each state exactly its alerts fire`(_ state: State) throws {
    let deployment = try OperatedDeployment()
    try state.prepare(deployment)
    let front = try RunningSeedbank(
      state.front + ["--port", "0"], in: deployment.folder.path,
      environment: try environment(state, deployment))
    let before = try Scrape(front.address)
    try state.happen(deployment, front)
    let after = try Scrape(front.address)
    let now = Int(Date().timeIntervalSince1970) + state.hoursAhead * 3600
    try AlertRules.check(before, after, now: now, fire: state.alerts)
  }

  private func environment(_ state: State, _ deployment: OperatedDeployment) throws -> [String: String] {
    var environment = state.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
    if state.isDiskFull { environment["LD_PRELOAD"] = try library(Self.fullDisk, deployment) }
    guard state.hoursAhead > 0 else { return environment }
    return environment.merging(clock.environment(seconds: state.hoursAhead * 3600)) { $1 }
  }

  private func library(_ code: String, _ deployment: OperatedDeployment) throws -> String {
    let (source, library) = (deployment.folder("preloaded.c"), deployment.folder("preloaded.so"))
    try "#define _GNU_SOURCE\n#include <dlfcn.h>\n\(code)".write(
      toFile: source, atomically: false, encoding: .utf8)
    try Tool.run(["clang", "-shared", "-fPIC", "-o", library, source, "-ldl"])
    return library
  }

  private static let fullDisk = """
    #include <sys/statvfs.h>
    int statvfs(const char *path, struct statvfs *disk) {
      int (*real)(const char *, struct statvfs *) = dlsym(RTLD_NEXT, "statvfs");
      int result = real(path, disk);
      disk->f_bavail = 1;
      return result;
    }
    """

  @Test func `SeedbankUnreachable fires for a front that does not answer`() throws {
    try AlertRules.check(.away, .away, now: 0, fire: ["SeedbankUnreachable"])
  }

  @Test func `each rule is tested in a state and has a summary`() throws {
    let text = try String(contentsOfFile: AlertRules.file, encoding: .utf8)
    let rules = text.components(separatedBy: "- alert: ").dropFirst()
    let names = rules.map { String($0.prefix { $0.isLetter }) }
    #expect(
      Set(Self.states.flatMap { $0.alerts } + ["SeedbankUnreachable"]) == Set(names)
        && Set(names).count == names.count)
    for rule in rules { #expect(rule.contains("severity: ") && rule.contains("summary: ")) }
    try Tool.run(["promtool", "check", "rules", AlertRules.file])
  }
}
