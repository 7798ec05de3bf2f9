import Foundation
import SeedFormat
import SeedPublication
import SeedSystem
import Support
import Testing

/// The shipped dashboard with a real Prometheus.
@Suite struct DashboardTests {
  private let deployment: OperatedDeployment
  private let front: RunningSeedbank
  private let follower: RunningSeedbank
  private let prometheus: Prometheus

  init() throws {
    deployment = try OperatedDeployment()
    // Simulates an origin on a replica and a mirror.
    let facts = deployment.publication.facts
    var told = try #require(facts.read(try SeedSeries("my", major: 1)))
    told.look.reading = OriginReading(openMilliseconds: 20, lagSeconds: 3)
    try facts.write(told)
    try facts.write(MirrorFacts(behindSince: [.now()]))
    front = try RunningSeedbank(["serve", "--port", "0"], in: deployment.folder.path)
    follower = try RunningSeedbank(
      [
        "follow", front.address, "--root", "seedbank/root.json", "--to", "copy", "--every", "1", "--serve",
        "--port", "0",
      ], in: deployment.folder.path)
    let address = follower.address
    try waitUntil("the follower is ready") {
      (try? Tool.run(["curl", "-fsS", "\(address)/readyz"])) != nil
    }
    prometheus = try Prometheus(scraping: [front.port, follower.port], in: deployment.folder)
  }

  private static func queries() throws -> [(title: String, text: String)] {
    let file = ShippedFile.url("Config/grafana/seedbank.json")
    let dashboard = try JSONValue(parsing: Array(Data(contentsOf: file)))
    let panels = try #require(dashboard["panels"]?.elements)
    #expect(Set(panels.compactMap { $0["id"]?.integer }).count == panels.count)
    return panels.flatMap { panel in
      (panel["targets"]?.elements ?? []).map { (panel["title"]?.string ?? "", $0["expr"]?.string ?? "") }
    }
  }

  private func use() throws {
    let agent = "User-Agent: Seedbank/1.0 (my; 1.0)\r\n"
    let location = try RawClient(port: front.port).get("/v1/my/snapshot?model=1.0", extra: agent)["Location"]
    let targets = [try #require(location), "/v1/my/changes?model=1.0&since=1", "/v1", "/nothing"]
    for target in targets { _ = try RawClient(port: front.port).get(target, extra: agent) }
  }

  @Test(.full)
  func `each query of the dashboard is valid and has data, and no rule fires for a healthy front`() throws {
    try waitUntil("the rules are evaluated", every: 0.01) { try prometheus.answers(to: "count(up) > 0") == 1 }
    try waitUntil("both fronts are ready") { try prometheus.answers(to: "seedbank_ready == 1") == 2 }
    #expect(try prometheus.answers(to: "ALERTS") == 0)
    let queries = try Self.queries()
    #expect(queries.count > 20)
    var unanswered = queries
    // A rate needs two scrapes that differ.
    try eventually("every query has data", every: 0.5) {
      try use()
      unanswered = try unanswered.filter { query in
        try prometheus.answers(to: query.text.replacing("$__rate_interval", with: "1m")) == 0
      }
      return unanswered.isEmpty ? true : nil
    }
    #expect(unanswered.isEmpty, "\(unanswered)")
  }
}

final class Prometheus {
  private let program: TestProgram
  private let address: String

  init(scraping ports: [UInt16], in folder: TemporaryFolder) throws {
    address = "http://127.0.0.1:\(try freePort())"
    let addresses = ports.map { "127.0.0.1:\($0)" }
    let configuration: JSONValue = [
      "global": ["scrape_interval": "1s", "evaluation_interval": "1s"],
      "rule_files": [.string(AlertRules.file)],
      "scrape_configs": [
        ["job_name": "seedbank", "static_configs": [["targets": JSONValue(strings: addresses)]]]
      ],
    ]
    try folder.write(configuration.text, to: "prometheus.yaml")
    program = try TestProgram(
      [
        "prometheus", "--config.file=\(folder("prometheus.yaml"))", "--storage.tsdb.path=\(folder("tsdb"))",
        "--web.listen-address=\(address.dropFirst("http://".count))", "--log.level=error",
      ], in: folder.path)
    try waitUntil("Prometheus is ready", every: 0.01) {
      (try? Tool.run(["curl", "-fsS", "\(address)/-/ready"])) != nil
    }
  }

  /// Returns the number of series in a query's result; throws if the query is invalid.
  func answers(to query: String) throws -> Int {
    let text = try Tool.run([
      "curl", "-fsS", "--get", "--data-urlencode", "query=\(query)", "\(address)/api/v1/query",
    ])
    let answer = try JSONValue(parsing: Array(text.utf8))
    #expect(answer["status"] == "success", "\(query)")
    return answer["data"]?["result"]?.elements?.count ?? 0
  }
}
