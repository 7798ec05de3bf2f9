import SeedFormat
import SeedHTTP
import SeedSystem
import SeedTrust

// Files that a static host could serve as well: the publication's and the web page's.
extension Router {
  func metadata(_ name: String, in catalog: PublishedCatalog) throws(Problem) -> HTTPResponse {
    guard let file = catalog.metadata[name] else { throw .notFound }
    let isVersioned = name.first?.isNumber == true
    return HTTPResponse(
      file, MediaType.json, caching: isVersioned ? CacheRule.versionedMetadata : CacheRule.current)
  }

  func object(_ path: String, in catalog: PublishedCatalog) throws(Problem) -> HTTPResponse {
    guard let entry = catalog.objects[path] else { throw .notFound }
    var response = HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": entry.mediaType, "Cache-Control": CacheRule.object, "ETag": entry.tag,
        "Last-Modified": entry.lastModified, "Repr-Digest": entry.digest, "Accept-Ranges": "bytes",
      ],
      body: .file(try open(entry.object, in: catalog)))
    let kind: AnswerMark.Kind = if case .snapshot = entry.object.kind { .snapshot } else { .delta }
    response.mark = AnswerMark(kind, series: metrics.place(of: entry.object.series)).number
    return response
  }

  /// Opened for each response: to keep every object open would take a descriptor each.
  private func open(_ object: PublishedObject, in catalog: PublishedCatalog) throws(Problem) -> OpenFile {
    let path = catalog.directory.file(object)
    do throws(FileError) {
      let file = try OpenFile(path: path)
      if file.length == Int64(object.length) { return file }
    } catch { throw problem(error, catalog.objects.isRetired(object.filePath)) }
    log("An object cannot be served: \(path) does not have the length that the signed metadata gives it")
    throw .damaged
  }

  private func problem(_ error: FileError, _ isRetired: Bool) -> Problem {
    if error.isExhausted { return .tooManyFiles }
    // The publisher's grace period may be shorter than this front's.
    if error.isMissing, isRetired { return .notFound }
    log("An object cannot be served: \(error)")
    return .damaged
  }

  func page(_ path: String) throws(Problem) -> HTTPResponse {
    guard let page = pages[path] else { throw path == "/" ? .noPage : .notFound }
    var response = HTTPResponse(page.document, page.mediaType, caching: CacheRule.page)
    response.headers.append("Content-Security-Policy", StaticPages.securityPolicy)
    return response
  }
}
