import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct ProcessLogTests {
  private let deployment: OperatedDeployment

  init() throws { deployment = try OperatedDeployment() }

  private func lines(_ process: RunningSeedbank) throws -> [JSONValue] {
    try process.errors.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  @Test(arguments: ["run", "serve"])
  func `run and serve log their version, address and reason for shutdown`(_ command: String) throws {
    let process = try RunningSeedbank(
      [command, "--port", "0", "--log-format", "json"], in: deployment.folder.path)
    #expect(process.stop() == 0)
    let lines = try lines(process)
    let start = try #require(lines.first)
    #expect(start["version"]?.string == Release.version && start["datasets"] == "my")
    #expect(start["publication"]?.string == deployment.publication.path)
    let listening = try #require(lines.first { $0["address"] != nil })
    #expect(listening["address"]?.string == process.address && listening["series"] == 1)
    #expect(lines.suffix(2).first?["reason"] == "SIGTERM" && lines.last?["cut"] == 0)
  }

  @Test(.full) func `the request log has the bytes sent to clients`() throws {
    try deployment.origin("INSERT INTO shop SELECT 99, hex(randomblob(8000000)), 1")
    #expect(try deployment.seedbank("regenerate", "--snapshot").status == 0)
    let all = try deployment.publication.published().series.values.flatMap(\.metadata.objects)
    let snapshot = try #require(all.snapshots().first)
    let process = try RunningSeedbank(
      ["serve", "--port", "0", "--log-format", "json"], in: deployment.folder.path,
      environment: ["SEEDBANK_LOG_REQUESTS": "all"])
    // Each connection logs on its own thread, so wait for one record before the next request.
    func awaitTold(_ count: Int) throws {
      try waitUntil("\(count) are told of") {
        try lines(process).count { $0["msg"] == "request" } == count
      }
    }
    let overview = try RawClient(port: process.port).get("/v1")
    try awaitTold(1)
    _ = try RawClient(port: process.port).get("/v1", method: "HEAD")
    try awaitTold(2)
    let condition = "If-None-Match: \(overview["ETag"] ?? "")\r\n"
    #expect(try RawClient(port: process.port).get("/v1", extra: condition).status == 304)
    try awaitTold(3)
    let taken = 1_000_000
    do {
      let client = try RawClient(port: process.port, receives: 4096)
      client.send("GET /\(snapshot.filePath) HTTP/1.1\r\nHost: a\r\n\r\n")
      try client.skip(taken)
    }
    try awaitTold(4)
    let requests = try lines(process).filter { $0["msg"] == "request" }
    #expect(requests.prefix(3).map { $0["bytes"]?.integer } == [overview.body.count, 0, 0])
    let broken = try #require(requests.last)
    let bytes = try #require(broken["bytes"]?.integer)
    #expect(broken["complete"] == false && bytes > taken - 2000 && bytes < snapshot.length)
  }

  /// The front's process looks by itself.
  @Test
  func `a front misses its publication and serves it again, and hostile texts do not break its metrics`()
    throws
  {
    try configureHostileTexts()
    let front = try RunningSeedbank(["serve", "--port", "0"], in: deployment.folder.path)
    let (path, away) = (deployment.publication.path, deployment.folder("away"))
    for (from, to, status) in [(path, away, 503), (away, path, 200)] {
      try Folder.rename(from, to: to)
      try waitUntil("/readyz answers \(status)", every: 0.01) {
        try RawClient(port: front.port).get("/readyz").status == status
      }
    }
    for target in ["/v1", "/v1/my/changes?model=1.0&since=1", "/nothing"] {
      _ = try RawClient(port: front.port).get(target)
    }
    let page = try Tool.run(["curl", "-fsS", "\(front.address)/metrics"])
    #expect(try Tool.run(["promtool", "check", "metrics"], input: page).isEmpty)
    #expect(page.contains("seedbank_lifecycle{series=\"my/1\",state=\"deprecated\"} 1"))
  }

  /// Quotes and line breaks in an operator's texts.
  private func configureHostileTexts() throws {
    let hostile = #"a\"b\\c\nd{e=\"f\"} 1 # HELP"#
    try deployment.configure("\"license\": \"\(hostile)\", \"attribution\": \"\(hostile)\"")
    try deployment.configure(
      "\"lifecycle\": {\"1\": {\"state\": \"deprecated\", \"message\": \"\(hostile)\"}}")
  }
}
