import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

/// The front's counters, for `/metrics`.
package final class FrontMetrics: Sendable {
  /// Threads that count at the same time mostly have a stripe each.
  private final class Stripe: Sendable { let counts = Mutex(FrontCounts()) }

  private static let stripes = 8
  private let stripes = (0..<FrontMetrics.stripes).map { _ in Stripe() }
  private let server = Mutex<@Sendable () -> HTTPLoad>({ HTTPLoad() })
  private let seriesNames = NameRegister(limit: 0xFFFF)
  private let agentNames = NameRegister(limit: 256)

  package init() {}

  var load: HTTPLoad { server.withLock(\.self)() }

  /// The metrics exist before the server, which calls their router.
  func watch(_ load: @escaping @Sendable () -> HTTPLoad) { server.withLock { $0 = load } }

  func count(_ measurement: HTTPMeasurement) {
    let stripe = stripes[Int(truncatingIfNeeded: pthread_self() >> 12) & (Self.stripes - 1)]
    stripe.counts.withLock { $0.count(measurement) }
  }

  func place(of series: Series) -> Int { seriesNames.place(of: series.description) }

  /// The label of a client library's User-Agent, `Seedbank/1.0 (transit; 2.1)`; 0 for any other. Only published
  /// models count, so that nobody can fill the register with invented names.
  func label(ofAgent agent: UnsafeBufferPointer<UInt8>, published: (String, String) -> Bool) -> Int {
    guard agent.starts(with: Self.library) else { return 0 }
    let text = String(decoding: agent, as: UTF8.self)
    guard let opening = text.firstIndex(of: "("), text.last == ")" else { return 0 }
    let parts = text[opening...].dropFirst().dropLast().split(separator: ";").map {
      String($0.drop { $0 == " " })
    }
    guard parts.count >= 2, published(parts[0], parts[1]) else { return 0 }
    return agentNames.place(of: "\(parts[0]);\(parts[1])")
  }

  private static let library = Array("Seedbank/".utf8)

  var total: FrontCounts {
    stripes.reduce(into: FrontCounts()) { total, stripe in total.add(stripe.counts.withLock { $0 }) }
  }

  /// The client library's requests, by model.
  var clientRequests: [ClientCounts.Requests] {
    total.clients.compactMap { label, count in
      let parts = agentNames.name(at: label).split(separator: ";").map(String.init)
      return parts.count == 2 ? ClientCounts.Requests(dataset: parts[0], model: parts[1], count: count) : nil
    }
  }

  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  func page(_ view: CatalogView, now: Int) -> [UInt8] {
    var page = MetricsPage(seriesName: seriesNames.name(at:), agentName: agentNames.name(at:))
    page.write(total)
    page.write(load)
    page.writePublication(view.catalog, now: now)
    page.writeSteps(view.facts)
    return page.bytes
  }
}

/// Numbers names from 1; 0 stands for every name beyond the limit.
final class NameRegister: Sendable {
  private struct State {
    var places: [String: Int] = [:]
    var names: [String] = []
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  func place(of name: String) -> Int {
    state.withLock { state in
      if let known = state.places[name] { return known }
      guard state.names.count < limit else { return 0 }
      state.names.append(name)
      state.places[name] = state.names.count
      return state.names.count
    }
  }

  func name(at place: Int) -> String {
    state.withLock { $0.names.indices.contains(place - 1) ? $0.names[place - 1] : "" }
  }
}

private struct MetricsPage {
  let seriesName: (Int) -> String
  let agentName: (Int) -> String
  var text = PrometheusText()

  var bytes: [UInt8] { Array(text.text.utf8) }

  mutating func write(_ counts: FrontCounts) {
    writeAnswers(counts)
    text.family(
      "seedbank_response_bytes_total", .counter, "Bytes of bodies that were sent completely.",
      AnswerMark.Kind.allCases.map { ([("kind", "\($0)")], Double(counts.bytes[$0.rawValue])) }.filter {
        $1 > 0
      })
    text.histogram(
      "seedbank_request_seconds", "From the request line to the last byte of the response.",
      bounds: FrontCounts.latencyBounds, counts: counts.latency, sum: counts.latencySeconds)
    text.histogram(
      "seedbank_changes_versions_behind", "Versions that clients asking for changes are behind the head.",
      bounds: FrontCounts.behindBounds.map(Double.init), counts: counts.behind, sum: Double(counts.behindSum))
    text.family(
      "seedbank_changes_total", .counter, "Responses for changes: current, deltas, or a problem's type.",
      zip(FrontCounts.changesResults, counts.changes).map { ([("result", $0)], Double($1)) }.filter { $1 > 0 }
    )
    writeDownloads("seedbank_downloads_started_total", "Snapshot downloads started.", counts.downloadsStarted)
    writeDownloads(
      "seedbank_downloads_completed_total", "Snapshot downloads completed.", counts.downloadsCompleted)
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

  /// Out of the facts, so that a publisher in another process counts too.
  mutating func writeSteps(_ facts: [Series: SeriesFacts]) {
    let samples = facts.sorted { $0.key < $1.key }.flatMap { series, facts in
      StepOutcome.allCases.compactMap { outcome -> PrometheusText.Sample? in
        facts.counts[outcome].map {
          ([("series", series.description), ("result", outcome.rawValue)], Double($0))
        }
      }
    }
    text.family(
      "seedbank_steps_total", .counter, "Publish steps that concerned the series, by result.", samples)
  }

  mutating func write(_ load: HTTPLoad) {
    text.family("seedbank_connections", .gauge, "Open connections.", [([], Double(load.connections))])
    text.family(
      "seedbank_requests_in_flight", .gauge, "Requests that are being answered, including this one.",
      [([], Double(load.answering))])
  }

  mutating func writePublication(_ catalog: PublishedCatalog?, now: Int) {
    let series = catalog?.allSeries ?? []
    writeGauge("seedbank_publication_age_seconds", "Seconds since the series was last published.", series) {
      now - $0.publishedAt.secondsSinceEpoch
    }
    writeGauge("seedbank_head_version", "The newest version.", series) { $0.head.number }
    writeGauge("seedbank_floor_version", "The oldest version from which deltas lead on.", series) {
      $0.floor.number
    }
    if let catalog {
      text.family(
        "seedbank_metadata_expires_timestamp_seconds", .gauge,
        "When a role's metadata expires, unless it is renewed.",
        catalog.signatures.map { ([("role", $0.role)], Double($0.expires.secondsSinceEpoch)) })
    }
    text.family(
      "seedbank_ready", .gauge, "1 if every series has a snapshot to start from.",
      [([], catalog?.isReady == true ? 1 : 0)])
  }

  private mutating func writeGauge(
    _ name: String, _ help: String, _ series: [SeriesMetadata], _ value: (SeriesState) -> Int
  ) {
    text.family(
      name, .gauge, help, series.map { ([("series", $0.series.description)], Double(value($0.state))) })
  }
}

/// Prometheus' text exposition format, version 0.0.4.
private struct PrometheusText {
  private(set) var text = ""

  enum Kind: String { case counter, gauge, histogram }

  typealias Sample = (labels: [(name: String, value: String)], value: Double)

  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample] = []) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples { add(name, sample.labels, sample.value) }
  }

  private mutating func add(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
    }
    text += " \(Self.number(value))\n"
  }

  /// A whole histogram; `counts` has one bucket more than there are bounds, and each counts only its own.
  mutating func histogram(_ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double) {
    family(name, .histogram, help)
    var total = 0
    for (bound, count) in zip(bounds.map(Self.number) + ["+Inf"], counts) {
      total += count
      add("\(name)_bucket", [("le", bound)], Double(total))
    }
    add("\(name)_sum", [], sum)
    add("\(name)_count", [], Double(total))
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

struct FrontCounts: Sendable {
  /// Upper bounds of the latency's buckets, in seconds.
  static let latencyBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
  static let behindBounds = [0, 1, 4, 16, 64, 256, 1024]
  /// Classes of status: none, 1xx to 5xx.
  static let statusClasses = 6

  static let changesResults = ["current", "deltas"] + ProblemType.allCases.map(\.rawValue)

  private static let kinds = AnswerMark.Kind.allCases.count

  private(set) var answers = [Int](repeating: 0, count: kinds * statusClasses)
  private(set) var bytes = [Int64](repeating: 0, count: kinds)
  /// Responses by latency, each in its own bucket; the last one has no bound.
  private(set) var latency = [Int](repeating: 0, count: latencyBounds.count + 1)
  private(set) var latencySeconds = 0.0
  private(set) var behind = [Int](repeating: 0, count: behindBounds.count + 1)
  private(set) var behindSum = 0
  private(set) var changes = [Int](repeating: 0, count: changesResults.count)
  /// Snapshots that began to be sent, and those sent to their end, by the series' place in the register.
  private(set) var downloadsStarted: [Int: Int] = [:]
  private(set) var downloadsCompleted: [Int: Int] = [:]
  private(set) var clients: [Int: Int] = [:]

  static func place(_ kind: AnswerMark.Kind, status: Int) -> Int {
    kind.rawValue * statusClasses + min(status / 100, statusClasses - 1)
  }

  mutating func count(_ measurement: HTTPMeasurement) {
    let mark = AnswerMark(number: measurement.mark)
    answers[Self.place(mark.kind, status: measurement.status)] += 1
    if measurement.isComplete { bytes[mark.kind.rawValue] += measurement.bodyBytes }
    let seconds = Double(measurement.nanoseconds) / 1e9
    latency[Self.latencyBounds.firstIndex { seconds <= $0 } ?? Self.latencyBounds.count] += 1
    latencySeconds += seconds
    if let versions = mark.versionsBehind {
      behind[Self.behindBounds.firstIndex { versions <= $0 } ?? Self.behindBounds.count] += 1
      behindSum += versions
    }
    if mark.kind == .changes, let place = Self.changesResult(mark) { changes[place] += 1 }
    if mark.kind == .snapshot, measurement.bodyBytes > 0 {
      downloadsStarted[mark.series, default: 0] += 1
      // A part that is sent to its end counts as completed: a client that resumes has the whole file then.
      if measurement.isComplete { downloadsCompleted[mark.series, default: 0] += 1 }
    }
    if measurement.agent > 0 { clients[measurement.agent, default: 0] += 1 }
  }

  private static func changesResult(_ mark: AnswerMark) -> Int? {
    if let versions = mark.versionsBehind { return versions == 0 ? 0 : 1 }
    return mark.refusal.flatMap { changesResults.firstIndex(of: $0.rawValue) }
  }

  mutating func add(_ other: FrontCounts) {
    for index in answers.indices { answers[index] += other.answers[index] }
    for index in bytes.indices { bytes[index] += other.bytes[index] }
    for index in latency.indices { latency[index] += other.latency[index] }
    for index in behind.indices { behind[index] += other.behind[index] }
    for index in changes.indices { changes[index] += other.changes[index] }
    latencySeconds += other.latencySeconds
    behindSum += other.behindSum
    downloadsStarted.merge(other.downloadsStarted, uniquingKeysWith: +)
    downloadsCompleted.merge(other.downloadsCompleted, uniquingKeysWith: +)
    clients.merge(other.clients, uniquingKeysWith: +)
  }
}
