import SeedFormat
import SeedSystem

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

  func isServed(by series: SeedSeries) -> Bool {
    dataset == series.dataset.text && model.split(separator: ".").first.flatMap { Int($0) } == series.major
  }
}

/// Requests of the client library.
struct ClientCounts: Hashable, Sendable {
  struct Requests: Hashable, Sendable {
    let client: ClientModel
    let count: Int
  }

  let requests: [Requests]
  let since: UTCTime
}
