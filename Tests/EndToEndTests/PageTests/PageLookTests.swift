import SeedFormat
import Support
import Testing

/// Layout, contrast and escaping of the page.
@Suite struct PageLookTests {
  private static let versions = [
    "INSERT INTO shop VALUES (1, 'Tea', 1.5, x'00', 5), (2, NULL, NULL, NULL, NULL)"
  ]

  /// The minimum contrast of WCAG's level AA.
  private static let leastContrast = 4.5

  /// Finds texts with less contrast and counts all texts.
  private static let faint = """
    (() => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const rgb = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const luminance = (colour) => colour.slice(0, 3).map((one) => one / 255)
        .map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
        .reduce((sum, one, index) => sum + one * [0.2126, 0.7152, 0.0722][index], 0);
      const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const colour = rgb(getComputedStyle(at).backgroundColor);
          if (colour[3] === 255) return colour;
        }
        return [255, 255, 255, 255];
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      let texts = 0;
      while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
        texts += 1;
        const [one, other] = [luminance(rgb(getComputedStyle(element).color)), luminance(behind(element))];
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (ratio < LEAST) found.push(`${walker.currentNode.data.trim()}: ${ratio}`);
      }
      return { texts, found };
    })()
    """

  @Test(.full) func `every text has enough contrast in light and dark mode`() throws {
    let scene = try PageScene(
      versions: Self.versions,
      configured:
        #""lifecycle": {"1": {"state": "deprecated", "sunset": "2099-01-01", "message": "Move on."}}"#)
    try scene.waitForFacts(of: 2)
    for isDark in [false, true] {
      let page = try BrowserPage(scene.address, isDark: isDark)
      try page.evaluate("document.querySelector('td .change').click()")
      try page.wait("the changes are shown", "document.querySelector('.explorer h4')")
      let script = Self.faint.replacing("LEAST", with: "\(Self.leastContrast)")
      let result = try page.evaluate(script)
      #expect((result["texts"]?.integer ?? 0) > 80)
      #expect(result["found"]?.elements == [], "dark: \(isDark)")
      let background = try page.evaluate("getComputedStyle(document.body).backgroundColor").string
      #expect(background == (isDark ? "rgb(18, 22, 20)" : "rgb(251, 251, 249)"))
    }
  }

  private func expectNarrowScreens(_ scene: PageScene) throws {
    for width in Stage.pick(quick: [390], full: [320, 390, 768, 1280], deep: [320, 390, 768, 1280]) {
      let page = try BrowserPage(scene.address, width: width)
      try page.evaluate("document.querySelector('td .change').click()")
      try page.wait("the changes are shown", "document.querySelector('.explorer h4')")
      #expect(try page.evaluate("document.documentElement.scrollWidth").integer == width)
      let cut =
        "[...document.querySelectorAll('.scroll:not(.explorer *)')].filter((one) => one.scrollWidth > one.clientWidth)"
      #expect(
        try page.evaluate("\(cut).map((one) => one.querySelector('table').id)").elements == [], "\(width)")
      if width >= 390 { #expect(try page.evaluate(Self.brokenHeadings).elements == [], "\(width)") }
    }
  }

  /// Headings of one word that take several lines.
  private static let brokenHeadings = """
    [...document.querySelectorAll('thead th')].filter((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const lines = new Set([...range.getClientRects()].map((box) => box.top));
      return !/\\s/.test(one.textContent) && lines.size > 1;
    }).map((one) => one.textContent)
    """

  @Test func `the markup fits assistive programs, and on a narrow screen only changed rows scroll sideways`()
    throws
  {
    let scene = try PageScene(versions: Self.versions)
    try scene.waitForFacts(of: 2)
    try expectMarkup(BrowserPage(scene.address))
    try expectNarrowScreens(scene)
  }

  /// Headings are in order, tables have captions and scopes, inputs have labels, and ids are unique.
  private func expectMarkup(_ page: BrowserPage) throws {
    let levels = try page.evaluate(
      "[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.nodeName[1]))")
    let order = (levels.elements ?? []).compactMap(\.integer)
    #expect(order.first == 1 && order.count { $0 == 1 } == 1)
    #expect(zip(order, order.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(order)")
    #expect(
      try page.evaluate("[...document.querySelectorAll('table')].every((one) => one.caption.textContent)")
        == true)
    let ids = "[...document.querySelectorAll('[id]')].map((one) => one.id)"
    #expect(try page.evaluate("new Set(\(ids)).size === \(ids).length") == true)
    #expect(try page.evaluate("document.documentElement.lang") == "en")
    #expect(try page.evaluate("[...document.querySelectorAll('th')].every((one) => one.scope)") == true)
    #expect(
      try page.evaluate("[...document.querySelectorAll('input')].every((one) => one.labels.length)") == true)
    #expect(try page.evaluate("document.querySelectorAll('main').length") == 1)
    let marks = "[...document.querySelectorAll('.chart svg > :is(a, g)')]"
    #expect(
      try page.evaluate(
        "\(marks).length > 1 && \(marks).every((one) => one.querySelector('title').textContent)") == true)
    #expect(try page.evaluate("document.querySelector('[style]') === null") == true)
  }

  private static let hostile = [
    "<script>window.hacked = 1</script>", "<img src=x onerror=window.hacked=1>",
    "\"'><svg onload=window.hacked=1>",
    "\u{202E}gnirts desrever\u{2066}", String(repeating: "long ", count: 2000), "👩‍👩‍👧‍👦🏳️‍🌈",
    "e" + String(repeating: "\u{301}", count: 5000), "&lt;b&gt;", "</code></pre><h1>", "{{front}} $front",
  ]

  private static func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }

  @Test func `hostile names and texts are shown as text and never run`() throws {
    // SQLite accepts any name; ten kilobytes are long enough.
    let tables = Self.hostile.prefix(7).enumerated().map { index, text in
      "CREATE TABLE \(Self.quoted("t\(index)\(text)"))(id INTEGER PRIMARY KEY, \(Self.quoted(text)) TEXT);"
    }
    let rows = Self.hostile.enumerated().map { index, text in
      "INSERT INTO \(Self.quoted("t0\(Self.hostile[0])")) VALUES (\(index), '\(text.replacing("'", with: "''"))');"
    }
    let joined = JSONValue.string(Self.hostile.prefix(3).joined(separator: " ")).text
    let all = JSONValue.string(Self.hostile.joined(separator: " ")).text
    let scene = try PageScene(
      tables.joined(separator: "\n"), versions: [rows.joined(separator: "\n")],
      configured: """
        "license": \(joined), "attribution": \(all), "source": \(JSONValue.string(Self.hostile[4]).text),
        "lifecycle": {"1": {"state": "deprecated", "sunset": "2099-01-01", "message": \(all)}}
        """)
    try scene.waitForFacts(of: 2)
    for isDark in Stage.pick(quick: [false], full: [false, true], deep: [false, true]) {
      let page = try BrowserPage(scene.address, width: 390, isDark: isDark)
      try page.evaluate("document.querySelector('td .change').click()")
      try page.wait("the changes are shown", "document.querySelector('.explorer h4')")
      #expect(try page.evaluate("window.hacked === undefined") == true)
      #expect(try page.evaluate("document.querySelectorAll('script').length") == 1)
      #expect(try page.evaluate("document.querySelectorAll('img').length") == 1)
      #expect(try page.evaluate("document.querySelectorAll('h1').length") == 1)
      let text = try #require(try page.text("#my-1"))
      for hostile in Self.hostile.prefix(3) { #expect(text.contains(hostile), "\(hostile)") }
      let isIsolated = """
        (() => {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const { data, parentElement } = walker.currentNode;
            if (data.includes('\\u202E') && !parentElement.closest('bdi')) return data;
          }
          return true;
        })()
        """
      #expect(try page.evaluate(isIsolated) == true)
      #expect(try page.evaluate("document.documentElement.scrollWidth") == 390)
      #expect(page.complaints == [])
    }
  }
}
