import SeedFormat
import SeedHTTP
import SeedTrust

// The changes since a version, for clients that do not read the signed metadata.
extension Router {
  func changes(
    _ name: String, _ request: HTTPRequest, in catalog: PublishedCatalog
  ) throws(Problem) -> HTTPResponse {
    let dataset = try Self.dataset(name, in: catalog)
    let parameters = try Parameters(request, known: ["model", "since", "epoch"])
    let model = try parameters.model()
    let since = try parameters.since()
    let epoch = try parameters.epoch()
    let query = try ModelQuery(model, of: dataset, in: catalog)
    // Of another history: its versions have the numbers of these, and nothing else in common with them.
    guard epoch == nil || epoch == query.series.state.epoch else { throw .versionGone(since, query) }
    var response = response(
      try page(since, of: query, in: catalog), to: query, gzip: request.prefersGzip)
    response.mark =
      AnswerMark(
        .changes, series: metrics.place(of: query.series.series),
        versionsBehind: query.series.state.head.number - since.number
      ).number
    return response
  }

  private func page(
    _ since: Version, of query: ModelQuery, in catalog: PublishedCatalog
  ) throws(Problem) -> ChangesPage {
    let state = query.series.state
    guard since <= state.head else { throw .versionAhead(since, query) }
    guard since >= state.floor else { throw .versionGone(since, query) }
    let key = ChangesKey(series: query.series.series, epoch: state.epoch, since: since, head: state.head)
    if let known = cache[key] { return known }
    guard let chain = DeltaChain.shortest(query.series.objects, from: since, to: state.head) else {
      throw .versionGone(since, query)
    }
    let page = try makePage(key, chain, in: catalog.directory)
    cache.keep(page, as: key)
    return page
  }

  private func makePage(
    _ key: ChangesKey, _ chain: [PublishedObject], in directory: PublicationDirectory
  ) throws(Problem) -> ChangesPage {
    do {
      return try ChangesPage(key, chain, upTo: pageBytes) { try directory.stored($0) }
    } catch {
      log("The changes of \(key.series) since \(key.since) cannot be served: \(error)")
      throw .damaged
    }
  }

  private func response(_ page: ChangesPage, to query: ModelQuery, gzip: Bool) -> HTTPResponse {
    var response = page.response(gzip: gzip)
    response.headers.append("Seedbank-Epoch", query.series.state.epoch.text)
    response.headers.append(contentsOf: query.lifecycleHeaders)
    if page.hasMore {
      let next = FrontPath.changes(
        query.series.series.dataset, query.model, since: page.to.description,
        epoch: query.series.state.epoch.text)
      response.headers.append("Link", "<\(next)>; rel=\"next\"")
    }
    return response
  }
}
