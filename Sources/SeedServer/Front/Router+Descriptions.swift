import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

// What there is, and where to take it from.
extension Router {
  func overview(_ request: HTTPRequest, in catalog: PublishedCatalog) throws(Problem) -> HTTPResponse {
    _ = try Parameters(request, known: [])
    return HTTPResponse(catalog.overview, MediaType.json, caching: CacheRule.current)
  }

  func description(
    _ name: String, _ request: HTTPRequest, in catalog: PublishedCatalog
  ) throws(Problem) -> HTTPResponse {
    let dataset = try Self.dataset(name, in: catalog)
    _ = try Parameters(request, known: [])
    guard let description = catalog.descriptions[dataset] else { throw .notFound }
    return HTTPResponse(description, MediaType.json, caching: CacheRule.current)
  }

  func snapshot(
    _ name: String, _ request: HTTPRequest, in catalog: PublishedCatalog
  ) throws(Problem) -> HTTPResponse {
    let dataset = try Self.dataset(name, in: catalog)
    let parameters = try Parameters(request, known: ["model", "encoding"])
    let query = try ModelQuery(parameters.model(), of: dataset, in: catalog)
    let object = try query.snapshot(encoding: parameters["encoding"])
    var headers: HTTPHeaders = [
      "Location": "/\(object.filePath)", "Cache-Control": CacheRule.current,
      "Seedbank-Version": object.version.description, "Seedbank-Epoch": query.series.state.epoch.text,
      "Seedbank-SHA256": object.sha256.hex, "Seedbank-Length": "\(object.length)",
      "Seedbank-Raw-Length": "\(object.rawLength)",
    ]
    headers.append(contentsOf: query.lifecycleHeaders)
    return HTTPResponse(status: 307, headers: headers)
  }

  func counts(_ view: CatalogView) -> HTTPResponse {
    let page = metrics.page(
      view.catalog, standing(), now: now().secondsSinceEpoch)
    return HTTPResponse(
      status: 200, headers: ["Content-Type": PrometheusText.mediaType, "Cache-Control": CacheRule.never],
      body: .bytes(page))
  }

  func ready(_ view: CatalogView) -> HTTPResponse {
    let series = (view.catalog?.datasets.values.flatMap { $0 } ?? []).sorted { $0.series < $1.series }
    let isEnding = standing().isEnding
    let isReady = !isEnding && !series.isEmpty && series.allSatisfy { !$0.usableSnapshots.isEmpty }
    let (signatures, now) = (view.catalog?.signatures ?? [], now())
    let detail = JSONValue.object(present: [
      "ready": .bool(isReady),
      "series": .array(series.map(\.readiness)),
      "signatures": .array(signatures.map { $0.json(at: now) }),
      "warnings": .array(signatures.warnings(at: now).map(JSONValue.string)),
      "error": isEnding ? .string(Self.ending) : view.failure.map(JSONValue.string),
    ])
    return .health(detail, status: isReady ? 200 : 503)
  }
}

extension Router {
  private static let ending = "this process is about to end"
}

extension SignatureExpiry {
  fileprivate func json(at now: UTCTime) -> JSONValue {
    [
      "role": .string(role), "expires": .string(expires.text), "state": .string(state(at: now).rawValue),
    ]
  }
}

extension SeriesMetadata {
  fileprivate var readiness: JSONValue {
    .object(present: [
      "dataset": .string(series.dataset.text), "major": .number(series.major),
      "head": .number(state.head.number),
      "snapshot": usableSnapshots.map(\.version).max().map { .number($0.number) },
    ])
  }
}

extension ModelQuery {
  /// The newest snapshot: gzip unless another encoding was asked for.
  fileprivate func snapshot(encoding name: String?) throws(Problem) -> PublishedObject {
    guard !series.usableSnapshots.isEmpty else { throw .notReady }
    let wanted = name.map { ContentEncoding(rawValue: $0) } ?? .gzip
    guard let wanted else {
      throw .badRequest("encoding", found: name, expected: "one of \(Self.knownEncodings)")
    }
    guard let object = series.newestSnapshot(wanted) else {
      throw .unpublishedEncoding(wanted, published: publishedEncodings)
    }
    return object
  }

  private static let knownEncodings =
    ContentEncoding.allCases.map(\.rawValue).sorted().joined(separator: ", ")

  private var publishedEncodings: String {
    Set(series.usableSnapshots.map(\.encoding.rawValue)).sorted().joined(separator: ", ")
  }
}
