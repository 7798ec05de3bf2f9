import SeedFormat
package import SeedHTTP
import SeedSystem
import SeedTrust

/// From a request and a catalog to the answer. Sockets never come in here, and of the disk only objects do
/// that the catalog names.
package struct Router: Sendable {
  let pages: StaticPages
  let log: OperatorLog
  let metrics: FrontMetrics
  /// How the server stands.
  let standing: @Sendable () -> FrontStanding
  /// The time by which signatures have expired or not.
  let now: @Sendable () -> UTCTime
  let cache = ChangesCache()
  /// Raw bytes of deltas in one answer of `changes`.
  let pageBytes: Int

  /// A router that serves `pages` beside the publication and tells `log` what is wrong behind the answers.
  init(
    pages: StaticPages = StaticPages(), pageBytes: Int = Limits.changesPageBytes,
    log: OperatorLog = OperatorLog { _ in }, metrics: FrontMetrics = FrontMetrics(),
    now: @escaping @Sendable () -> UTCTime = { UTCTime.now() },
    standing: @escaping @Sendable () -> FrontStanding = { FrontStanding() }
  ) {
    self.now = now
    self.metrics = metrics
    self.standing = standing
    self.pages = pages
    self.pageBytes = pageBytes
    self.log = log
  }

  /// The answer. For HEAD it is GET's, of which the server sends no body.
  package func respond(to request: HTTPRequest, in view: CatalogView) -> HTTPResponse {
    let route = Route(request.path)
    var response: HTTPResponse
    do throws(Problem) {
      response = try answer(route, to: request, view)
      let mark = response.mark
      response = response.selected(for: request)
      response.mark = mark
    } catch {
      response = HTTPResponse(error)
      response.mark = AnswerMark(route.kind, refusal: error.type).number
    }
    if response.mark == 0 { response.mark = AnswerMark(route.kind).number }
    return Self.dressed(response, for: request)
  }

  /// The answer with the fields that all answers have, whoever makes them.
  static func dressed(_ response: HTTPResponse, for request: HTTPRequest) -> HTTPResponse {
    var response = response
    if response.status >= 400, response.headers["Content-Type"] == Problem.mediaType {
      response.headers.append("Seedbank-Request", request.idText)
    }
    response.headers.append("Access-Control-Allow-Origin", "*")
    response.headers.append("Access-Control-Expose-Headers", Self.exposedHeaders)
    return response
  }

  private static let openAPI = ServedDocument(OpenAPIDocument.json)

  /// What a script on another site may read beyond the few headers that every script may.
  private static let exposedHeaders = [
    "Accept-Ranges", "Allow", "Content-Length", "Content-Range", "Deprecation", "ETag", "Link", "Location",
    "Repr-Digest", "Retry-After", "Seedbank-Epoch", "Seedbank-Length", "Seedbank-Raw-Length",
    "Seedbank-Request", "Seedbank-SHA256", "Seedbank-Version",
    "Sunset",
  ].joined(separator: ", ")

  private func answer(
    _ route: Route, to request: HTTPRequest, _ view: CatalogView
  ) throws(Problem) -> HTTPResponse {
    switch request.method {
    case .get, .head: try answer(route, request, view)
    case .options: .options
    case .other: throw .methodNotAllowed
    }
  }

  private func answer(
    _ route: Route, _ request: HTTPRequest, _ view: CatalogView
  ) throws(Problem) -> HTTPResponse {
    switch route {
    case .live: return .health(["live": true], status: 200)
    case .ready: return ready(view)
    case .metrics: return counts(view)
    default:
      var response = try published(route, request, view)
      // Of the request nothing but its target was looked at, and of the rest nothing but the catalog.
      response.isReusable = true
      return response
    }
  }

  private func published(
    _ route: Route, _ request: HTTPRequest, _ view: CatalogView
  ) throws(Problem) -> HTTPResponse {
    switch route {
    case .live, .ready, .metrics: throw .notFound
    case .openapi: HTTPResponse(Self.openAPI, MediaType.json, caching: CacheRule.page)
    case .page(let path): try page(path)
    case .metadata(let name): try metadata(name, in: Self.catalog(view))
    case .object(let path): try object(path, in: Self.catalog(view))
    case .overview: try overview(request, in: Self.catalog(view))
    case .dataset(let name): try description(name, request, in: Self.catalog(view))
    case .snapshot(let name): try snapshot(name, request, in: Self.catalog(view))
    case .changes(let name): try changes(name, request, in: Self.catalog(view))
    }
  }

  private static func catalog(_ view: CatalogView) throws(Problem) -> PublishedCatalog {
    guard let catalog = view.catalog else { throw .notReady }
    return catalog
  }

  /// The dataset that a path names.
  static func dataset(_ name: String, in catalog: PublishedCatalog) throws(Problem) -> DatasetName {
    guard let dataset = try? DatasetName(name), catalog.datasets[dataset] != nil else {
      throw .unknownDataset(name, known: catalog.datasets.keys.sorted())
    }
    return dataset
  }
}

extension HTTPResponse {
  /// A document from memory.
  init(_ document: ServedDocument, _ mediaType: String, caching rule: String) {
    self.init(
      status: 200, headers: ["Content-Type": mediaType, "Cache-Control": rule, "ETag": document.tag],
      body: .bytes(document.bytes))
  }

  /// What a browser asks before it lets a script of another site go on.
  static var options: HTTPResponse {
    HTTPResponse(
      status: 204,
      headers: [
        "Allow": HTTPMethod.allowed, "Access-Control-Allow-Methods": HTTPMethod.allowed,
        "Access-Control-Allow-Headers":
          "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range",
        "Access-Control-Max-Age": "86400",
      ])
  }

  /// A small JSON answer that nobody keeps.
  static func health(_ json: JSONValue, status: Int) -> HTTPResponse {
    var headers: HTTPHeaders = ["Content-Type": MediaType.json, "Cache-Control": CacheRule.never]
    if status == 503 { headers.append("Retry-After", CacheRule.retryAfterSeconds) }
    return HTTPResponse(status: status, headers: headers, body: .bytes(json.bytes + [UInt8(ascii: "\n")]))
  }
}

/// The media types of what the front makes itself.
enum MediaType {
  static let json = "application/json"
}
