import SeedSystem

struct ClientCounts: Hashable, Sendable {
  /// The requests of apps built for one model.
  struct Requests: Hashable, Sendable {
    let dataset: String
    let model: String
    let count: Int
    /// Recent timestamp requests per second, if known.
    var looksPerSecond: Double?

    /// `nil` if the model is not a version.
    var major: Int? { model.split(separator: ".").first.flatMap { Int($0) } }
  }

  let requests: [Requests]
  let since: UTCTime
  /// Whether proxies may answer requests before they reach this front.
  var hidesLooks = false
}
