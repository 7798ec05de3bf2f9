import SeedFormat
import SeedSystem
import SeedTrust

extension FrontMetrics {
  func noteLooks(at now: ContinuousClock.Instant) { lookRate.withLock { $0.note(total.looks, at: now) } }

  /// The client library's timestamp requests per second, by model. Empty behind proxies, which may answer clients.
  var looksPerSecond: [ClientModel: Double] {
    hidesLooks.withLock(\.self) ? [:] : lookRate.withLock(\.perSecond)
  }
}

struct ClientModel: Hashable, Comparable, Sendable {
  let dataset: String
  let model: String

  var labels: [(name: String, value: String)] { [("dataset", dataset), ("model", model)] }

  static func < (one: Self, other: Self) -> Bool { (one.dataset, one.model) < (other.dataset, other.model) }

  func isServed(by series: SeedSeries) -> Bool {
    dataset == series.dataset.text && model.split(separator: ".").first.flatMap { Int($0) } == series.major
  }
}

extension MetricsPage {
  mutating func writeCrowd(_ rates: [ClientModel: Double], _ view: CatalogView) {
    let series = view.catalog?.allSeries ?? []
    text.family(
      "seedbank_estimated_clients", .gauge,
      "Estimated number of library clients, from their requests and pollSeconds; absent behind proxies.",
      rates.sorted { $0.key < $1.key }.compactMap { model, rate in
        series.first { model.isServed(by: $0.series) }.map {
          (model.labels, (rate * Double($0.state.pollSeconds)).rounded())
        }
      })
  }
}

struct ClientCounts: Hashable, Sendable {
  struct Requests: Hashable, Sendable {
    let client: ClientModel
    let count: Int
    var looksPerSecond: Double?
  }

  let requests: [Requests]
  let since: UTCTime
  var hidesLooks = false
}

/// The polling rate of clients, computed from samples of counters.
struct LookRate<Client: Hashable & Sendable>: Sendable {
  /// Oldest first.
  private var samples: [(time: ContinuousClock.Instant, looks: [Client: Int])] = []

  private static var apart: Duration { .seconds(30) }
  /// Fifteen minutes of samples.
  private static var mostSamples: Int { 31 }

  mutating func note(_ looks: @autoclosure () -> [Client: Int], at time: ContinuousClock.Instant) {
    if let newest = samples.last, time < newest.time + Self.apart { return }
    samples.append((time, looks()))
    samples.removeFirst(max(0, samples.count - Self.mostSamples))
  }

  var perSecond: [Client: Double] {
    guard let first = samples.first, let last = samples.last, last.time > first.time else { return [:] }
    let seconds = (last.time - first.time) / .seconds(1)
    return last.looks.reduce(into: [:]) { rates, one in
      let looks: Int = one.value - first.looks[one.key, default: 0]
      if looks > 0 { rates[one.key] = Double(looks) / seconds }
    }
  }
}
