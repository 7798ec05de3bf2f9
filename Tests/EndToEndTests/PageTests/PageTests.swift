import Foundation
import SeedFormat
import Support
import Testing

@Suite struct PageTests {
  private static let versions = [
    "INSERT INTO shop VALUES (1, 'Tea', 1.0, x'00ff', 9007199254740993), (2, 'Nuts', NULL, NULL, 7)",
    "UPDATE shop SET name = 'Green tea' WHERE id = 1; INSERT INTO word VALUES ('a', 0.5), ('b', 1e300)",
    "DELETE FROM shop WHERE id = 2",
  ]

  private func numbers(in json: JSONValue) -> Set<Int> {
    switch json {
    case .integer(let number): [Int(number)]
    case .object(let members): members.reduce(into: []) { $0.formUnion(numbers(in: $1.value)) }
    case .array(let elements): elements.reduce(into: []) { $0.formUnion(numbers(in: $1)) }
    default: []
    }
  }

  private func sums(_ facts: JSONValue) -> Set<Int> {
    let tables = facts["tables"]?.elements ?? []
    var sums: Set = [tables.compactMap { $0["rows"]?.integer }.reduce(0, +)]
    for step in facts["steps"]?.elements ?? [] {
      let changes = (step["changes"]?.members ?? []).map(\.value)
      func sum(_ names: String...) -> Int {
        changes.reduce(0) { sum, one in sum + names.reduce(0) { $0 + (one[$1]?.integer ?? 0) } }
      }
      sums.formUnion([sum("inserted"), sum("updated"), sum("deleted")])
    }
    return sums
  }

  @Test func `every number on the page comes from the interface, and a page without scripts shows the facts`()
    throws
  {
    let scene = try PageScene(versions: Self.versions)
    try scene.waitForFacts(of: 4)
    let page = try BrowserPage(scene.address)
    let (series, facts) = (try scene.series(), try scene.facts())
    let known = numbers(in: series).union(numbers(in: facts)).union(sums(facts))
    let found = try page.evaluate(
      "[...document.querySelectorAll('#my-1 data')].map((one) => Number(one.value))")
    let told = Set((found.elements ?? []).compactMap(\.integer))
    #expect(told.count > 8)
    // The length of each delta is only in signed metadata; /v1 has their sum.
    let lengths = try deltaLengths(scene)
    #expect(told.subtracting(known.union(lengths)) == [], "\(told)")
    for (selector, expected) in [
      ("#my-1 .head data", series["head"]?.integer), ("#my-1 .rows data", 3),
      ("#my-1 .download data", series["snapshots"]?.elements?.first?["length"]?.integer),
    ] {
      #expect(
        try page.evaluate("Number(document.querySelector('\(selector)').value)").integer == expected,
        "\(selector)")
    }
    let text = try #require(try page.text("#my-1"))
    for snapshot in series["snapshots"]?.elements ?? [] {
      #expect(text.contains(try #require(snapshot["sha256"]?.string)))
    }
    #expect(page.complaints == [])
    try expectFactsWithoutScripts(scene)
  }

  /// Without scripts, interactive controls are hidden.
  private func expectFactsWithoutScripts(_ scene: PageScene) throws {
    let page = try BrowserPage(scene.address, runsScripts: false)
    let text = try #require(try page.text("body"))
    for expected in ["Everything is current.", "3 → 4", "UTC", "shop", "4 published", "All since version 1"] {
      #expect(text.contains(expected), "\(expected)")
    }
    let hidden = "[...document.querySelectorAll('.range')].every((one) => !one.checkVisibility())"
    #expect(try page.evaluate(hidden) == true)
    let path = try #require(
      try page.evaluate("document.querySelector('td .change').getAttribute('href')").string)
    let document = try scene.json(path)
    #expect(document["from"] == 3 && document["to"] == 4)
  }

  private func deltaLengths(_ scene: PageScene) throws -> Set<Int> {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: scene.folder("seedbank/publication/targets/my/1"))
    return Set(
      try files.filter { $0.contains(".delta-") }.compactMap { name in
        try FileManager.default.attributesOfItem(
          atPath: scene.folder("seedbank/publication/targets/my/1/\(name)"))[.size]
          as? Int
      })
  }

  @Test
  func
    `the keyboard reaches every control, and a new version appears without a reload, while focus and selection stay`()
    throws
  {
    let scene = try PageScene(versions: Self.versions)
    try scene.waitForFacts(of: 4)
    let page = try BrowserPage(scene.address)
    try expectKeyboardOrder(page)
    try page.evaluate(
      """
      window.isSamePage = true;
      const link = document.querySelector('td .change');
      window.focused = link.getAttribute('href');
      link.focus();
      getSelection().selectAllChildren(document.querySelector('#signatures tbody th'));
      """)
    let selected = try page.evaluate("getSelection().toString()")
    try scene.change("INSERT INTO shop VALUES (9, 'New', 0, NULL, 0)")
    try page.wait("version 5 is shown", "document.querySelector('#my-1 .head data').value === '5'")
    try page.wait("its row is there", "document.getElementById('my-1:4-5')")
    #expect(try page.evaluate("window.isSamePage") == true)
    #expect(try page.evaluate("document.activeElement.getAttribute('href') === window.focused") == true)
    #expect(try page.evaluate("getSelection().toString()") == selected)
    #expect(page.complaints == [])
    try expectSkipLink(BrowserPage(scene.address))
  }

  /// The keyboard reaches every control in the order of the page.
  private func expectKeyboardOrder(_ page: BrowserPage) throws {
    try page.evaluate(
      """
      window.usable = [...document.querySelectorAll('a[href]:not([tabindex]), button, input, [tabindex="0"]')]
        .filter((one) => one.checkVisibility());
      """)
    let count = try #require(try page.evaluate("usable.length").integer)
    var places: [Int] = []
    for _ in 0..<count {
      try page.press("Tab")
      places.append(try page.evaluate("usable.indexOf(document.activeElement)").integer ?? -1)
      let isSeen = try page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'")
      #expect(isSeen == true)
    }
    #expect(places == Array(0..<count))
  }

  /// The skip link leads past the header.
  private func expectSkipLink(_ page: BrowserPage) throws {
    try page.press("Tab")
    #expect(try page.evaluate("document.activeElement.className") == "skip")
    try page.press("Enter")
    try page.wait("the content has the focus", "document.activeElement.id === 'content'")
  }

  @Test(.full) func `the page reports a missing publication, keeps the last state and recovers`() throws {
    let scene = try PageScene(versions: Self.versions)
    let page = try BrowserPage(scene.address)
    let (folder, away) = (scene.folder("seedbank/publication"), scene.folder("away"))
    try FileManager.default.moveItem(atPath: folder, toPath: away)
    try page.wait("the page says so", "document.querySelector('#standing').className.includes('bad')")
    #expect(try page.text("#my-1 .head dd") == "4")
    // A publisher without a publication may have begun to write one.
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: away, toPath: folder)
    try page.wait("all is well again", "document.querySelector('#standing').className.includes('good')")
  }

  private func expect(_ page: BrowserPage, headline: String, title: String, icon: String) throws {
    try page.wait(headline, "document.querySelector('#standing').textContent.startsWith('\(headline)')")
    #expect(try page.evaluate("document.title").string == title)
    #expect(try page.evaluate("document.querySelector('link[rel=icon]').href.includes('\(icon)')") == true)
  }

  @Test(.full) func `headline, title and icon report a front that hangs or has ended until it answers again`()
    throws
  {
    let scene = try PageScene()
    let page = try BrowserPage(scene.address)
    let port = scene.server.port
    func expectAnswer() throws {
      try expect(page, headline: "Everything is current.", title: "● Current – Seedbank", icon: "/icon.svg")
    }
    func expectSilence() throws {
      try expect(
        page, headline: "The front has not answered since ", title: "■ No answer – Seedbank", icon: "data:")
      #expect(try page.text("#my-1 .head dd") == "1")
    }
    try expectAnswer()
    #expect(try page.evaluate("refreshMilliseconds + answerMilliseconds <= 15_000") == true)
    kill(scene.server.identifier, SIGSTOP)
    try expectSilence()
    kill(scene.server.identifier, SIGCONT)
    try expectAnswer()
    kill(scene.server.identifier, SIGKILL)
    try expectSilence()
    try scene.startServer(port: port)
    try expectAnswer()
  }

  @Test(.full)
  func `a front that answers after five seconds is shown as current, one that needs twelve is not`()
    throws
  {
    let scene = try PageScene()
    let (port, delay, late) = (scene.server.port, Shared(0.0), Shared(0))
    let front = try RawServer { request, connection in
      let seconds = delay.withLock { $0 }
      Thread.sleep(forTimeInterval: seconds)
      guard let answer = try? RawClient(port: port).get("/\(request.path)") else { return false }
      let fields = "Content-Type: \(answer["Content-Type"] ?? "")\r\nContent-Length: \(answer.body.count)\r\n"
      let isSent = connection.send("HTTP/1.1 200 OK\r\n\(fields)\r\n") && connection.send(answer.body)
      if seconds > 0 { late.withLock { $0 += 1 } }
      return isSent
    }
    let page = try BrowserPage("http://127.0.0.1:\(front.port)/")
    func expectCurrent() throws {
      try expect(page, headline: "Everything is current.", title: "● Current – Seedbank", icon: "/icon.svg")
    }
    try expectCurrent()
    delay.withLock { $0 = 5 }
    try waitUntil("two late answers") { late.withLock { $0 } >= 2 }
    #expect(try page.text("#standing")?.hasPrefix("Everything is current.") == true)
    delay.withLock { $0 = 12 }
    try expect(
      page, headline: "The front has not answered since ", title: "■ No answer – Seedbank", icon: "data:")
    delay.withLock { $0 = 0 }
    try expectCurrent()
  }

  @Test func `behind nginx the page is compressed, answers conditional requests and stays current`() throws {
    let scene = try PageScene()
    let proxy = try NginxProxy(before: scene.server.port)
    let address = "http://127.0.0.1:\(proxy.plainPort)/"
    func head(_ options: String...) throws -> String {
      try Tool.run(
        ["curl", "-s", "-H", "Accept-Encoding: gzip", "-D", "-", "-o", "/dev/null"] + options + [address])
    }
    let packed = try head()
    #expect(packed.hasPrefix("HTTP/1.1 200 ") && packed.contains("Content-Encoding: gzip\r\n"))
    #expect(packed.contains("Content-Security-Policy: default-src 'self'; "))
    let tag = try #require(packed.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }?.dropFirst(6))
    #expect(try head("-H", "If-None-Match: \(tag)").hasPrefix("HTTP/1.1 304 "))
    #expect(try head("-I").hasPrefix("HTTP/1.1 200 "))
    let page = try BrowserPage(address)
    try scene.change("INSERT INTO shop(id) VALUES (1)")
    try page.wait("version 2 is shown", "document.querySelector('#my-1 .head data').value === '2'")
    #expect(page.complaints == [])
    scene.endServer()
    try waitUntil("no old page is served", every: 0.01) { try head().hasPrefix("HTTP/1.1 503 ") }
  }
}
