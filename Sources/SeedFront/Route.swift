import SeedTrust

/// The resource at a path. Paths are compared without decoding, so an escaped path is a different one.
enum Route: Hashable {
  case metadata(String)
  case object(String)
  case overview
  case dataset(String)
  case snapshot(String)
  case changes(String)
  case facts(String)
  case live, ready, metrics, openapi
  /// Possibly a file of the web page.
  case page(String)

  init(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    self =
      switch (parts.first, parts.count) {
      case ("metadata", 2): .metadata(parts[1])
      case ("targets", _): .object(String(path.dropFirst()))
      case ("v1", 1): .overview
      case ("v1", 2): .dataset(parts[1])
      case ("v1", 3) where parts[2] == "snapshot": .snapshot(parts[1])
      case ("v1", 3) where parts[2] == "changes": .changes(parts[1])
      case ("v1", 3) where parts[2] == "facts": .facts(parts[1])
      case ("livez", 1): .live
      case ("readyz", 1): .ready
      case ("metrics", 1): .metrics
      case ("openapi.json", 1): .openapi
      default: .page(path)
      }
  }

  /// The known parameters in their order; nil for pages, which ignore parameters because other sites add them to links.
  var parameters: [String]? {
    switch self {
    case .page: nil
    case .snapshot: ["model", "encoding"]
    case .changes: ["model", "since", "to", "epoch"]
    case .facts: ["model"]
    case .metadata, .object, .overview, .dataset, .live, .ready, .metrics, .openapi: []
    }
  }

  /// The kind for metrics. A response with an object gets a more specific mark.
  var kind: AnswerMark.Kind {
    switch self {
    case .metadata(MetadataName.unversioned(Timestamp.type)): .timestamp
    case .metadata: .metadata
    case .object: .unknown
    case .overview, .dataset, .facts: .overview
    case .snapshot: .redirect
    case .changes: .changes
    case .live, .ready: .health
    case .metrics: .metrics
    case .openapi: .openapi
    case .page: .page
    }
  }
}
