import SeedFormat
import SeedHTTP
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

/// The page as the front renders it, without a browser.
@Suite struct PageTests {
  private static let index = Array("<main><!-- what the front knows --></main>".utf8)

  private func page(_ view: CatalogView, at now: UTCTime = FrontPublication.start) throws -> String {
    let page = try #require(LivePage(index: Self.index, began: FrontPublication.start))
    return String(decoding: page.document(view, counts([]), now: now).bytes, as: UTF8.self)
  }

  private func view(failure: String? = nil, facts: [SeedSeries: SeriesFacts] = [:]) throws -> CatalogView {
    CatalogView(try FrontPublication.usualCatalog.get(), failure: failure, facts: facts)
  }

  @Test func `the page's title begins with the state`() throws {
    let index = Array("<title>Ours</title>".utf8) + Self.index
    func title(_ view: CatalogView) throws -> Substring? {
      let page = try #require(LivePage(index: index, began: FrontPublication.start))
      let document = page.document(view, counts([]), now: FrontPublication.start)
      return String(decoding: document.bytes, as: UTF8.self).split(separator: "</title><main>").first
    }
    #expect(try title(view()) == "<title>○ Unknown – Ours")
    #expect(try title(CatalogView(nil)) == "<title>■ Failing – Ours")
  }

  @Test func `the page shows the publication without a script`() throws {
    let html = try page(view())
    let snapshot = try #require(view().catalog?.allSeries.first?.newestSnapshot)
    for expected in [
      "<p id=\"standing\" class=\"standing unknown\">This front gets no report that shows whether",
      "id=\"transit-2\"",
      "<data value=\"104\">104</data>",
      snapshot.sha256.hex, snapshot.filePath,
      "data-path=\"/v1/transit/changes?model=2.1&amp;since={since}&amp;epoch=\(FrontPublication.epoch)\"",
      "City &quot;Transit&quot; &lt;b&gt;", "CC0", "</main>",
    ] { #expect(html.contains(expected), "\(expected)") }
    #expect(!html.contains("<b>") && !html.contains("style=") && !html.contains("<script"))
  }

  @Test func `a front without a publication reports it and an unreadable one shows the last good version`()
    throws
  {
    #expect(try page(CatalogView(nil)).contains("Nothing is published yet"))
    let verify = "<code>seedbank verify</code> on the publisher’s machine"
    #expect(try page(CatalogView(nil, failure: "it is away")).contains("no publication to serve: \(verify)"))
    let html = try page(view(failure: "its place/<metadata> is away"))
    #expect(
      html.contains("Cannot read the publication: \(verify)")
        && html.contains("its place/&lt;metadata&gt; is away")
    )
    #expect(html.contains("<data value=\"104\">"))
  }

  @Test func `a missing publication is one notice with a remedy and no state of its series`() throws {
    let publication = try FrontPublication(history: ())
    defer { withExtendedLifetime(publication) {} }
    let source = CatalogSource(publication.directory)
    try Folder.rename(publication.directory.path, to: publication.folder("away"))
    source.look()
    source.checkStanding(at: FrontPublication.start)
    var away = source.current()
    var facts = SeriesFacts.example(of: FrontPublication.transit)
    (facts.look.newest, facts.gained) = (.unchanged, 0)
    away.facts = [FrontPublication.transit: facts]
    #expect(away.missingFileWarnings.isEmpty)
    let html = try page(away)
    #expect(html.ranges(of: "class=\"notice\"").count == 1 && html.ranges(of: "its place").count == 1)
    #expect(html.contains("Cannot read the publication") && html.contains("is its disk mounted?"))
    #expect(!html.contains("no snapshot") && !html.contains(">current<") && !html.contains("new-epoch"))
    let snapshot = try #require(away.catalog?.allSeries.flatMap(\.usableSnapshots).first)
    away.standing.missing.remove(snapshot.filePath)
    #expect(!away.missingFileWarnings.isEmpty, "what is there says that its place is not away")
  }

  @Test func `missing files are shown once with their series`() throws {
    var view = try view()
    let objects = view.catalog?.allSeries.flatMap(\.objects) ?? []
    view.standing.missing = Set(objects.filter { $0.span != nil }.prefix(1).map(\.filePath))
    let one = try page(view)
    #expect(one.ranges(of: "</data> file of this series is missing, or").count == 1)
    view.standing.missing = Set(objects.map(\.filePath))
    let all = try page(view)
    #expect(all.ranges(of: "New clients get nothing").count == 1 && !all.contains("the wrong length"))
  }

  @Test func `every problem of the publication is shown once with its command`() throws {
    var view = try view()
    view.standing.isDiskNearlyFull = true
    view.mirrors = MirrorFacts(behindSince: [FrontPublication.start])
    let soon = FrontPublication.start.adding(days: RepositorySigner.targetsDays - 30)
    let html = try page(view, at: soon)
    #expect(html.contains("class=\"state bad\">expired</span>"))
    #expect(try !page(self.view()).contains(">expired<"))
    for (words, command) in [
      ("Signatures have expired", "regenerate"), ("Signatures must be renewed", "keys renew targets"),
      ("disk is almost full", "status"), ("has not reached every mirror", "status"),
    ] {
      let parts = html.split(separator: words)
      #expect(parts.count == 2, "\(words)")
      #expect(parts.last?.prefix(300).contains("<code>seedbank \(command)</code>") == true, "\(words)")
    }
  }

  @Test func `errors of the newest verification are shown with the advice to verify again after the repair`()
    throws
  {
    func page(isSound: Bool) throws -> String {
      var view = try view()
      view.verification = VerificationFacts(isSound: isSound, at: FrontPublication.start, after: nil)
      return try self.page(view)
    }
    let html = try page(isSound: false)
    #expect(html.contains("found errors in the publication: <code>seedbank verify</code>"))
    #expect(html.contains("verify</code> again"))
    #expect(try !page(isSound: true).contains("found errors"))
  }

  @Test func `a full disk is shown as a failure and not as one that is almost full`() throws {
    var view = try view()
    (view.standing.isDiskFull, view.standing.isDiskNearlyFull) = (true, true)
    let html = try page(view)
    #expect(html.contains("class=\"standing bad\">The publication’s disk is full, and steps cannot write"))
    #expect(!html.contains("almost full"))
  }

  @Test func `a mirror that is behind is shown by its number without its location`() throws {
    func page(_ behindSince: UTCTime?) throws -> String {
      var view = try view()
      view.mirrors = MirrorFacts(behindSince: [nil, behindSince])
      return try self.page(view)
    }
    let late = try page(FrontPublication.start)
    #expect(late.contains("has not reached every mirror: mirror <data value=\"2\">2</data> fell behind"))
    #expect(late.contains("order of <code>mirrors</code>"))
    #expect(try !page(nil).contains("every mirror"))
  }

  @Test func `each problem of the publisher's machine is shown once with a command`() throws {
    var view = try view()
    for count in 1...PublisherProblem.allCases.count {
      var told = PublisherFacts()
      told.problems = Set(PublisherProblem.allCases.suffix(count))
      view.publisher = told
      let html = try page(view)
      for problem in PublisherProblem.allCases {
        let notice = String(decoding: problem.notice.bytes, as: UTF8.self)
        #expect(
          html.ranges(of: notice).count == (told.problems.contains(problem) ? 1 : 0),
          "\(problem)")
      }
    }
  }

  @Test(arguments: SeriesDoubt.allCases)
  func `doubts about a series are shown with it`(_ doubt: SeriesDoubt) throws {
    var view = try view()
    var told = PublisherFacts()
    told.doubts = [FrontPublication.transit: [doubt], try SeedSeries("other", major: 1): [doubt]]
    view.publisher = told
    let html = try page(view)
    let words: [SeriesDoubt: (String, String)] = [
      .noModel: ("its model is missing", "no longer has a model of this series"),
      .copy: ("working copy unreadable", "working copy of this series cannot be read"),
      .log: ("log in doubt", "log misses writes"),
    ]
    let (badge, sentence) = try #require(words[doubt])
    #expect(html.contains(">\(badge)</span>") && html.contains(sentence))
  }

  @Test func `an origin kept open for too long is shown with the duration`() throws {
    var facts = SeriesFacts.example(of: FrontPublication.transit)
    facts.look.reading.openMilliseconds = 1000 * OriginReading.mostOpenSeconds
    #expect(try !page(view(facts: [FrontPublication.transit: facts])).contains("kept a transaction open"))
    facts.look.reading.openMilliseconds = 720_000
    let html = try page(view(facts: [FrontPublication.transit: facts]))
    #expect(html.contains("kept a transaction open for 12 minutes"))
  }

  @Test func `a front finds at its next check problems of mirrors and of the publisher's machine`() throws {
    let publication = try FrontPublication(history: ())
    let (source, facts) = (CatalogSource(publication.directory), publication.directory.facts)
    for told in [MirrorFacts(behindSince: [FrontPublication.start]), MirrorFacts(behindSince: [nil]), nil] {
      try facts.write(told)
      source.lookAtFacts()
      #expect(source.current().mirrors == told)
      try source.reload()
      #expect(source.current().mirrors == told)
    }
    var told = PublisherFacts()
    told.problems = [.keyChange, .stateDisk]
    told.doubts[FrontPublication.transit] = [.log, .copy]
    defer { withExtendedLifetime(publication) {} }
    for told in [told, PublisherFacts(), nil] {
      try facts.write(told)
      source.lookAtFacts()
      #expect(source.current().publisher == told && facts.read() == told)
      try source.reload()
      #expect(source.current().publisher == told)
    }
  }

  @Test func `unknown publisher facts are ignored and a damaged file counts as missing`() throws {
    let publication = try FrontPublication()
    defer { withExtendedLifetime(publication) {} }
    let facts = publication.directory.facts
    let file = "\(publication.directory.path)/facts/publisher.json"
    func read(_ text: String) throws -> PublisherFacts? {
      try DurableFile.write(Array(text.utf8), to: file)
      return facts.read()
    }
    try facts.write(PublisherFacts())
    let newer = try read(
      #"{"problems":["weather","keyFiles"],"series":[{"dataset":"a","major":1,"doubts":["log","x"],"y":1}],"z":2}"#
    )
    #expect(newer?.problems == [.keyFiles])
    #expect(try newer?.doubts == [SeedSeries("a", major: 1): [.log]])
    for text in [
      "", "[]", #"{"problems":[]}"#, #"{"problems":1,"series":[]}"#, #"{"problems":[],"series":[{}]}"#,
    ] {
      #expect(try read(text) == nil, "\(text)")
    }
  }

  @Test func `the worst series come first and the others by name`() throws {
    let all = try ["a", "b", "c", "d"].map { try SeedSeries(DatasetName($0), model: "2.1") }
    let many = try FrontPublication(all)
    for series in all { try many.publish(series, head: 1, floor: 1, [many.snapshot(series, 1)]) }
    var view = CatalogView(try many.catalog())
    for series in all {
      var facts = SeriesFacts.example(of: series)
      facts.look.newest = series == all[3] ? .failed : .unchanged
      facts.gained = series == all[2] ? 1 : 0
      view.facts[series] = facts
    }
    let html = try page(view, at: FrontPublication.start.adding(seconds: 60))
    for opening in ["<tr id=\"list:", "<section class=\"series\" id=\""] {
      #expect(html.split(separator: opening).dropFirst().map { $0.prefix(1) } == ["d", "c", "a", "b"])
    }
    #expect(html.contains(">d 2</a> and <a href=\"#c-2\">c 2</a> need your attention"))
    #expect(view.catalog?.allSeries.map(\.series) == all, "the interface keeps its order")
  }

  @Test func `lifecycle and the operator's message are shown`() throws {
    let (series, publication) = (FrontPublication.transit, try FrontPublication())
    try publication.publish(
      series, head: 105, floor: 105, [publication.snapshot(series, 105)],
      lifecycle: .deprecated(sunset: "2027-03-01", message: "<script>alert(1)</script>"))
    let html = try page(CatalogView(publication.catalog()))
    #expect(html.contains("This series is deprecated.") && html.contains("<bdi>2027-03-01</bdi>"))
    #expect(html.contains("&lt;script&gt;alert(1)") && !html.contains("<script"))
  }

  @Test
  func `the page is rendered at most once per second and is byte-identical without changes`()
    throws
  {
    let page = try #require(LivePage(index: Self.index, began: FrontPublication.start))
    let (view, now) = (try view(), FrontPublication.start)
    let first = page.document(view, counts([]), now: now)
    let asked = [ClientCounts.Requests(client: ClientModel(dataset: "transit", model: "2.1"), count: 7)]
    #expect(page.document(view, counts(asked), now: now) == first)
    let second = page.document(view, counts(asked), now: now.adding(seconds: 1))
    #expect(second.tag != first.tag)
    #expect(page.document(view, counts(asked), now: now.adding(seconds: 2)).tag == second.tag)
    #expect(page.document(CatalogView(nil), counts(asked), now: now.adding(seconds: 2)).tag != second.tag)
  }

  @Test func `requested models are shown with their request counts and unused ones too`() throws {
    func html(_ model: String) throws -> String {
      try rendered([ClientCounts.Requests(client: ClientModel(dataset: "transit", model: model), count: 1234)]
      )
    }
    let used = try html("2.1")
    #expect(
      used.contains("2.1</th><td class=\"number\"><data value=\"1234\">") && !used.contains("has arrived"))
    #expect(try html("3.0").contains("of transit 2 has arrived since this front began to count"))
    #expect(try rendered([]).contains("No request of a client of transit 2 has arrived"))
  }

  private func counts(_ asked: [ClientCounts.Requests]) -> (UTCTime) -> ClientCounts {
    { ClientCounts(requests: asked, since: $0) }
  }

  private func rendered(_ asked: [ClientCounts.Requests], in view: CatalogView? = nil) throws -> String {
    let page = try #require(LivePage(index: Self.index, began: FrontPublication.start))
    return String(
      decoding: page.document(try view ?? self.view(), counts(asked), now: .now()).bytes, as: UTF8.self)
  }

  @Test func `the page has an ETag, a policy and a short lifetime, and supports 304`()
    throws
  {
    let folder = try FrontPublication.pages(["index.html": Self.index])
    let router = Router(pages: try StaticPages(folder: folder.path), now: { FrontPublication.start })
    let view = try view()
    for (path, lifetime) in [
      ("/", "max-age=1"), ("/index.html", "max-age=1"), ("/?from=link", "private, max-age=1"),
    ] {
      let answer = router.answer(HTTPRequest(.get, path), in: view)
      #expect(answer.status == 200 && answer.headers["Cache-Control"] == lifetime && !answer.isReusable)
      let policy = try #require(answer.headers["Content-Security-Policy"])
      for rule in [
        "default-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "object-src 'none'",
      ] { #expect(policy.contains(rule)) }
      #expect(answer.headers["Referrer-Policy"] == "no-referrer")
      let tag = try #require(answer.headers["ETag"])
      let again = router.answer(HTTPRequest(.get, path, headers: ["If-None-Match": tag]), in: view)
      #expect(again.status == 304)
      let head = router.answer(HTTPRequest(.head, path), in: view)
      #expect(head.status == 200 && head.headers["ETag"] == tag)
    }
  }

  @Test func `an operator's page without the marker is served unchanged`() throws {
    #expect(LivePage(index: Array("<h1>Ours</h1>".utf8), began: .now()) == nil)
    let folder = try FrontPublication.pages(["index.html": Array("<h1>Ours</h1>".utf8)])
    let router = Router(pages: try StaticPages(folder: folder.path))
    let answer = router.answer(HTTPRequest(.get, "/"), in: try view())
    #expect(answer.bytes == Array("<h1>Ours</h1>".utf8) && answer.headers["Cache-Control"] == CacheRule.page)
  }

  @Test func `with many series the page lists them and each has a page of its own`() throws {
    let all = try ["a", "b", "c", "d", "e"].map { try SeedSeries(DatasetName($0), model: "2.1") }
    let many = try FrontPublication(all)
    for series in all { try many.publish(series, head: 1, floor: 1, [many.snapshot(series, 1)]) }
    let folder = try FrontPublication.pages(["index.html": Self.index])
    let router = Router(pages: try StaticPages(folder: folder.path), now: { FrontPublication.start })
    let view = CatalogView(try many.catalog())
    func html(_ target: String) -> String {
      String(decoding: router.answer(HTTPRequest(.get, target), in: view).bytes, as: UTF8.self)
    }
    let list = html("/")
    #expect(list.ranges(of: "<tr id=\"list:").count == 5 && !list.contains("<section class=\"series\""))
    #expect(list.contains("<a href=\"/?series=c-2\">c 2</a></th>"))
    let one = html("/?series=c-2")
    #expect(one.ranges(of: "<section class=\"series\"").count == 1 && one.contains("id=\"c-2\""))
    #expect(one.contains("<a href=\"/\">All <data value=\"5\">5</data> series</a>") && !one.contains("list:"))
    for other in ["/?series=x-2", "/?series=", "/?series=c-2&series=d-2", "/?utm_source=mail"] {
      #expect(html(other) == list, "\(other)")
    }
  }
}
