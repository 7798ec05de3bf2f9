import SeedFormat
import SeedSystem
import SeedTrust

/// Writes `/metrics`, family by family.
struct MetricsPage {
  let seriesName: (Int) -> String
  let agentName: (Int) -> String
  private var text = PrometheusText()

  init(seriesName: @escaping (Int) -> String, agentName: @escaping (Int) -> String) {
    self.seriesName = seriesName
    self.agentName = agentName
  }

  var bytes: [UInt8] { Array(text.text.utf8) }

  // MARK: What was counted

  mutating func write(_ counts: FrontCounts) {
    writeAnswers(counts)
    writeBytes(counts)
    text.histogram(
      "seedbank_request_seconds", "From the request line to the last byte of the answer.",
      bounds: FrontCounts.latencyBounds, counts: counts.latency, sum: counts.latencySeconds)
    text.histogram(
      "seedbank_changes_versions_behind", "How far behind the head clients of changes are.",
      bounds: FrontCounts.behindBounds.map(Double.init), counts: counts.behind, sum: Double(counts.behindSum))
    writeChanges(counts)
    writeDownloads(
      "seedbank_downloads_started_total", "Snapshots whose sending began.", counts.downloadsStarted)
    writeDownloads(
      "seedbank_downloads_completed_total", "Snapshots that went out whole.", counts.downloadsCompleted)
    writeClients(counts)
  }

  private mutating func writeAnswers(_ counts: FrontCounts) {
    text.family("seedbank_requests_total", .counter, "Answers, by what was asked for and class of status.")
    for kind in AnswerMark.Kind.allCases {
      for status in 0..<FrontCounts.statusClasses {
        let count = counts.answers[FrontCounts.place(kind, status: status * 100)]
        guard count > 0 else { continue }
        let name = status == 0 ? "none" : "\(status)xx"
        text.sample("seedbank_requests_total", [("kind", "\(kind)"), ("status", name)], Double(count))
      }
    }
  }

  private mutating func writeChanges(_ counts: FrontCounts) {
    text.family(
      "seedbank_changes_total", .counter, "Answers of changes: nothing new, deltas, or a refusal's type.")
    for (result, count) in zip(FrontCounts.changesResults, counts.changes) where count > 0 {
      text.sample("seedbank_changes_total", [("result", result)], Double(count))
    }
  }

  private mutating func writeBytes(_ counts: FrontCounts) {
    text.family("seedbank_response_bytes_total", .counter, "Bytes of bodies of answers that went out whole.")
    for kind in AnswerMark.Kind.allCases where counts.bytes[kind.rawValue] > 0 {
      let bytes = counts.bytes[kind.rawValue]
      text.sample("seedbank_response_bytes_total", [("kind", "\(kind)")], Double(bytes))
    }
  }

  private mutating func writeDownloads(_ name: String, _ help: String, _ counts: [Int: Int]) {
    text.family(name, .counter, help)
    for (place, count) in counts.sorted(by: { $0.key < $1.key }) {
      text.sample(name, [("series", seriesName(place))], Double(count))
    }
  }

  private mutating func writeClients(_ counts: FrontCounts) {
    text.family("seedbank_client_requests_total", .counter, "Requests of the client library, by model.")
    for (label, count) in counts.clients.sorted(by: { $0.key < $1.key }) {
      let parts = agentName(label).split(separator: ";").map(String.init)
      guard parts.count == 2 else { continue }
      text.sample(
        "seedbank_client_requests_total", [("dataset", parts[0]), ("model", parts[1])], Double(count))
    }
  }

  mutating func writeBuilds(_ builds: [BuildKey: Int]) {
    text.family("seedbank_builds_total", .counter, "Publish steps of this process, by result.")
    let sorted = builds.sorted { ($0.key.dataset, $0.key.result) < ($1.key.dataset, $1.key.result) }
    for (key, count) in sorted {
      let labels = [("dataset", key.dataset), ("result", key.result)]
      text.sample("seedbank_builds_total", labels, Double(count))
    }
  }

  // MARK: How things stand

  mutating func write(_ standing: FrontStanding) {
    text.family("seedbank_connections", .gauge, "Open connections.")
    text.sample("seedbank_connections", [], Double(standing.connections))
    text.family(
      "seedbank_requests_in_flight", .gauge, "Requests that are being answered, this one among them.")
    text.sample("seedbank_requests_in_flight", [], Double(standing.answering))
  }

  mutating func writePublication(_ catalog: PublishedCatalog?, now: Int) {
    let series = (catalog?.datasets.values.flatMap { $0 } ?? []).sorted { $0.series < $1.series }
    writeGauge("seedbank_publication_age_seconds", "Seconds since the series was last published.", series) {
      now - $0.publishedAt.secondsSinceEpoch
    }
    writeGauge("seedbank_head_version", "The newest version.", series) { $0.head.number }
    writeGauge("seedbank_floor_version", "The oldest version from which deltas lead on.", series) {
      $0.floor.number
    }
    if let catalog {
      let name = "seedbank_metadata_expires_timestamp_seconds"
      text.family(name, .gauge, "When clients begin to refuse a role's metadata, unless it is renewed.")
      for signature in catalog.signatures {
        text.sample(name, [("role", signature.role)], Double(signature.expires.secondsSinceEpoch))
      }
    }
    let isReady = !series.isEmpty && series.allSatisfy { !$0.usableSnapshots.isEmpty }
    text.family("seedbank_ready", .gauge, "Whether every series has a snapshot to start from.")
    text.sample("seedbank_ready", [], isReady ? 1 : 0)
  }

  private mutating func writeGauge(
    _ name: String, _ help: String, _ series: [SeriesMetadata], _ value: (SeriesState) -> Int
  ) {
    text.family(name, .gauge, help)
    for each in series {
      text.sample(name, [("series", each.series.description)], Double(value(each.state)))
    }
  }
}
