import SeedSystem

/// What the client library's users have asked this front for.
struct ClientCounts: Hashable, Sendable {
  /// The requests of apps that were built for one model.
  struct Requests: Hashable, Sendable {
    let dataset: String
    let model: String
    let count: Int
    /// Looks per second lately, where they can be told.
    var looksPerSecond: Double?

    /// `nil` where the model is no version.
    var major: Int? { model.split(separator: ".").first.flatMap { Int($0) } }
  }

  let requests: [Requests]
  /// When the counting began.
  let since: UTCTime
  /// Whether proxies in front may have answered others.
  var hidesLooks = false
}
