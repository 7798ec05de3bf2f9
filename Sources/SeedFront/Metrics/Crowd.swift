import SeedFormat
import SeedSystem
import SeedTrust

extension FrontMetrics {
  func noteLooks(at now: UTCTime) {
    lookRate.withLock { $0.note(total.looks, at: now.secondsSinceEpoch) }
  }

  /// The client library's timestamp requests per second, by model. Empty if a proxy may have answered others.
  var looksPerSecond: [ClientModel: Double] {
    hidesLooks.withLock(\.self) ? [:] : lookRate.withLock(\.perSecond)
  }
}

struct ClientModel: Hashable, Comparable, Sendable {
  let dataset: String
  let model: String

  var labels: [(name: String, value: String)] { [("dataset", dataset), ("model", model)] }

  static func < (one: Self, other: Self) -> Bool {
    (one.dataset, one.model) < (other.dataset, other.model)
  }

  func isServed(by series: SeedSeries) -> Bool {
    dataset == series.dataset.text && model.split(separator: ".").first.flatMap { Int($0) } == series.major
  }
}

extension MetricsPage {
  mutating func writeCrowd(_ rates: [ClientModel: Double], _ view: CatalogView) {
    let series = view.catalog?.allSeries ?? []
    text.family(
      "seedbank_estimated_clients", .gauge,
      "Clients of the library, by how often they looked here and how often they are asked to; absent behind proxies.",
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

/// The polling rate of clients, computed from samples of counters. Pure.
struct LookRate<Client: Hashable & Sendable>: Sendable {
  private struct Sample {
    let second: Int
    let looks: [Client: Int]
  }

  /// Oldest first.
  private var samples: [Sample] = []

  private static var apartSeconds: Int { 30 }
  /// Fifteen minutes of samples.
  private static var mostSamples: Int { 31 }

  mutating func note(_ looks: @autoclosure () -> [Client: Int], at second: Int) {
    if let newest = samples.last {
      // After the clock was set back, the age of earlier samples is unknown.
      if second < newest.second { samples = [] } else if second < newest.second + Self.apartSeconds { return }
    }
    samples.append(Sample(second: second, looks: looks()))
    samples.removeFirst(max(0, samples.count - Self.mostSamples))
  }

  var perSecond: [Client: Double] {
    guard let first = samples.first, let last = samples.last, last.second > first.second else { return [:] }
    let seconds = Double(last.second - first.second)
    return last.looks.reduce(into: [:]) { rates, one in
      let looks: Int = one.value - first.looks[one.key, default: 0]
      if looks > 0 { rates[one.key] = Double(looks) / seconds }
    }
  }
}
