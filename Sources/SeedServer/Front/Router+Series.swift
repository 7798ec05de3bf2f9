import SeedFormat
import SeedHTTP
import SeedTrust

// The datasets' descriptions, snapshots and changes, for clients that do not read the signed metadata.
extension Router {
  func overview(in catalog: PublishedCatalog) -> HTTPResponse {
    HTTPResponse(catalog.overview, MediaType.json, caching: CacheRule.current)
  }

  func description(_ name: String, in catalog: PublishedCatalog) throws(Problem) -> HTTPResponse {
    let dataset = try catalog.dataset(name)
    guard let description = catalog.descriptions[dataset] else { throw .notFound }
    return HTTPResponse(description, MediaType.json, caching: CacheRule.current)
  }

  func snapshot(
    _ name: String, _ request: HTTPRequest, in catalog: PublishedCatalog
  ) throws(Problem) -> HTTPResponse {
    let dataset = try catalog.dataset(name)
    let parameters = try Parameters(request, known: ["model", "encoding"])
    let model = try ServedModel(parameters.model(), of: dataset, in: catalog)
    let object = try model.snapshot(encoding: parameters["encoding"])
    var headers: HTTPHeaders = [
      "Location": "/\(object.filePath)", "Cache-Control": CacheRule.current,
      "Seedbank-Version": object.version.description, "Seedbank-Epoch": model.state.epoch.text,
      "Seedbank-SHA256": object.sha256.hex, "Seedbank-Length": "\(object.length)",
      "Seedbank-Raw-Length": "\(object.rawLength)",
    ]
    headers.append(contentsOf: model.lifecycleHeaders)
    return HTTPResponse(status: 307, headers: headers)
  }

  func changes(
    _ name: String, _ request: HTTPRequest, in catalog: PublishedCatalog
  ) throws(Problem) -> HTTPResponse {
    let dataset = try catalog.dataset(name)
    let parameters = try Parameters(request, known: ["model", "since", "epoch"])
    let (version, since, epoch) = try (parameters.model(), parameters.since(), parameters.epoch())
    let model = try ServedModel(version, of: dataset, in: catalog)
    // Versions of another epoch have the same numbers, and nothing else in common with these.
    guard epoch == nil || epoch == model.state.epoch else { throw .versionGone(since, model) }
    let page = try page(since, of: model, in: catalog.directory)
    var response = page.response(gzip: request.prefersGzip)
    response.headers.append("Seedbank-Epoch", model.state.epoch.text)
    response.headers.append(contentsOf: model.lifecycleHeaders)
    if page.hasMore {
      let next = FrontPath.changes(
        dataset, model.version, since: page.to.description, epoch: model.state.epoch.text)
      response.headers.append("Link", "<\(next)>; rel=\"next\"")
    }
    response.mark =
      AnswerMark(
        .changes, series: metrics.place(of: model.series.series),
        versionsBehind: model.state.head.number - since.number
      ).number
    return response
  }

  private func page(
    _ since: Version, of model: ServedModel, in directory: PublicationDirectory
  ) throws(Problem) -> ChangesPage {
    let head = model.state.head
    guard since <= head else { throw .versionAhead(since, model) }
    guard since >= model.state.floor,
      let chain = DeltaChain.shortest(model.series.objects, from: since, to: head)
    else { throw .versionGone(since, model) }
    do {
      return try ChangesPage(model.series, since: since, chain, upTo: pageBytes) { try directory.stored($0) }
    } catch {
      log("The changes of \(model.series.series) since \(since) cannot be served: \(error)")
      throw .damaged
    }
  }
}

extension PublishedCatalog {
  fileprivate func dataset(_ name: String) throws(Problem) -> DatasetName {
    guard let dataset = try? DatasetName(name), datasets[dataset] != nil else {
      throw .unknownDataset(name, known: datasets.keys.sorted())
    }
    return dataset
  }
}
