import SeedDatabase
import SeedFormat
import SeedHTTP
import SeedPublication
import SeedTrust
import Support
import Testing

@testable import SeedFront

@Suite struct FrontChangesTests {
  let publication: FrontPublication
  let view: CatalogView

  init() throws {
    publication = try FrontPublication.usual.get()
    view = CatalogView(try FrontPublication.usualCatalog.get())
  }

  private func changes(since: Int, _ router: Router = Router()) -> HTTPResponse {
    router.answer(HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=\(since)"), in: view)
  }

  private func steps(_ response: HTTPResponse) -> [[Int?]]? {
    response.json?["deltas"]?.elements?.map { [$0["from"]?.integer, $0["to"]?.integer] }
  }

  @Test func `changes contain the deltas of the cheapest chain verbatim`() throws {
    let response = changes(since: 100)
    #expect(response.status == 200)
    #expect(response.headers["Content-Type"] == "application/json")
    // Here the deltas' own line ends are white space.
    let expected = #"""
      {"dataset":"transit","series":2,"epoch":"\#(FrontPublication.epoch)","from":100,"to":104,"head":104,"more":false,"deltas":[\#
      {"from":96,"to":102,"changes":"xxxxxxxxxx"}
      ,{"from":102,"to":103,"changes":"x"}
      ,{"from":103,"to":104,"changes":"x"}
      ]}

      """#
    #expect(String(decoding: response.bytes, as: UTF8.self) == expected)
    #expect(steps(changes(since: 102)) == [[102, 103], [103, 104]])
    let head = changes(since: 104)
    #expect(head.status == 200 && steps(head) == [] && head.headers["Link"] == nil)
    #expect(head.json?["from"] == 104 && head.json?["to"] == 104 && head.json?["more"] == false)
  }

  @Test func `changes contain deltas in gzip, whatever smaller ones in xz are listed`() throws {
    let publication = try FrontPublication()
    let (gzip, xz) = try (
      publication.delta(FrontPublication.transit, 100, 101),
      publication.delta(FrontPublication.transit, 100, 101, .xz)
    )
    #expect(xz.length < gzip.length)
    let snapshot = try publication.snapshot(FrontPublication.transit, 100)
    try publication.publish(FrontPublication.transit, head: 101, floor: 100, [snapshot, gzip, xz])
    let view = CatalogView(try publication.catalog())
    let request = HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=100")
    #expect(steps(Router().answer(request, in: view)) == [[100, 101]])
  }

  @Test func `a gzip response has the same content and is joined from stored gzip members`() throws {
    for since in 100...104 {
      let request = HTTPRequest(
        .get, "/v1/transit/changes?model=2.1&since=\(since)", headers: ["Accept-Encoding": "br, gzip;q=0.8"])
      let (plain, packed) = (changes(since: since), Router().answer(request, in: view))
      #expect(plain.headers["Content-Encoding"] == nil)
      #expect(packed.headers["Vary"] == "Accept-Encoding" && plain.headers["Vary"] == "Accept-Encoding")
      if packed.headers["Content-Encoding"] == "gzip" {
        #expect(packed.headers["ETag"] != plain.headers["ETag"])
        #expect(packed.bytes.count < plain.bytes.count)
        #expect(try Compression.gunzip(packed.bytes, limit: 1_000_000) == plain.bytes)
      } else {
        #expect(packed.bytes == plain.bytes)
      }
      #expect(plain.body.length == Int64(plain.bytes.count))
    }
  }

  @Test(arguments: [HTTPMethod.get, .head])
  func `versioned metadata is sent in gzip with a tag of its own to clients that accept it`(
    _ method: HTTPMethod
  ) throws {
    let view = CatalogView(try FrontPublication.usualCatalog.get())
    func answer(_ name: String, _ fields: HTTPHeaders) -> HTTPResponse {
      Router().answer(HTTPRequest(method, "/metadata/\(name)", headers: fields), in: view)
    }
    let gzip: HTTPHeaders = ["Accept-Encoding": "gzip"]
    let (plain, packed) = (answer("1.root.json", [:]), answer("1.root.json", gzip))
    #expect(plain.headers["Content-Encoding"] == nil && packed.headers["Content-Encoding"] == "gzip")
    #expect(plain.headers["Vary"] == "Accept-Encoding" && packed.headers["Vary"] == "Accept-Encoding")
    #expect(try Compression.gunzip(packed.bytes, limit: Limits.rootBytes) == plain.bytes)
    let tags = try [plain, packed].map { try #require($0.headers["ETag"]) }
    #expect(tags[1] == tags[0].dropLast() + "-gzip\"")
    for (tag, status) in zip(tags, [200, 304]) {
      let response = answer("1.root.json", ["Accept-Encoding": "gzip", "If-None-Match": tag])
      #expect(response.status == status && response.headers["Vary"] == "Accept-Encoding")
    }
    let timestamp = answer("timestamp.json", gzip)
    #expect(timestamp.headers["Content-Encoding"] == nil && timestamp.headers["Vary"] == nil)
  }

  @Test func `a deprecated series is reported in standard header fields`() throws {
    let publication = try FrontPublication()
    let series = FrontPublication.transit
    try publication.publish(
      series, head: 105, floor: 105, [publication.snapshot(series, 105)],
      lifecycle: .deprecated(sunset: "2027-03-01", message: "Use 3.0."))
    let view = CatalogView(try publication.catalog())
    for target in ["/v1/transit/changes?model=2.1&since=105", "/v1/transit/snapshot?model=2.1"] {
      let response = Router().answer(HTTPRequest(.get, target), in: view)
      #expect(response.headers["Deprecation"] == "@1790000105")
      #expect(response.headers["Sunset"] == "Mon, 01 Mar 2027 00:00:00 GMT")
      #expect(response.headers["Link"]?.hasSuffix("rel=\"deprecation\"; type=\"application/json\"") == true)
    }
    #expect(changes(since: 104).headers["Deprecation"] == nil)
  }

  @Test func `a client with another epoch is sent to the snapshot whatever its version`() throws {
    for since in [1, 100, 104, 200] {
      let target = "/v1/transit/changes?model=2.1&since=\(since)&epoch=\(Epoch.random())"
      let response = Router().answer(HTTPRequest(.get, target), in: view)
      #expect(response.status == 410 && response.json?["type"] == "version-gone")
      #expect(response.json?["snapshot"] == "/v1/transit/snapshot?model=2.1")
    }
    let target = "/v1/transit/changes?model=2.1&since=100&epoch=\(FrontPublication.epoch)"
    let response = Router().answer(HTTPRequest(.get, target), in: view)
    #expect(response.bytes == changes(since: 100).bytes)
  }

  @Test(arguments: [(1, 3), (60, 3), (85, 2), (100, 2), (1000, 1)])
  func `following the links reaches head for any page size`(pageBytes: Int, expected: Int) throws {
    let router = Router(pageBytes: pageBytes)
    var target = "/v1/transit/changes?model=2.1&since=100"
    var at = 100
    var pages = 0
    var hasMore = true
    while hasMore {
      let response = router.answer(HTTPRequest(.get, target), in: view)
      #expect(response.status == 200)
      pages += 1
      for step in try #require(steps(response)) {
        let (from, to) = (try #require(step[0]), try #require(step[1]))
        #expect(from <= at && at < to)
        at = to
      }
      let json = try #require(response.json)
      #expect(json["to"]?.integer == at)
      #expect(json["head"] == 104)
      hasMore = json["more"] == true
      if !hasMore { continue }
      let link = try #require(response.headers["Link"])
      #expect(
        link == "</v1/transit/changes?model=2.1&since=\(at)&epoch=\(FrontPublication.epoch)>; rel=\"next\"")
      target = String(link.dropFirst().prefix { $0 != ">" })
    }
    #expect(at == 104)
    #expect(pages == expected)
  }

  private func span(since: Int, to end: Int, _ router: Router = Router()) -> HTTPResponse {
    router.answer(HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=\(since)&to=\(end)"), in: view)
  }

  private var objects: [PublishedObject] { view.catalog?.series("transit", major: 2)?.objects ?? [] }

  /// Every path from one version to another over the published deltas, by exhaustive search.
  private func ways(from start: Int, to end: Int) -> [[PublishedObject]] {
    guard start < end else { return start == end ? [[]] : [] }
    return objects.flatMap { delta -> [[PublishedObject]] in
      guard let span = delta.span, span.from.number <= start, start < span.to.number else { return [] }
      return ways(from: span.to.number, to: end).map { [delta] + $0 }
    }
  }

  @Test func `a client that names an end gets the cheapest chain that stops there`() throws {
    for since in 100...104 {
      for end in since...104 {
        let response = span(since: since, to: end)
        let cheapest = ways(from: since, to: end).map { way in way.reduce(0) { $0 + $1.length } }.min()
        let found = try #require(steps(response), "\(since) to \(end)")
        let lengths = found.map { step in
          objects.first { $0.span?.from.number == step[0] && $0.span?.to.number == step[1] }?.length ?? 0
        }
        #expect(lengths.reduce(0, +) == cheapest, "\(since) to \(end): \(found)")
        #expect(response.json?["to"]?.integer == end && response.json?["more"] == false)
        #expect(response.json?["head"] == 104 && response.headers["Seedbank-Version"] == "\(end)")
        #expect(zip(found, found.dropFirst()).allSatisfy { $0[1]! >= $1[0]! })
      }
    }
  }

  @Test func `links to further pages keep the end`() throws {
    let router = Router(pageBytes: 1)
    let first = span(since: 101, to: 103, router)
    #expect(first.json?["more"] == true && first.json?["to"] == 102)
    let link = try #require(first.headers["Link"])
    #expect(
      link
        == "</v1/transit/changes?model=2.1&since=102&to=103&epoch=\(FrontPublication.epoch)>; rel=\"next\"")
    let target = String(link.dropFirst().prefix { $0 != ">" })
    let last = router.answer(HTTPRequest(.get, target), in: view)
    #expect(steps(last) == [[102, 103]] && last.json?["more"] == false && last.headers["Link"] == nil)
  }

  @Test func `an end is rejected if it is beyond head, before the start or unreachable`() throws {
    let ahead = span(since: 100, to: 105)
    #expect(ahead.problem == .versionAhead && ahead.json?["detail"]?.string?.contains("105") == true)
    expectWellBut(to: 105, ahead, since: 100)
    let before = span(since: 103, to: 102)
    #expect(before.problem == .badRequest && before.json?["parameter"] == "to")
    for text in ["0", "x", "", "1e2"] {
      let request = HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=100&to=\(text)")
      #expect(Router().answer(request, in: view).json?["parameter"] == "to", "\(text)")
    }
    #expect(span(since: 99, to: 104).problem == .versionGone)
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    try publication.publish(
      series, head: 105, floor: 100, [publication.snapshot(series, 105), publication.delta(series, 100, 105)])
    let request = HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=100&to=103")
    let between = Router().answer(request, in: CatalogView(try publication.catalog()))
    #expect(between.problem == .versionGone && between.json?["detail"]?.string?.contains("exactly") == true)
    expectWellBut(to: 103, between, since: 100)
  }

  /// Expects a problem about `to` that names no snapshot, because the client's version is valid.
  private func expectWellBut(to end: Int, _ response: HTTPResponse, since: Int) {
    let json = response.json
    #expect(json?["parameter"] == "to" && json?["to"]?.integer == end && json?["since"]?.integer == since)
    #expect(json?["snapshot"] == nil && json?["detail"]?.string?.contains("omit \"to\"") == true)
  }

  @Test func `an invalid start or a gap in the deltas is reported before an invalid end`() throws {
    for (since, end, type) in [
      (99, 105, ProblemType.versionGone), (99, 100, .versionGone), (105, 106, .versionAhead),
      (99, 98, .versionGone), (105, 3, .versionAhead),
    ] {
      let response = span(since: since, to: end)
      #expect(response.problem == type && response.json?["since"]?.integer == since, "\(since) to \(end)")
      #expect(response.json?["snapshot"] == "/v1/transit/snapshot?model=2.1", "\(since) to \(end)")
      #expect(response.json?["floor"] == 100 && response.json?["head"] == 104, "\(since) to \(end)")
    }
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    try publication.publish(
      series, head: 105, floor: 100, [publication.snapshot(series, 105), publication.delta(series, 100, 103)])
    for end in ["", "&to=102"] {
      let request = HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=101\(end)")
      let gap = Router().answer(request, in: CatalogView(try publication.catalog()))
      #expect(gap.problem == .versionGone && gap.json?["snapshot"] != nil)
    }
  }

  @Test func `a damaged delta is not sent and is reported once`() throws {
    let publication = try FrontPublication(history: ())
    let delta = try publication.delta(FrontPublication.transit, 103, 104)
    try publication.directory.write([1, 2, 3], as: delta)
    let (said, view) = (Said(), CatalogView(try publication.catalog()))
    let router = Router(log: OperatorLog { said.add($0.message) })
    let request = HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=103")
    for _ in 0..<3 { #expect(router.answer(request, in: view).problem == .internalError) }
    #expect(said.lines.count == 1)
    #expect(said.lines.first?.contains(delta.fileName) == true)
    withExtendedLifetime(publication) {}
  }

  @Test(arguments: [(1_000_000, true), (1_100_000, false)])
  func `a page of a mebibyte is expanded in memory for the cache and a larger one while it is sent`(
    padding: Int, isInMemory: Bool
  ) throws {
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    try publication.publish(
      series, head: 105, floor: 104,
      [publication.snapshot(series, 105), publication.delta(series, 104, 105, padding: padding)])
    let request = HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=104")
    let response = Router().answer(request, in: CatalogView(try publication.catalog()))
    let isBytes = if case .bytes = response.body { true } else { false }
    #expect(response.status == 200 && isBytes == isInMemory)
    #expect(response.bytes.count == Int(response.body.length) && response.bytes.count > padding)
    withExtendedLifetime(publication) {}
  }

  @Test func `responses with a large page share its deltas`() throws {
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    var random = SplitMix(seed: 5)
    // More than a mebibyte, also compressed.
    let text = (0..<150_000).map { _ in
      String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 36)
    }.joined()
    let large = try publication.delta(series, 104, 105, text: text)
    try publication.publish(
      series, head: 105, floor: 103,
      [publication.snapshot(series, 105), publication.delta(series, 103, 104), large])
    let (router, view) = (Router(), CatalogView(try publication.catalog()))
    func ask(_ fields: HTTPHeaders) -> HTTPResponse {
      router.answer(HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=103", headers: fields), in: view)
    }
    let (plain, packed) = (ask([:]), ask(["Accept-Encoding": "gzip"]))
    for response in [plain, packed] {
      guard case .stream(let length, let open) = response.body else {
        Issue.record("it is in memory")
        continue
      }
      var room = [UInt8](repeating: 0, count: 10_000)
      #expect(room.withUnsafeMutableBytes(open().next) == room.count, "parts are sent together")
      // The second reader passes the first one, and gets the same bytes.
      #expect(response.bytes.starts(with: room) && response.bytes.count == Int(length))
    }
    #expect(steps(plain) == [[103, 104], [104, 105]])
    #expect(try Compression.gunzip(packed.bytes, limit: 10_000_000) == plain.bytes)
    // The file is not read again while a response with it lasts.
    try publication.directory.write([1], as: large)
    #expect(ask(["Accept-Encoding": "gzip"]).bytes == packed.bytes)
    withExtendedLifetime((publication, plain, packed)) {}
  }

  @Test(.full) func `many large pages at once are all sent whole without compression`() throws {
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    try publication.publish(
      series, head: 105, floor: 104,
      [publication.snapshot(series, 105), publication.delta(series, 104, 105, padding: 7_000_000)])
    let view = CatalogView(try publication.catalog())
    let request = HTTPRequest(.get, "/v1/transit/changes?model=2.1&since=104")
    // More than the front keeps in memory.
    let responses = (0..<6).map { _ in Router().answer(request, in: view) }
    for response in responses {
      guard case .stream(let length, let open) = response.body else {
        Issue.record("it is in memory")
        continue
      }
      var room = [UInt8](repeating: 0, count: Int(length))
      #expect(room.withUnsafeMutableBytes(open().next) == room.count && room.last == UInt8(ascii: "\n"))
    }
    withExtendedLifetime(publication) {}
  }

  @Test func `a repeated poll is answered from memory with and without a condition`() throws {
    let publication = try FrontPublication(history: ())
    let front = try Front(FrontConfiguration(publication: publication.directory.path))
    let client = try RawClient(port: front.port)
    let target = "/v1/transit/changes?model=2.1&since=102"
    let first = try client.get(target)
    let delta = try publication.delta(FrontPublication.transit, 103, 104)
    try publication.directory.write([], as: delta)
    #expect(try client.get(target).body == first.body)
    let tag = try #require(first["ETag"])
    #expect(try client.get(target, extra: "If-None-Match: \(tag)\r\n").status == 304)
    #expect(try client.get(target, extra: "If-None-Match: \"other\"\r\n").body == first.body)
    #expect(try client.get("/v1/transit/changes?model=2.1&since=103").status == 500)
  }
}
