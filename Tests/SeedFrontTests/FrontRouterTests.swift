import Foundation
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct FrontRouterTests {
  let publication: FrontPublication
  let view: CatalogView
  let router = Router()

  init() throws {
    publication = try FrontPublication.usual.get()
    view = CatalogView(try FrontPublication.usualCatalog.get())
  }

  func get(_ target: String, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
    router.answer(HTTPRequest(.get, target, headers: headers), in: view)
  }

  @Test(arguments: [
    ("/v1/water", ProblemType.unknownDataset),
    ("/v1/Transit", .unknownDataset),
    ("/v1/water/snapshot?model=2.1", .unknownDataset),
    ("/v1/water/changes?since=x", .unknownDataset),
    ("/v1/transit/snapshot?model=3.0", .unknownModel),
    ("/v1/transit/changes?model=1.0&since=100", .unknownModel),
    ("/v1/transit/snapshot?model=2.0", .unknownModel),
    ("/v1/transit/snapshot?model=2.2", .modelNotYetPublished),
    ("/v1/transit/changes?model=2.9&since=100", .modelNotYetPublished),
    ("/v1/transit/changes?model=2.1&since=99", .versionGone),
    ("/v1/transit/changes?model=2.1&since=1", .versionGone),
    ("/v1/transit/changes?model=2.1&since=105", .versionAhead),
    // Not redirected to another order of their parameters.
    ("/v1/transit/changes?since=1&model=2.1", .versionGone),
    ("/v1/transit/changes?since=x&model=2.1", .badRequest),
    ("/v1/transit/changes?model=2.1&since=0", .badRequest),
    ("/v1/transit/changes?model=2.1&since=-1", .badRequest),
    ("/v1/transit/changes?model=2.1&since=0100", .badRequest),
    ("/v1/transit/changes?model=2.1&since=1e2", .badRequest),
    ("/v1/transit/changes?model=2.1&since=99999999999999999999", .badRequest),
    ("/v1/transit/changes?model=2.1", .badRequest),
    ("/v1/transit/changes?since=100", .badRequest),
    ("/v1/transit/changes?model=2.1&since=100&epoch=x", .badRequest),
    ("/v1/transit/changes?model=2.1&since=100&since=101", .badRequest),
    ("/v1/transit/changes?model=2.1&since=100&limit=3", .badRequest),
    ("/v1/transit/snapshot?model=2", .badRequest),
    ("/v1/transit/snapshot?model=2.01", .badRequest),
    ("/v1/transit/snapshot?model=2.1&encoding=zstd", .badRequest),
    ("/v1/transit/snapshot?model=%zz", .badRequest),
    // Escapes are not decoded, and the refusal is not cached.
    ("/v1/transit/changes?model=%32.1&since=100", .badRequest),
    ("/v1/transit/changes?m%6fdel=2.1&since=100", .badRequest),
    ("/v1/transit/changes?model=2.1&since=10%30", .badRequest),
    ("/v1?x=1", .badRequest),
    ("/v1/transit?model=2.1", .badRequest),
    ("/v1/", .unknownDataset),
    ("/v1/transit/", .notFound),
    ("/v1/transit/nothing", .notFound),
    ("/", .notFound),
    ("/nothing", .notFound),
    ("/metadata/99.targets.json", .notFound),
    ("/metadata", .notFound),
    ("/targets", .notFound),
  ])
  func `a request that cannot be answered gets a stable problem type`(target: String, type: ProblemType)
    throws
  {
    let response = get(target)
    #expect(response.problem == type)
    #expect(response.status == type.status)
    #expect(response.json?["status"]?.integer == type.status)
    #expect(response.json?["title"]?.string == type.title)
    #expect(response.json?["detail"]?.string?.isEmpty == false)
    #expect(response.headers["Access-Control-Allow-Origin"] == "*")
    #expect(response.headers["Cache-Control"] == "no-store")
  }

  @Test(arguments: [
    ("/v1/transit/changes?model=2.1&since=0", "since", "a whole number from 1 to 9007199254740991"),
    ("/v1/transit/changes?model=2.1&since=99999999999999999999", "since", "from 1 to 9007199254740991"),
    (
      "/v1/transit/snapshot?model=1000.0", "model",
      "Expected major.minor, such as 2.1, from 1.0 to 999.999 without leading zeros"
    ),
    ("/v1/transit/changes?model=x&since=1", "model", ""), ("/v1/transit/changes?since=1", "model", ""),
    ("/v1?colour=red", "colour", ""), ("/v1/transit/snapshot?model=2.1&model=2.1", "model", ""),
    ("/v1/transit/snapshot?model=2.1&encoding=br", "encoding", "gzip, xz"),
  ])
  func `a bad request names its parameter and the bounds`(target: String, parameter: String, words: String) {
    let response = get(target)
    #expect(response.problem == .badRequest && response.json?["parameter"]?.string == parameter)
    #expect(words.isEmpty || response.json?["detail"]?.string?.contains(words) == true)
  }

  @Test func `the web page may have an unknown parameter but is then not kept`() throws {
    let folder = try FrontPublication.pages(["index.html": Array("<p>hello".utf8)])
    let router = Router(pages: try StaticPages(folder: folder.path))
    for (query, isReusable) in [("", true), ("?utm_source=x", false)] {
      let page = router.respond(to: HTTPRequest(.get, "/\(query)"), in: view)
      #expect(page.status == 200 && page.isReusable == isReusable)
    }
  }

  @Test(arguments: [
    ("changes", "since=100&model=2.1", "model=2.1&since=100"),
    (
      "changes", "epoch=\(FrontPublication.epoch)&to=103&since=100&model=2.1",
      "model=2.1&since=100&to=103&epoch=\(FrontPublication.epoch)"
    ),
    ("snapshot", "encoding=xz&model=2.1", "model=2.1&encoding=xz"),
  ])
  func `parameters in another order are redirected to the order that is answered`(
    resource: String, query: String, ordered: String
  ) {
    let target = "/v1/transit/\(resource)"
    let moved = get("\(target)?\(query)")
    #expect(moved.status == 301 && moved.headers["Location"] == "\(target)?\(ordered)")
    #expect(moved.headers["Cache-Control"] == CacheRule.current)
    #expect([200, 307].contains(get("\(target)?\(ordered)").status))
    #expect(router.answer(HTTPRequest(.options, "\(target)?\(query)"), in: view).status == 204)
  }

  @Test func `a 404 for the next root may be cached as long as the timestamp`() {
    let next = get("/metadata/2.root.json")
    #expect(next.status == 404 && next.problem == .notFound)
    #expect(next.headers["Cache-Control"] == get("/metadata/timestamp.json").headers["Cache-Control"])
    #expect(next.headers["Seedbank-Request"] == nil, "it answers many requests")
    for name in [
      "0.root.json", "3.root.json", "02.root.json", "2.root.json.gz", "2.targets.json", "2.ROOT.json",
    ] {
      let other = get("/metadata/\(name)")
      #expect(other.status == 404 && other.headers["Cache-Control"] == "no-store", "\(name)")
      #expect(other.headers["Seedbank-Request"] != nil)
    }
  }

  @Test func `an unknown model is rejected with the known models and the newest one`() {
    #expect(get("/v1/transit/snapshot?model=9.0").json?["models"] == ["2.1"])
    #expect(get("/v1/transit/snapshot?model=2.5").json?["newest"] == "2.1")
    #expect(get("/v1/water").json?["datasets"] == ["transit"])
  }

  @Test func `a retired series is gone permanently, except for its facts`() throws {
    let publication = try FrontPublication()
    try publication.publish(
      FrontPublication.transit, head: 105, floor: 105, [publication.snapshot(FrontPublication.transit, 105)],
      lifecycle: .retired(message: "Use 3.0."))
    let facts = [FrontPublication.transit: SeriesFacts.example(of: FrontPublication.transit)]
    let view = CatalogView(try publication.catalog(), facts: facts)
    for target in ["/v1/transit/snapshot?model=2.1", "/v1/transit/changes?model=2.1&since=104"] {
      let response = router.answer(HTTPRequest(.get, target), in: view)
      #expect(response.problem == .modelRetired)
      #expect(response.json?["detail"] == "Use 3.0.")
    }
    // The page links them.
    #expect(router.answer(HTTPRequest(.get, "/v1/transit/facts?model=2.1"), in: view).status == 200)
  }

  @Test func `a snapshot request without preference redirects to the newest in gzip`() throws {
    let response = get("/v1/transit/snapshot?model=2.1")
    let object = try publication.snapshot(FrontPublication.transit, 104)
    #expect(response.status == 307)
    for (name, value) in [
      ("Location", "/\(object.filePath)"), ("Seedbank-Version", "104"),
      ("Seedbank-SHA256", object.sha256.hex),
      ("Seedbank-Length", "\(object.length)"), ("Seedbank-Raw-Length", "\(object.rawLength)"),
      ("Cache-Control", CacheRule.current),
    ] { #expect(response.headers[name] == value, "\(name)") }
    #expect(get("/v1/transit/snapshot?model=2.1&encoding=gzip").headers == response.headers)
    #expect(get("/v1/transit/snapshot?model=2.1&encoding=xz").headers["Seedbank-Version"] == "100")
  }

  @Test func `a snapshot below the floor is not offered`() throws {
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    try publication.publish(
      series, head: 105, floor: 104,
      [publication.snapshot(series, 104), publication.snapshot(series, 100, .xz)])
    let view = CatalogView(try publication.catalog())
    let request = HTTPRequest(.get, "/v1/transit/snapshot?model=2.1&encoding=xz")
    let response = router.answer(request, in: view)
    #expect(response.problem == .notFound)
    #expect(response.json?["detail"]?.string?.hasSuffix("only as gzip.") == true)
  }

  @Test func `an object is served with its ETag, time, digest, version and epoch`() throws {
    let object = try publication.snapshot(FrontPublication.transit, 104)
    let response = get("/\(object.filePath)")
    #expect(response.status == 200 && response.body.length == Int64(object.length))
    #expect(response.headers["Cache-Control"]?.contains("immutable") == true)
    for (name, value) in [
      ("ETag", "\"\(object.sha256.hex)\""), ("Last-Modified", "Mon, 21 Sep 2026 14:15:04 GMT"),
      ("Repr-Digest", "sha-256=:\(Base64.encode(object.sha256.bytes)):"), ("Content-Encoding", nil),
      ("Content-Type", "application/gzip"),
    ] { #expect(response.headers[name] == value, "\(name)") }
    let transit = FrontPublication.transit
    for object in try [publication.snapshot(transit, 104), publication.delta(transit, 103, 104)] {
      let headers = get("/\(object.filePath)").headers
      #expect(
        headers["Seedbank-Version"] == "104" && headers["Seedbank-Epoch"] == FrontPublication.epoch.text)
    }
    let (redirect, part) = (get("/v1/transit/snapshot?model=2.1"), ["Range": "bytes=1-"] as HTTPHeaders)
    let snapshot = get(try #require(redirect.headers["Location"]), part)
    #expect(snapshot.status == 206)
    for name in ["Seedbank-Version", "Seedbank-Epoch"] {
      #expect(snapshot.headers[name] == redirect.headers[name] && snapshot.headers[name] != nil, "\(name)")
    }
  }

  @Test func `HEAD returns the headers of GET`() throws {
    let object = try publication.snapshot(FrontPublication.transit, 104)
    let targets = [
      "/v1", "/v1/transit", "/v1/transit/snapshot?model=2.1", "/v1/transit/changes?model=2.1&since=101",
      "/metadata/1.root.json", "/\(object.filePath)", "/livez", "/readyz", "/nothing",
    ]
    for target in targets {
      let head = router.answer(HTTPRequest(.head, target), in: view)
      #expect(head.status == get(target).status)
      #expect(head.headers == get(target).headers)
      #expect(head.body.length == get(target).body.length)
    }
  }

  @Test func `scripts of other sites may read everything but the metrics and readiness`() {
    for (target, origin) in [("/livez", "*"), ("/v1", "*"), ("/metrics", nil), ("/readyz", nil)] {
      for target in [target, "\(target)?unknown"] {
        #expect(get(target).headers["Access-Control-Allow-Origin"] == origin, "\(target)")
      }
    }
    let options = router.answer(HTTPRequest(.options, "/v1/transit/changes"), in: view)
    #expect(options.headers["Access-Control-Allow-Origin"] == "*")
  }

  @Test func `without a publication everything but health asks the client to wait`() {
    for target in ["/v1", "/v1/transit", "/metadata/timestamp.json", "/targets/x"] {
      let response = router.answer(HTTPRequest(.get, target), in: CatalogView(nil))
      #expect(response.problem == .publicationUnavailable)
      #expect(response.headers["Retry-After"] == "2")
    }
    #expect(router.answer(HTTPRequest(.get, "/livez"), in: CatalogView(nil)).status == 200)
    let ready = router.answer(HTTPRequest(.get, "/readyz"), in: CatalogView(nil, failure: "no disk"))
    #expect(ready.status == 503)
    #expect(ready.json?["error"] == "no disk")
  }

  @Test func `a front is ready when it has a snapshot of every series`() throws {
    #expect(get("/readyz").status == 200)
    #expect(get("/readyz").json?["series"]?.elements?.first?["snapshot"] == 104)
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    try publication.publish(series, head: 105, floor: 105, [])
    let view = CatalogView(try publication.catalog())
    #expect(router.answer(HTTPRequest(.get, "/readyz"), in: view).status == 503)
    let snapshot = HTTPRequest(.get, "/v1/transit/snapshot?model=2.1")
    #expect(router.answer(snapshot, in: view).problem == .publicationUnavailable)
  }

  @Test func `the description contains everything that a client needs`() throws {
    let dataset = try #require(get("/v1/transit").json)
    #expect(get("/v1").json?["datasets"]?.elements == [dataset])
    let series = try #require(dataset["series"]?.elements?.first)
    let expected: [(String, JSONValue?)] = [
      ("major", 2), ("epoch", .string(FrontPublication.epoch.text)), ("head", 104), ("floor", 100),
      ("models", ["2.1"]), ("lifecycle", ["state": "active"]), ("publishedAt", "2026-09-21T14:15:04Z"),
      ("publishedAtSeconds", 1_790_000_104), ("pollSeconds", 30), ("attribution", "City \"Transit\" <b>"),
      ("source", nil),
    ]
    for (name, value) in expected { #expect(series[name] == value, "\(name)") }
    #expect(series["deltas"]?["count"] == 5)
    let snapshots = try #require(series["snapshots"]?.elements)
    #expect(snapshots.map { $0["version"]?.integer } == [104, 100, 100])
    for snapshot in snapshots {
      let response = get(try #require(snapshot["url"]?.string))
      #expect(response.body.length == snapshot["length"]?.integer.map(Int64.init))
    }
    #expect(get(try #require(series["snapshot"]?.string)).status == 307)
    let changes = try #require(series["changes"]?.string)
      .replacing("{since}", with: "103").replacing("{epoch}", with: FrontPublication.epoch.text)
    #expect(get(changes).status == 200)
  }
}
