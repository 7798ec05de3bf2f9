import Foundation
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct FrontMetricsTests {
  let publication: FrontPublication
  let front: Front

  init() throws {
    publication = try FrontPublication(history: ())
    front = try Front(FrontConfiguration(publication: publication.directory.path))
  }

  @discardableResult
  private func get(_ target: String, _ method: String = "GET", agent: String = "test") throws -> String {
    let head = "\(method) \(target) HTTP/1.1\r\nHost: a\r\nUser-Agent: \(agent)\r\nConnection: close\r\n\r\n"
    return String(decoding: try SeedFrontTests.exchange(head, port: front.port), as: UTF8.self)
  }

  /// The page's samples by name with labels, once `requests` requests were counted.
  private func samples(after requests: Int) throws -> [String: Double] {
    try eventually("\(requests) requests are counted") {
      let lines = try get("/metrics").split(separator: "\n").filter {
        !$0.hasPrefix("#") && $0.contains("_") && !$0.contains(": ")
      }
      let pairs = lines.map { line in
        let end = line.lastIndex(of: " ") ?? line.endIndex
        return (String(line[..<end]), Double(line[end...].dropFirst()) ?? .nan)
      }
      let samples = try Dictionary(pairs) { _, _ in throw CocoaError(.propertyListReadCorrupt) }
      // Earlier responses may still be on their way when this page is made.
      let counts = samples.filter {
        $0.key.hasPrefix("seedbank_request_seconds_count") && !$0.key.contains("\"metrics\"")
      }
      return counts.values.reduce(0, +) >= Double(requests) ? samples : nil
    }
  }

  @Test func `requests are counted by resource and by result`() throws {
    let object = try publication.snapshot(FrontPublication.transit, 104)
    for _ in 0..<3 { try get("/v1") }
    try get("/v1/transit/changes?model=2.1&since=100")
    try get("/v1/transit/changes?model=2.1&since=104")
    try get("/v1/transit/changes?model=2.1&since=1")
    try get("/\(object.filePath)")
    try get("/\(object.filePath)", "HEAD")
    try get("/nothing")
    try get("/..")
    let samples = try samples(after: 10)
    for (kind, status, count) in [
      ("overview", 2, 3), ("changes", 2, 2), ("changes", 4, 1), ("snapshot", 2, 2), ("page", 4, 1),
      ("refused", 4, 1),
    ] as [(String, Int, Double)] {
      let name = "seedbank_requests_total{kind=\"\(kind)\",status=\"\(status)xx\"}"
      #expect(samples[name] == count, "\(name)")
    }
    #expect(samples["seedbank_response_bytes_total{kind=\"snapshot\"}"] == Double(object.length))
    #expect(samples["seedbank_downloads_completed_total{series=\"transit/2\"}"] == 1)
    #expect(samples["seedbank_request_seconds_count{kind=\"changes\"}"] == 3)
    #expect(samples["seedbank_request_seconds_bucket{kind=\"changes\",le=\"+Inf\"}"] == 3)
    #expect(samples["seedbank_request_seconds_sum{kind=\"changes\"}"] ?? 0 > 0)
  }

  @Test func `metrics show the publication, the connections, the process and the disk`() throws {
    let samples = try samples(after: 0)
    let published = Double(FrontPublication.start.secondsSinceEpoch + 104)
    for (name, label, value) in [
      ("head_version", "", 104), ("floor_version", "", 100), ("held", "", 0), ("missing_files", "", 0),
      ("served_snapshots", "", 3), ("lifecycle", ",state=\"active\"", 1),
      ("publication_timestamp_seconds", "", published),
    ] { #expect(samples["seedbank_\(name){series=\"transit/2\"\(label)}"] == value, "\(name)") }
    #expect(samples["seedbank_ready"] == 1)
    let days = [
      "root": RepositorySigner.rootDays, "targets": RepositorySigner.targetsDays,
      "snapshot": 7, "timestamp": 7, "transit-2": 7,
    ]
    for (role, days) in days {
      let name = "seedbank_metadata_expires_timestamp_seconds{role=\"\(role)\"}"
      #expect(samples[name] == Double(FrontPublication.start.adding(days: days).secondsSinceEpoch))
    }
    #expect(samples["seedbank_connections"] ?? 0 >= 1)
    #expect(samples["seedbank_requests_in_flight"] ?? 0 >= 1, "the one that asks")
    #expect(samples["seedbank_build_info{version=\"\(Release.version)\"}"] == 1)
    for name in [
      "process_resident_memory_bytes", "process_open_fds", "process_max_fds", "seedbank_disk_free_bytes",
      "seedbank_publication_bytes",
    ] {
      #expect(samples[name] ?? 0 > 0, "\(name)")
    }
    let start = try #require(samples["process_start_time_seconds"])
    #expect(start <= Double(time(nil)) + 1 && start > Double(time(nil)) - 86_400)
    for (encoding, version) in [(ContentEncoding.gzip, 104), (.xz, 100)] {
      let length = try publication.snapshot(FrontPublication.transit, version, encoding).length
      let name = "seedbank_snapshot_bytes{series=\"transit/2\",encoding=\"\(encoding.rawValue)\"}"
      #expect(samples[name] == Double(length))
    }
  }

  @Test func `library clients are counted by model and invented agents are not`() throws {
    for agent in [
      "Seedbank/1.0 (transit; 2.1)", "Seedbank/2.0 (transit; 2.1)", "Seedbank/1.0 (transit; 9.9)",
      "Seedbank/1.0 (made-up; 2.1)", "Seedbank/1.0", "Seedbank/ (", "Mozilla/5.0 (transit; 2.1)",
    ] {
      try get("/v1", agent: agent)
    }
    let clients = try samples(after: 7).filter { $0.key.hasPrefix("seedbank_client_requests_total") }
    #expect(clients == ["seedbank_client_requests_total{dataset=\"transit\",model=\"2.1\"}": 2])
  }

  @Test func `a download in parts counts once by its last byte`() throws {
    let object = try publication.snapshot(FrontPublication.transit, 104)
    let middle = object.length / 2
    for range in ["0-0", "1-\(middle)", "\(middle + 1)-", "0-\(middle)", "\(middle)-\(middle)"] {
      _ = try RawClient(port: front.port).get("/\(object.filePath)", extra: "Range: bytes=\(range)\r\n")
    }
    _ = try RawClient(port: front.port).get("/\(object.filePath)", method: "HEAD")
    let samples = try samples(after: 6)
    #expect(samples["seedbank_downloads_completed_total{series=\"transit/2\"}"] == 1)
  }

  @Test func `refused connections are counted by reason and as the client's error`() throws {
    for _ in 0..<3 {
      let client = try RawClient(port: front.port)
      client.send("GET /v1 HTTP/1.1\r\nHost: a b\r\n\r\n")
      #expect(try client.response().status == 400)
    }
    let client = try RawClient(port: front.port)
    client.send("GET /v1 HTTP/1.2\r\nHost: a\r\n\r\n")
    #expect(try client.response().status == 505)
    let samples = try samples(after: 4)
    #expect(samples["seedbank_requests_total{kind=\"refused\",status=\"4xx\"}"] == 4)
    #expect(samples["seedbank_requests_total{kind=\"refused\",status=\"5xx\"}"] == nil)
    #expect(samples["seedbank_refused_connections_total{reason=\"head\"}"] == 4)
    #expect(samples["seedbank_refused_connections_total{reason=\"address\"}"] == 0)
  }

  @Test func `steps of another process are counted and measured, and rows and the wait for a replica shown`()
    throws
  {
    func told(_ change: (inout SeriesFacts) -> Void) throws -> (String, String) -> Double? {
      var facts = SeriesFacts.example(of: FrontPublication.transit)
      change(&facts)
      try publication.directory.facts.write(facts)
      try front.reload()
      let samples = try samples(after: 0)
      return { samples["seedbank_\($0){series=\"transit/2\"\($1)}"] }
    }
    let waiting = try told { $0.look.behindSince = FrontPublication.start }
    #expect(waiting("steps_total", ",result=\"published\"") == 3)
    #expect(waiting("steps_total", ",result=\"failed\"") == 1)
    #expect(waiting("table_rows", ",table=\"stop\"") == 7)
    for (name, value) in [
      ("expected_look_seconds", 210), ("last_step_seconds", 0.03), ("origin_transaction_seconds", 1.5),
      ("origin_replica_lag_seconds", 3), ("origin_is_standby", 1), ("origin_log_missed_total", 12),
      ("origin_replica_wait_timestamp_seconds", Double(FrontPublication.start.secondsSinceEpoch)),
    ] { #expect(waiting(name, "") == value, "\(name)") }
    #expect(try told { $0.look.behindSince = nil }("origin_replica_wait_timestamp_seconds", "") == nil)
  }

  @Test func `each line of the metrics can be parsed whatever the names of tables`() throws {
    var facts = SeriesFacts.example(of: FrontPublication.transit)
    facts.tables = ["a\r\nb", "\"\u{301}", "\\\u{301}"].map {
      SeriesFacts.Table(name: $0, rows: 1, columns: [], sql: "")
    }
    let view = CatalogView(try publication.catalog(), facts: [FrontPublication.transit: facts])
    let page = Router().answer(HTTPRequest(.get, "/metrics"), in: view).bytes
    let sample = #/[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? [-+0-9.e]+/#
      .matchingSemantics(.unicodeScalar)
    let lines = page.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    for line in lines where !line.hasPrefix("#") { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
    #expect(lines.count { $0.hasPrefix("seedbank_table_rows{") } == facts.tables.count)
  }

  @Test func `metrics show the newest verification and the last one without errors`() throws {
    let (folder, start) = (publication.directory.facts, FrontPublication.start)
    func verify(_ isSound: Bool, at time: UTCTime) throws -> [String: Double] {
      try folder.write(VerificationFacts(isSound: isSound, at: time, after: folder.read()))
      try front.reload()
      return try samples(after: 0).filter { $0.key.hasPrefix("seedbank_verify_") }
    }
    #expect(try samples(after: 0).keys.contains { $0.hasPrefix("seedbank_verify_") } == false)
    #expect(try verify(false, at: start) == ["seedbank_verify_failed": 1])
    let success = ["seedbank_verify_last_success_timestamp_seconds": Double(start.secondsSinceEpoch) + 9]
    #expect(
      try verify(true, at: start.adding(seconds: 9)) == success.merging(["seedbank_verify_failed": 0]) { $1 })
    #expect(
      try verify(false, at: start.adding(seconds: 20))
        == success.merging(["seedbank_verify_failed": 1]) { $1 })
  }

  @Test func `counters lose nothing when threads count concurrently`() {
    let metrics = FrontMetrics()
    let measurement = HTTPMeasurement(
      mark: AnswerMark(.changes), status: 200, bodyBytes: 10,
      isComplete: true, agent: nil, nanoseconds: 1_000_000)
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      for _ in 0..<1_000 { metrics.count(measurement) }
    }
    let total = metrics.total
    #expect(total.answers.reduce(0, +) == 16_000)
    #expect(total.bytes.reduce(0, +) == 160_000)
  }
}
