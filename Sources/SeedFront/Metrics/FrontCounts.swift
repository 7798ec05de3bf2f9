import SeedFormat
import SeedHTTP
import SeedSystem

/// A response's kind and series, carried by its measurement because cached responses bypass the router.
struct AnswerMark: Hashable, Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    /// Rejected by the server before routing.
    case refused
    case page, health, metrics, openapi, timestamp, metadata, delta, snapshot, overview, redirect, changes
    case unknown
  }

  let kind: Kind
  let series: SeedSeries?
  /// Whether each client makes this request, so that no status of the response counts as an error.
  let isRoutine: Bool

  init(_ kind: Kind, series: SeedSeries? = nil, isRoutine: Bool = false) {
    (self.kind, self.series, self.isRoutine) = (kind, series, isRoutine)
  }
}

struct FrontCounts: Sendable {
  static let latencyBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
  /// None, and 1xx to 5xx.
  static let statusClasses = 6

  private static let kinds = AnswerMark.Kind.allCases.count

  private(set) var answers = [Int](repeating: 0, count: kinds * statusClasses)
  private(set) var bytes = [Int64](repeating: 0, count: kinds)
  /// By kind, not cumulative; the last bucket has no bound.
  private(set) var latency = [[Int]](
    repeating: [Int](repeating: 0, count: latencyBounds.count + 1), count: kinds)
  private(set) var latencySeconds = [Double](repeating: 0, count: kinds)
  /// Snapshots sent to the end.
  private(set) var downloads: [SeedSeries: Int] = [:]
  private(set) var clients: [ClientModel: Int] = [:]
  /// The client library's requests for the timestamp.
  private(set) var looks: [ClientModel: Int] = [:]

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
    // Counts a download in parts, sliced by a cache or resumed, once.
    if mark.kind == .snapshot, let series = mark.series, measurement.bodyBytes > 0, measurement.isLastPart,
      measurement.isComplete
    {
      downloads[series, default: 0] += 1
    }
    if let client = measurement.agent as? ClientModel {
      clients[client, default: 0] += 1
      if mark.kind == .timestamp { looks[client, default: 0] += 1 }
    }
  }
}
