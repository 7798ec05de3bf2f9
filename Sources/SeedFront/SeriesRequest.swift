import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

struct Parameters {
  private let items: [String: String]
  /// The query with its parameters in the known order.
  let query: String

  /// Ignores the query if `known` is nil.
  init(_ request: HTTPRequest, known: [String]?) throws(Problem) {
    guard let known else {
      (items, query) = ([:], request.query ?? "")
      return
    }
    let items = try request.queryItems
    if let unknown = items.keys.sorted().first(where: { !known.contains($0) }) {
      throw .unknownParameter(unknown, known: known)
    }
    self.items = items
    query = known.compactMap { name in items[name].map { "\(name)=\($0)" } }.joined(separator: "&")
  }

  subscript(name: String) -> String? { items[name] }

  private func required<Value>(
    _ name: String, _ expected: String, _ make: (String) throws(InvalidName) -> Value
  ) throws(Problem) -> Value {
    guard let text = items[name] else { throw .badParameter(name, found: nil, expected: expected) }
    do throws(InvalidName) {
      return try make(text)
    } catch {
      throw .badParameter(name, found: text, expected: error.expected)
    }
  }

  func model() throws(Problem) -> ModelVersion {
    try required("model", "major.minor, such as 2.1", ModelVersion.init(_:))
  }

  func since() throws(Problem) -> SeedVersion {
    try required("since", "a whole number from 1", SeedVersion.init(_:))
  }

  func end() throws(Problem) -> SeedVersion? {
    self["to"] == nil ? nil : try required("to", "a whole number from 1", SeedVersion.init(_:))
  }

  func epoch() throws(Problem) -> Epoch? {
    self["epoch"] == nil ? nil : try required("epoch", "an epoch", Epoch.init(_:))
  }
}

struct ServedModel {
  let version: ModelVersion
  let series: SeriesMetadata
  var state: SeriesState { series.state }

  init(
    _ version: ModelVersion, of dataset: DatasetName, in catalog: PublishedCatalog, evenRetired: Bool = false
  ) throws(Problem) {
    let known = (catalog.datasets[dataset] ?? []).flatMap { $0.state.models.keys }.sorted()
    guard let series = catalog.series(dataset, major: version.major) else {
      throw .unknownModel(version, known: known)
    }
    if case .retired(let message) = series.state.lifecycle, !evenRetired {
      throw .modelRetired(series.series, message: message)
    }
    guard version <= series.state.model else {
      throw .modelNotYetPublished(version, newest: series.state.model)
    }
    guard series.state.models[version] != nil else { throw .unknownModel(version, known: known) }
    self.version = version
    self.series = series
  }

  /// `served`: the snapshots that this front can serve.
  func snapshot(encoding name: String?, of served: [PublishedObject]) throws(Problem) -> PublishedObject {
    guard !served.isEmpty else { throw .notReady }
    let wanted = name.map { ContentEncoding(rawValue: $0) } ?? .gzip
    guard let wanted else {
      let known = ContentEncoding.allCases.map(\.rawValue).sorted().joined(separator: ", ")
      throw .badParameter("encoding", found: name, expected: "one of \(known)")
    }
    guard let object = served.newest(wanted) else {
      let published = Set(served.map(\.encoding.rawValue)).sorted().joined(separator: ", ")
      throw .unpublishedEncoding(wanted, published: published)
    }
    return object
  }

  /// Announces the end of the series to generic clients and proxies. `Deprecation` (RFC 9745) requires a start time;
  /// the time of publication is sent. `Sunset` (RFC 8594) is the first second of the configured day.
  var lifecycleHeaders: HTTPHeaders {
    guard case .deprecated(let sunset, _) = state.lifecycle else { return [:] }
    var headers: HTTPHeaders = [
      "Deprecation": "@\(state.publishedAt.secondsSinceEpoch)",
      "Link": "</v1/\(series.series.dataset.text)>; rel=\"deprecation\"; type=\"application/json\"",
    ]
    if let sunset, let time = UTCTime(day: sunset) { headers.append("Sunset", time.httpText) }
    return headers
  }
}
