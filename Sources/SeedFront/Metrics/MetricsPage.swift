import SeedFormat
import SeedHTTP
import SeedSystem

struct MetricsPage {
  let seriesName: (Int) -> String
  let agentName: (Int) -> String
  var text = PrometheusText()

  var bytes: [UInt8] { Array(text.text.utf8) }

  mutating func write(_ counts: FrontCounts) {
    writeAnswers(counts)
    text.family(
      "seedbank_response_bytes_total", .counter, "Bytes of bodies that were sent.",
      AnswerMark.Kind.allCases.map { ([("kind", "\($0)")], Double(counts.bytes[$0.rawValue])) }.filter {
        $1 > 0
      })
    text.histogram(
      "seedbank_request_seconds", "From the end of the request's head to the last byte of the response.",
      bounds: FrontCounts.latencyBounds, counts: counts.latency, sum: counts.latencySeconds)
    text.histogram(
      "seedbank_changes_versions_behind", "Versions that clients asking for changes are behind the head.",
      bounds: FrontCounts.behindBounds.map(Double.init), counts: counts.behind, sum: Double(counts.behindSum))
    text.family(
      "seedbank_changes_total", .counter, "Responses for changes: current, deltas, or a problem's type.",
      zip(FrontCounts.changesResults, counts.changes).map { ([("result", $0)], Double($1)) }.filter { $1 > 0 }
    )
    writeDownloads(
      "seedbank_downloads_started_total", "Snapshot downloads that began with the first byte.",
      counts.downloadsStarted)
    writeDownloads(
      "seedbank_downloads_completed_total", "Snapshot downloads that came to the last byte.",
      counts.downloadsCompleted)
    writeClients(counts)
  }

  private mutating func writeAnswers(_ counts: FrontCounts) {
    let samples = AnswerMark.Kind.allCases.flatMap { kind in
      (0..<FrontCounts.statusClasses).map { status -> PrometheusText.Sample in
        let count = counts.answers[FrontCounts.place(kind, status: status * 100)]
        return ([("kind", "\(kind)"), ("status", status == 0 ? "none" : "\(status)xx")], Double(count))
      }
    }
    text.family(
      "seedbank_requests_total", .counter, "Responses, by kind and class of status.",
      samples.filter { $0.value > 0 })
  }

  private mutating func writeDownloads(_ name: String, _ help: String, _ counts: [Int: Int]) {
    text.family(
      name, .counter, help,
      counts.sorted { $0.key < $1.key }.map { ([("series", seriesName($0.key))], Double($0.value)) })
  }

  private mutating func writeClients(_ counts: FrontCounts) {
    let samples = counts.clients.sorted { $0.key < $1.key }.compactMap {
      label, count -> PrometheusText.Sample? in
      let parts = agentName(label).split(separator: ";").map(String.init)
      return parts.count == 2 ? ([("dataset", parts[0]), ("model", parts[1])], Double(count)) : nil
    }
    text.family(
      "seedbank_client_requests_total", .counter, "Requests of the client library, by model.", samples)
  }

  mutating func write(_ load: HTTPLoad) {
    text.family("seedbank_connections", .gauge, "Open connections.", [([], Double(load.connections))])
    text.family(
      "seedbank_requests_in_flight", .gauge, "Requests that are being answered, including this one.",
      [([], Double(load.answering))])
    text.family(
      "seedbank_full_seconds_total", .counter,
      "Seconds in which all connections were taken, and new ones waited.",
      [([], load.fullSeconds)])
    text.family(
      "seedbank_refused_connections_total", .counter,
      "Connections that were not taken, or ended before their request was answered, by reason.",
      ConnectionRefusal.allCases.map { ([("reason", $0.rawValue)], Double(load.refused[$0] ?? 0)) })
  }

  /// Uses the metric names of Prometheus' client libraries.
  mutating func writeProcess(start: Double?) {
    text.family(
      "seedbank_build_info", .gauge, "1, with the version of the program.",
      [([("version", Release.version)], 1)])
    guard let use = ProcessUse() else { return }
    let families: [(String, PrometheusText.Kind, String, Double?)] = [
      ("process_cpu_seconds_total", .counter, "Processor time, by user and system.", use.cpuSeconds),
      ("process_resident_memory_bytes", .gauge, "Memory in use.", use.residentBytes),
      ("process_virtual_memory_bytes", .gauge, "Address space in use.", use.virtualBytes),
      ("process_open_fds", .gauge, "Open files and connections.", use.openFiles),
      ("process_max_fds", .gauge, "How many of them the process may have.", use.mostFiles),
      ("process_start_time_seconds", .gauge, "When the process began.", start),
    ]
    for (name, kind, help, value) in families {
      if let value { text.family(name, kind, help, [([], value)]) }
    }
  }
}
