import SeedDatabase
import SeedFormat
package import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

/// Answers requests from a catalog. Uses no sockets, and reads only files named by the catalog. The server handles
/// conditions and ranges; see `HTTPResponse.selected(for:)`.
package struct Router: Sendable {
  let pages: StaticPages
  /// The index page, if its file has a place for live content.
  private let livePage: LivePage?
  let log: OperatorLog
  let metrics: FrontMetrics
  let now: @Sendable () -> UTCTime
  let pageBytes: Int
  let deltas = SharedDeltas()

  init(
    pages: StaticPages = StaticPages(), pageBytes: Int = Limits.changesPageBytes,
    log: OperatorLog = OperatorLog { _ in }, metrics: FrontMetrics = FrontMetrics(),
    now: @escaping @Sendable () -> UTCTime = { UTCTime.now() }
  ) {
    (self.pages, self.pageBytes, self.log) = (pages, pageBytes, log)
    (self.metrics, self.now) = (metrics, now)
    livePage = pages["/"].flatMap { LivePage(index: $0.document.bytes, began: now()) }
  }

  /// Returns the complete response; for HEAD, the response to GET.
  package func respond(to request: HTTPRequest, in view: CatalogView) -> HTTPResponse {
    let route = Route(request.path)
    do throws(Problem) {
      var response = try answer(route, request, view)
      if response.mark == nil { response.mark = AnswerMark(route.kind) }
      // Not reusable: a response that must not be cached, the rendered page, and a page with a query.
      let isPlain = route.parameters != nil || request.query == nil
      response.isReusable =
        isPlain && ![CacheRule.never, CacheRule.rendered].contains(response.headers["Cache-Control"])
      return response
    } catch {
      var response = HTTPResponse(error)
      response.mark = AnswerMark(route.kind)
      return response
    }
  }

  private func answer(
    _ route: Route, _ request: HTTPRequest, _ view: CatalogView
  ) throws(Problem) -> HTTPResponse {
    switch request.method {
    case .get, .head: break
    case .options: return .options
    default: throw .methodNotAllowed
    }
    let parameters = try Parameters(request, known: route.parameters)
    let response: HTTPResponse =
      switch route {
      case .live: .health(["live": true], status: 200)
      case .ready: readiness(view)
      case .metrics: counts(view)
      case .openapi: HTTPResponse(Self.openAPI, MediaType.json, caching: CacheRule.page)
      case .page(let path): try page(path, request, view)
      case .metadata(let name): try metadata(name, gzip: request.prefersGzip, in: view.published())
      case .object(let path): try object(path, in: view.published())
      case .overview:
        HTTPResponse(try view.published().overview(view.standing), MediaType.json, caching: CacheRule.current)
      case .dataset(let name): try description(name, in: view.published())
      case .snapshot(let name): try snapshot(name, parameters, in: view)
      case .changes(let name):
        try changes(name, parameters, request, in: view.published(), following: view.follow)
      case .facts(let name): try facts(name, parameters, in: view.published(), view.facts)
      }
    let isOrdered = parameters.query == request.query ?? ""
    return isOrdered ? response : .moved(to: "\(request.path)?\(parameters.query)")
  }

  /// Adds the common fields of responses, including those that the server generates.
  static func finished(_ response: HTTPResponse, for request: HTTPRequest) -> HTTPResponse {
    var response = response
    let isProblem = response.headers["Content-Type"] == Problem.mediaType
    // A cached response answers many requests, so it gets no request number.
    if isProblem, response.headers["Cache-Control"] == CacheRule.never {
      response.headers.append("Seedbank-Request", request.idText)
    }
    // RFC 9110, 15.4.5: fields that describe a body belong to responses with a body. With `If-None-Match: *`, they
    // would describe a body that the client may never have received.
    if response.status == 304 { response.headers.remove(["Seedbank-Version", "Seedbank-Epoch"]) }
    // In an operator's browser, other sites' scripts could otherwise read a front that only the operator can reach.
    if request.path == "/metrics" || request.path == "/readyz" { return response }
    response.headers.append("Access-Control-Allow-Origin", "*")
    // A wildcard is one byte; a list would be 240. If only other origins got the field, every cache would need twice
    // as many entries.
    response.headers.append("Access-Control-Expose-Headers", "*")
    return response
  }

  private static let openAPI = ServedDocument(PackageResources.openapi_json)
}

extension CatalogView {
  func published() throws(Problem) -> PublishedCatalog {
    guard let catalog else { throw .notReady }
    return catalog
  }
}

extension HTTPResponse {
  init(_ document: ServedDocument, _ mediaType: String, caching rule: String) {
    self.init(
      status: 200, headers: ["Content-Type": mediaType, "Cache-Control": rule, "ETag": document.tag],
      body: .bytes(document.bytes))
  }

  /// TUF clients request the next root at every refresh; the client library does so hourly. The response is cached no
  /// longer than `timestamp.json`, because a client with the old root rejects a timestamp that a new root's key signed.
  fileprivate static var noNewerRoot: HTTPResponse {
    var response = HTTPResponse(.noNewerRoot)
    response.headers.set("Cache-Control", to: CacheRule.current)
    response.mark = AnswerMark(.metadata, isRoutine: true)
    return response
  }

  /// A cache stores each spelling of a target separately, so one spelling is answered, and others are redirected to it.
  fileprivate static func moved(to target: String) -> HTTPResponse {
    HTTPResponse(status: 301, headers: ["Location": target, "Cache-Control": CacheRule.current])
  }

  fileprivate static var options: HTTPResponse {
    HTTPResponse(
      status: 204,
      headers: [
        "Allow": HTTPMethod.allowed, "Access-Control-Allow-Methods": HTTPMethod.allowed,
        "Access-Control-Allow-Headers":
          "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range",
        "Access-Control-Max-Age": "86400",
      ])
  }
}

enum MediaType { static let json = "application/json" }

// Files that a static host could serve too: the publication and the web page.
extension Router {
  func metadata(
    _ name: String, gzip isGzip: Bool, in catalog: PublishedCatalog
  ) throws(Problem) -> HTTPResponse {
    guard let file = catalog.metadata[name] else {
      if name == catalog.nextRoot { return .noNewerRoot }
      throw .notFound
    }
    // A client's check is one request for the timestamp, which fits into a packet even uncompressed.
    guard name.first?.isNumber == true else {
      return HTTPResponse(file, MediaType.json, caching: CacheRule.current)
    }
    var response = HTTPResponse(file, MediaType.json, caching: CacheRule.versionedMetadata)
    response.headers.append("Vary", "Accept-Encoding")
    guard isGzip, let packed = try? Compression.gzip(file.bytes) else { return response }
    response.headers.append("Content-Encoding", "gzip")
    response.headers.set("ETag", to: entityTag(file.tag, of: "gzip"))
    response.body = .bytes(packed)
    return response
  }

  func object(_ path: String, in catalog: PublishedCatalog) throws(Problem) -> HTTPResponse {
    guard let entry = catalog.objects[path] else { throw .notFound }
    var response = HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": entry.mediaType, "Cache-Control": CacheRule.object, "ETag": entry.tag,
        "Last-Modified": entry.lastModified, "Repr-Digest": entry.digest, "Accept-Ranges": "bytes",
        "Seedbank-Version": entry.object.version.description, "Seedbank-Epoch": entry.epoch.text,
      ],
      body: .file(try open(entry.object, in: catalog)))
    let kind: AnswerMark.Kind = if case .snapshot = entry.object.kind { .snapshot } else { .delta }
    response.mark = AnswerMark(kind, series: entry.object.series)
    return response
  }

  /// Opens the file for each response, because keeping all files open needs too many descriptors.
  private func open(_ object: PublishedObject, in catalog: PublishedCatalog) throws(Problem) -> OpenFile {
    let path = catalog.directory.file(object)
    do throws(FileError) {
      let file = try OpenFile(path: path)
      if file.length == Int64(object.length) { return file }
    } catch { throw problem(error, in: catalog.directory, catalog.objects.isRetired(object.filePath)) }
    log("An object cannot be served: \(path) does not have the length that the signed metadata gives it")
    throw .lost
  }

  private func problem(_ error: FileError, in directory: PublicationDirectory, _ isRetired: Bool) -> Problem {
    if error.isExhausted { return .tooManyFiles }
    // The publisher's grace period may be shorter than this front's.
    if error.isMissing, isRetired { return .notFound }
    if error.isMissing, !directory.exists { return .away }
    log("An object cannot be served: \(error)")
    return .lost
  }

  func page(_ path: String, _ request: HTTPRequest, _ view: CatalogView) throws(Problem) -> HTTPResponse {
    guard let page = pages[path] else { throw path == "/" ? .noPage : .notFound }
    let live = StaticPages.isIndex(path) ? rendered(request, view) : nil
    var response = HTTPResponse(
      live ?? page.document, page.mediaType, caching: live == nil ? CacheRule.page : CacheRule.rendered)
    response.headers.append("Content-Security-Policy", StaticPages.securityPolicy)
    response.headers.append("Referrer-Policy", "no-referrer")
    return response
  }

  private func rendered(_ request: HTTPRequest, _ view: CatalogView) -> ServedDocument? {
    let items = (try? request.queryItems) ?? [:]
    return livePage?.document(view, of: items["series"], metrics.clientCounts, now: now())
  }
}
