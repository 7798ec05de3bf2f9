import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

final class FrontMetrics: Sendable {
  private let counts = Mutex(FrontCounts())
  private let start = Double(UTCTime.now().secondsSinceEpoch)
  private let server = Mutex<@Sendable () -> HTTPLoad>({ HTTPLoad() })
  let lookRate = Mutex(LookRate<ClientModel>())
  let hidesLooks = Mutex(false)

  var load: HTTPLoad { server.withLock(\.self)() }

  /// Call this after creating the server, because the server needs the router, which needs the metrics.
  func watch(_ load: @escaping @Sendable () -> HTTPLoad, behindProxies isProxied: Bool) {
    server.withLock { $0 = load }
    hidesLooks.withLock { $0 = isProxied }
  }

  func count(_ measurement: HTTPMeasurement) { counts.withLock { $0.count(measurement) } }

  /// Returns the model in a client library's User-Agent, `Seedbank/1.0 (transit; 2.1)`. Ignores models that are not
  /// published, because invented names could fill the memory.
  static func client(
    _ agent: UnsafeBufferPointer<UInt8>, published: (_ dataset: String, _ model: String) -> Bool
  ) -> ClientModel? {
    guard agent.starts(with: "Seedbank/".utf8), let opening = agent.firstIndex(of: UInt8(ascii: "(")),
      agent.last == UInt8(ascii: ")")
    else { return nil }
    let parts = agent[opening...].dropFirst().dropLast().split(separator: UInt8(ascii: ";")).map {
      String(decoding: $0.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }
    guard parts.count >= 2 else { return nil }
    return published(parts[0], parts[1]) ? ClientModel(dataset: parts[0], model: parts[1]) : nil
  }

  var total: FrontCounts { counts.withLock(\.self) }

  func clientCounts(since began: UTCTime) -> ClientCounts {
    let rates = looksPerSecond
    let requests = total.clients.map {
      ClientCounts.Requests(client: $0, count: $1, looksPerSecond: rates[$0])
    }
    return ClientCounts(requests: requests, since: began, hidesLooks: hidesLooks.withLock(\.self))
  }

  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  func page(_ view: CatalogView) -> [UInt8] {
    var page = MetricsPage()
    page.write(total)
    page.write(load)
    page.writeProcess(start: start)
    page.writePublication(view)
    page.writeSignatures(view)
    page.writeFacts(view)
    page.writeVerification(view)
    page.writeCrowd(looksPerSecond, view)
    if let follow = view.follow?.current { page.writeFollow(follow) }
    return page.bytes
  }
}

/// A response's kind and series. Part of each measurement, because cached responses bypass the router.
struct AnswerMark: Hashable, Sendable {
  enum Kind: Int, CaseIterable, Sendable {
    /// Rejected by the server before routing.
    case refused
    case page, health, metrics, openapi, timestamp, metadata, delta, snapshot, overview, redirect, changes
    case unknown
  }

  let kind: Kind
  let series: SeedSeries?
  /// Whether every client makes the request regularly. If so, no status of its response counts as an error.
  let isRoutine: Bool

  init(_ kind: Kind, series: SeedSeries? = nil, isRoutine: Bool = false) {
    (self.kind, self.series, self.isRoutine) = (kind, series, isRoutine)
  }
}

struct FrontCounts: Sendable {
  static let latencyBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
  /// One class for responses without a status, and one each for 1xx to 5xx.
  static let statusClasses = 6

  private static let kinds = AnswerMark.Kind.allCases.count

  private(set) var answers = [Int](repeating: 0, count: kinds * statusClasses)
  private(set) var bytes = [Int64](repeating: 0, count: kinds)
  /// By kind, not cumulative; the last bucket has no bound.
  private(set) var latency = [[Int]](
    repeating: [Int](repeating: 0, count: latencyBounds.count + 1), count: kinds)
  private(set) var latencySeconds = [Double](repeating: 0, count: kinds)
  /// Downloads of snapshots that reached the last byte.
  private(set) var downloads: [SeedSeries: Int] = [:]
  private(set) var clients: [ClientModel: Int] = [:]
  /// The client library's requests for the timestamp.
  private(set) var looks: [ClientModel: Int] = [:]

  static func place(_ kind: AnswerMark.Kind, status: Int) -> Int {
    // 505, an unsupported version of HTTP, is the client's error.
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
    // Counts a download that was resumed, or sliced by a cache, only once.
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
