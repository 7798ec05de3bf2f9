import SeedFormat
import SeedHTTP
import SeedSystem

struct MetricsPage {
  typealias Sample = PrometheusText.Sample

  var text = PrometheusText()

  var bytes: [UInt8] { Array(text.text.utf8) }

  mutating func write(_ counts: FrontCounts) {
    writeAnswers(counts)
    text.family(
      "seedbank_response_bytes_total", .counter, "Bytes of response bodies sent.",
      AnswerMark.Kind.allCases.map { ([("kind", "\($0)")], Double(counts.bytes[$0.rawValue])) }.filter {
        $1 > 0
      })
    text.histogram(
      "seedbank_request_seconds", "Time from the end of the request head to the last byte of the response.",
      bounds: FrontCounts.latencyBounds,
      AnswerMark.Kind.allCases.map { kind -> PrometheusText.Distribution in
        ([("kind", "\(kind)")], counts.latency[kind.rawValue], counts.latencySeconds[kind.rawValue])
      }.filter { $0.sum > 0 })
    text.family(
      "seedbank_downloads_completed_total", .counter, "Snapshot downloads that reached the last byte.",
      counts.downloads.sorted { $0.key < $1.key }.map { ([("series", $0.key.description)], Double($0.value)) }
    )
    text.family(
      "seedbank_client_requests_total", .counter, "Requests of the client library, by model.",
      counts.clients.sorted { $0.key < $1.key }.map { ($0.key.labels, Double($0.value)) })
  }

  private mutating func writeAnswers(_ counts: FrontCounts) {
    let samples = AnswerMark.Kind.allCases.flatMap { kind in
      (0..<FrontCounts.statusClasses).map { status -> Sample in
        let count = counts.answers[FrontCounts.place(kind, status: status * 100)]
        return ([("kind", "\(kind)"), ("status", status == 0 ? "none" : "\(status)xx")], Double(count))
      }
    }
    text.family(
      "seedbank_requests_total", .counter, "Responses, by kind and class of status.",
      samples.filter { $0.value > 0 })
  }

  mutating func write(_ load: HTTPLoad) {
    text.gauge("seedbank_connections", "Open connections.", Double(load.connections))
    text.gauge(
      "seedbank_requests_in_flight", "Requests that are being answered, including this one.",
      Double(load.answering))
    text.family(
      "seedbank_full_seconds_total", .counter,
      "Seconds during which all connections were in use and new clients waited.", [([], load.fullSeconds)])
    text.family(
      "seedbank_refused_connections_total", .counter,
      "Connections that were not accepted, or ended before their request was answered, by reason.",
      ConnectionRefusal.allCases.map { ([("reason", $0.rawValue)], Double(load.refused[$0] ?? 0)) })
  }

  /// Uses the metric names of Prometheus' client libraries.
  mutating func writeProcess(start: Double) {
    text.family(
      "seedbank_build_info", .gauge, "1, with the version of the program.",
      [([("version", Release.version)], 1)])
    guard let use = ProcessUse() else { return }
    let families: [(String, PrometheusText.Kind, String, Double?)] = [
      ("process_cpu_seconds_total", .counter, "Processor time, by user and system.", use.cpuSeconds),
      ("process_resident_memory_bytes", .gauge, "Memory in use.", use.residentBytes),
      ("process_open_fds", .gauge, "Open files and connections.", use.openFiles),
      ("process_max_fds", .gauge, "Maximum number of open files and connections.", use.mostFiles),
      ("process_start_time_seconds", .gauge, "When the process started.", start),
    ]
    for (name, kind, help, value) in families {
      if let value { text.family(name, kind, help, [([], value)]) }
    }
  }
}

struct ProcessUse {
  let cpuSeconds: Double
  let residentBytes: Double
  let openFiles: Double?
  let mostFiles: Double?

  private static let mostBytes = 256

  init?() {
    guard let bytes = try? File("/proc/self/statm", for: .reading).read(Self.mostBytes) else { return nil }
    let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { Double($0) ?? 0 }
    guard pages.count > 1 else { return nil }
    residentBytes = pages[1] * Double(sysconf(Int32(_SC_PAGESIZE)))
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    cpuSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    openFiles = (try? Folder.names(in: "/proc/self/fd")).map { Double($0.count) }
    var limit = rlimit()
    let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    mostFiles = isKnown ? Double(limit.rlim_cur) : nil
  }
}

/// Prometheus' text exposition format, version 0.0.4.
struct PrometheusText {
  private(set) var text = ""

  enum Kind: String { case counter, gauge, histogram }

  typealias Sample = (labels: [(name: String, value: String)], value: Double)

  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample] = []) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples { add(name, sample.labels, sample.value) }
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
    family(name, .gauge, help, value.map { [([], $0)] } ?? [])
  }

  private mutating func add(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
    }
    text += " \(Self.number(value))\n"
  }

  /// Non-cumulative counts, with one more bucket than bounds.
  typealias Distribution = (labels: [(name: String, value: String)], counts: [Int], sum: Double)

  mutating func histogram(_ name: String, _ help: String, bounds: [Double], _ samples: [Distribution]) {
    family(name, .histogram, help)
    for (labels, counts, sum) in samples {
      var total = 0
      for (bound, count) in zip(bounds.map(Self.number) + ["+Inf"], counts) {
        total += count
        add("\(name)_bucket", labels + [(name: "le", value: bound)], Double(total))
      }
      add("\(name)_sum", labels, sum)
      add("\(name)_count", labels, Double(total))
    }
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\"", with: "\\\"")
      .replacing(scalars: "\n", with: "\\n")
  }
}
