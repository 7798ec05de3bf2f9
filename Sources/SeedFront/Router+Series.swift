import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSystem
import SeedTrust

// Datasets' descriptions, snapshots and changes, for clients that do not read signed metadata.
extension Router {
  func description(_ name: String, in catalog: PublishedCatalog) throws(Problem) -> HTTPResponse {
    let dataset = try catalog.dataset(name)
    guard let description = catalog.descriptions[dataset] else { throw .notFound }
    return HTTPResponse(description, MediaType.json, caching: CacheRule.current)
  }

  func snapshot(
    _ name: String, _ parameters: Parameters, in view: CatalogView
  ) throws(Problem) -> HTTPResponse {
    let catalog = try view.published()
    let dataset = try catalog.dataset(name)
    let model = try ServedModel(parameters.model(), of: dataset, in: catalog)
    let object = try model.snapshot(encoding: parameters["encoding"], of: view.servedSnapshots(model.series))
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
    _ name: String, _ parameters: Parameters, _ request: HTTPRequest, in catalog: PublishedCatalog,
    following follow: FollowProgress?
  ) throws(Problem) -> HTTPResponse {
    let dataset = try catalog.dataset(name)
    let (version, since, epoch) = try (parameters.model(), parameters.since(), parameters.epoch())
    let model = try ServedModel(version, of: dataset, in: catalog)
    let end = try parameters.end()
    try model.check(epoch, since, end, following: follow)
    let chain = try model.chain(since, end)
    let page: ChangesPage
    do {
      page = try ChangesPage(model.series, since: since, chain, upTo: pageBytes) {
        try deltas.delta($0, read: catalog.directory.stored)
      }
    } catch {
      if (error as? FileError)?.isExhausted == true { throw .tooManyFiles }
      guard catalog.directory.exists else { throw .away }
      // Omits the client's version, so that the log gets one line for each file.
      log("The changes of \(model.series.series) cannot be served: \(error)")
      throw .damaged
    }
    var response = page.response(gzip: request.prefersGzip)
    response.headers.append("Seedbank-Epoch", model.state.epoch.text)
    response.headers.append(contentsOf: model.lifecycleHeaders)
    if page.hasMore {
      let next = FrontPath.changes(
        dataset, model.version, since: page.to.description, to: end, epoch: model.state.epoch.text)
      response.headers.append("Link", "<\(next)>; rel=\"next\"")
    }
    return response
  }

  /// Unsigned facts, for people and monitors. Includes retired series.
  func facts(
    _ name: String, _ parameters: Parameters, in catalog: PublishedCatalog, _ facts: [SeedSeries: SeriesFacts]
  ) throws(Problem) -> HTTPResponse {
    let dataset = try catalog.dataset(name)
    let model = try ServedModel(parameters.model(), of: dataset, in: catalog, evenRetired: true)
    guard let found = facts[model.series.series] else { throw .noFacts(model.series.series) }
    return HTTPResponse(ServedDocument(found.json), MediaType.json, caching: CacheRule.current)
  }
}

extension ServedModel {
  /// Rejects a client whose data may belong to another history.
  fileprivate func check(
    _ epoch: Epoch?, _ since: SeedVersion, _ end: SeedVersion?, following follow: FollowProgress?
  ) throws(Problem) {
    guard let epoch else { return }
    // Another epoch uses the same version numbers for unrelated content.
    guard epoch == state.epoch else {
      throw follow?.mayBeNewer(epoch) == true ? .epochAhead(since, self) : .otherEpoch(since, self)
    }
    // Skips this check if the request has no epoch, because a client with a different history would wait forever.
    // Also skips it below the floor, because that client needs the snapshot anyway.
    let wanted = max(since, end ?? since)
    if follow != nil, since >= state.floor, isBehind(wanted) { throw .copyBehind(wanted, since, self) }
  }

  fileprivate func chain(_ since: SeedVersion, _ end: SeedVersion?) throws(Problem) -> [PublishedObject] {
    let (head, objects) = (state.head, series.objects.filter { $0.encoding == .gzip })
    guard since <= head else { throw .versionAhead(since, self) }
    guard since >= state.floor else { throw .versionGone(since, self) }
    if let end, end < since { throw .endBefore(end, since: since) }
    if let end, end > head { throw .endAhead(end, since: since, self) }
    if let chain = DeltaChain.shortest(objects, from: since, to: end ?? head) { return chain }
    guard let end, DeltaChain.shortest(objects, from: since, to: head) != nil else {
      throw .versionGone(since, self)
    }
    throw .noDelta(from: since, to: end, self)
  }

  /// Whether another front may already have that version.
  private func isBehind(_ version: SeedVersion) -> Bool {
    version > state.head && version.number <= state.head.number + FrontLimits.versionsAhead
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
