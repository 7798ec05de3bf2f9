import SeedFormat
import SeedSystem
import SeedTrust

extension FrontMetrics {
  /// Call this about once a second.
  func noteLooks(at now: UTCTime) {
    lookRate.withLock { $0.note(total.looks, at: now.secondsSinceEpoch) }
  }

  /// The client library's timestamp requests per second, by model. Empty if a proxy may have answered others.
  var looksPerSecond: [ClientModel: Double] {
    guard !hidesLooks.withLock(\.self) else { return [:] }
    return lookRate.withLock(\.perSecond).reduce(into: [:]) { rates, one in
      if let model = ClientModel(label: agentNames.name(at: one.key)) { rates[model] = one.value }
    }
  }
}

/// A model of a dataset, as clients send it.
struct ClientModel: Hashable, Sendable {
  let dataset: String
  let model: String

  /// Parses `transit;2.1`.
  init?(label: String) {
    let parts = label.split(separator: ";").map(String.init)
    guard parts.count == 2 else { return nil }
    (dataset, model) = (parts[0], parts[1])
  }

  func isServed(by series: Series) -> Bool {
    dataset == series.dataset.text && model.split(separator: ".").first.flatMap { Int($0) } == series.major
  }
}

extension MetricsPage {
  mutating func writeCrowd(_ rates: [ClientModel: Double], _ view: CatalogView, now: Int) {
    let series = view.catalog?.allSeries ?? []
    text.family(
      "seedbank_estimated_clients", .gauge,
      "Clients of the library, by how often they looked here and how often they are asked to; absent behind proxies.",
      rates.sorted { ($0.key.dataset, $0.key.model) < ($1.key.dataset, $1.key.model) }.compactMap {
        model, rate in
        series.first { model.isServed(by: $0.series) }.map {
          (
            [("dataset", model.dataset), ("model", model.model)],
            (rate * Double($0.state.pollSeconds)).rounded()
          )
        }
      })
    text.family(
      "seedbank_looks_per_version", .gauge,
      "Looks of one client for each new version, at the published pace.",
      series.compactMap { metadata in
        view.facts[metadata.series].flatMap {
          VersionRhythm($0, pollSeconds: metadata.state.pollSeconds, now: UTCTime(secondsSinceEpoch: now))
        }.map { ([("series", metadata.series.description)], $0.looksPerVersion) }
      })
  }
}
