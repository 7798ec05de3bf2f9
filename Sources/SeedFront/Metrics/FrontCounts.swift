import SeedFormat
import SeedHTTP
import SeedSystem

/// A response's kind and result, carried by its measurement because cached responses bypass the router.
struct AnswerMark: Hashable, Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    /// Rejected by the server before routing.
    case refused
    case page, health, metrics, openapi, timestamp, metadata, delta, snapshot, overview, redirect, changes
    case unknown
  }

  // Ordered by size, so that an existential holds the value without an allocation.
  /// The series' number in the register; 0 for none.
  let series: Int
  /// The distance between the client of `changes` and the head; nil for other kinds.
  let versionsBehind: Int?
  let kind: Kind
  let refusal: ProblemType?

  init(_ kind: Kind, series: Int = 0, versionsBehind: Int? = nil, refusal: ProblemType? = nil) {
    (self.kind, self.series, self.versionsBehind, self.refusal) = (kind, series, versionsBehind, refusal)
  }
}

struct FrontCounts: Sendable {
  static let latencyBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
  static let behindBounds = [0, 1, 4, 16, 64, 256, 1024]
  /// None, and 1xx to 5xx.
  static let statusClasses = 6

  static let changesResults = ["current", "deltas"] + ProblemType.allCases.map(\.rawValue)

  private static let kinds = AnswerMark.Kind.allCases.count

  private(set) var answers = [Int](repeating: 0, count: kinds * statusClasses)
  private(set) var bytes = [Int64](repeating: 0, count: kinds)
  /// By kind, not cumulative; the last bucket has no bound.
  private(set) var latency = [[Int]](
    repeating: [Int](repeating: 0, count: latencyBounds.count + 1), count: kinds)
  private(set) var latencySeconds = [Double](repeating: 0, count: kinds)
  private(set) var behind = [Int](repeating: 0, count: behindBounds.count + 1)
  private(set) var behindSum = 0
  private(set) var changes = [Int](repeating: 0, count: changesResults.count)
  /// Snapshots whose first byte was requested, and those sent to the end, by the series' number in the register.
  private(set) var downloadsStarted: [Int: Int] = [:]
  private(set) var downloadsCompleted: [Int: Int] = [:]
  private(set) var clients: [Int: Int] = [:]
  /// The client library's requests for the timestamp, by the same labels.
  private(set) var looks: [Int: Int] = [:]

  static func place(_ kind: AnswerMark.Kind, status: Int) -> Int {
    // A version that is not supported is the client's error.
    kind.rawValue * statusClasses + (status == 505 ? 4 : min(status / 100, statusClasses - 1))
  }

  mutating func count(_ measurement: HTTPMeasurement) {
    let mark = measurement.mark as? AnswerMark ?? AnswerMark(.refused)
    answers[Self.place(mark.kind, status: measurement.status)] += 1
    bytes[mark.kind.rawValue] += measurement.sentBytes
    let seconds = Double(measurement.nanoseconds) / 1e9
    let bucket = Self.latencyBounds.firstIndex { seconds <= $0 } ?? Self.latencyBounds.count
    latency[mark.kind.rawValue][bucket] += 1
    latencySeconds[mark.kind.rawValue] += seconds
    if let versions = mark.versionsBehind {
      behind[Self.behindBounds.firstIndex { versions <= $0 } ?? Self.behindBounds.count] += 1
      behindSum += versions
    }
    if mark.kind == .changes, let place = Self.changesResult(mark) { changes[place] += 1 }
    if mark.kind == .snapshot, measurement.bodyBytes > 0 { countDownload(measurement, of: mark.series) }
    if measurement.agent > 0 {
      clients[measurement.agent, default: 0] += 1
      if mark.kind == .timestamp { looks[measurement.agent, default: 0] += 1 }
    }
  }

  /// Counts a download in parts, sliced by a cache or resumed, once: with its first and its last byte.
  private mutating func countDownload(_ measurement: HTTPMeasurement, of series: Int) {
    if measurement.isFirstPart { downloadsStarted[series, default: 0] += 1 }
    if measurement.isLastPart, measurement.isComplete { downloadsCompleted[series, default: 0] += 1 }
  }

  private static func changesResult(_ mark: AnswerMark) -> Int? {
    if let versions = mark.versionsBehind { return versions == 0 ? 0 : 1 }
    return mark.refusal.flatMap { changesResults.firstIndex(of: $0.rawValue) }
  }

  mutating func add(_ other: FrontCounts) {
    for index in answers.indices { answers[index] += other.answers[index] }
    for index in bytes.indices { bytes[index] += other.bytes[index] }
    for kind in latency.indices {
      for index in latency[kind].indices { latency[kind][index] += other.latency[kind][index] }
      latencySeconds[kind] += other.latencySeconds[kind]
    }
    for index in behind.indices { behind[index] += other.behind[index] }
    for index in changes.indices { changes[index] += other.changes[index] }
    behindSum += other.behindSum
    downloadsStarted.merge(other.downloadsStarted, uniquingKeysWith: +)
    downloadsCompleted.merge(other.downloadsCompleted, uniquingKeysWith: +)
    clients.merge(other.clients, uniquingKeysWith: +)
    looks.merge(other.looks, uniquingKeysWith: +)
  }
}
