import SeedFormat
import Support
import Testing

@Suite struct PageExplorerTests {
  private func explored(_ page: BrowserPage, _ id: String) throws {
    try page.evaluate("document.getElementById('\(id)').querySelector('a.change').click()")
    try page.wait("the changes are shown", "document.querySelector('.explorer h4')")
  }

  private func tables(_ page: BrowserPage) throws -> [[[String]]] {
    let found = try page.evaluate(
      """
      [...document.querySelectorAll('.explorer table')].map((table) =>
        [[table.caption.textContent], ...[...table.rows].map((row) => [...row.cells].map((one) => one.textContent))])
      """)
    return (found.elements ?? []).map { table in
      (table.elements ?? []).map { row in (row.elements ?? []).compactMap(\.string) }
    }
  }

  @Test
  func
    `a version shows the rows of its delta, each value by its type, and a rejected range shows the front's message`()
    throws
  {
    let scene = try PageScene(versions: [
      "INSERT INTO shop VALUES (1, 'Tea', 1.0, x'00ff10', 9007199254740993), (2, NULL, 9e999, NULL, 7), (3, '', -2.5, x'', 0)",
      "DELETE FROM shop WHERE id = 2; INSERT INTO word VALUES ('a', 0.5)",
      "INSERT INTO word VALUES ('b', 1); UPDATE word SET weight = 2 WHERE text = 'a'",
    ])
    let page = try BrowserPage(scene.address)
    try explored(page, "my-1:1-2")
    #expect(
      try tables(page) == [
        [
          ["3 rows inserted"], ["id", "name", "rank", "picture", "visits"],
          ["1", "Tea", "1.0", "blob of 3 bytes", "9007199254740993"], ["2", "NULL", "Infinity", "NULL", "7"],
          ["3", "", "-2.5", "blob of 0 bytes", "0"],
        ]
      ])
    #expect(try page.evaluate("document.activeElement.className") == "explorer")
    try page.evaluate("document.querySelector('.explorer h4').remove()")
    try explored(page, "my-1:2-3")
    #expect(
      try tables(page) == [
        [["1 row deleted, by key"], ["id"], ["2"]], [["1 row inserted"], ["text", "weight"], ["a", "0.5"]],
      ])
    try page.evaluate("document.querySelector('.explorer h4').remove()")
    try explored(page, "my-1:3-4")
    #expect(
      try tables(page) == [
        [["1 row inserted"], ["text", "weight"], ["b", "1.0"]],
        [["1 row changed"], ["text", "weight"], ["a", "2.0"]],
      ])
    // The fields select two versions at once.
    try page.evaluate("document.querySelector('.explorer h4').remove()")
    try submit(page, since: 1, to: 3)
    try page.wait("both are shown", "document.querySelectorAll('.explorer h4').length === 2")
    #expect(
      try tables(page).map(\.first)
        == [["3 rows inserted"], ["1 row deleted, by key"], ["1 row inserted"]])
    #expect(page.complaints == [])
    try submit(page, since: 3, to: 1)
    try page.wait("it is said", "document.querySelector('.explorer .notice')")
    #expect(try page.text(".explorer .notice")?.contains("from 3 on") == true)
  }

  private func submit(_ page: BrowserPage, since: Int, to: Int) throws {
    try page.evaluate(
      """
      {
        const { since, to } = document.querySelector('.range').elements;
        [since.value, to.value] = [\(since), \(to)];
        document.querySelector('.range').requestSubmit();
      }
      """)
  }

  @Test
  func
    `the next changes can be asked for again after a failure, and an opened delta stays open in a refreshed page`()
    throws
  {
    let scene = try PageScene(versions: ["INSERT INTO shop(id) VALUES (1)"])
    try expectStaysOpen(scene)
    let page = try BrowserPage(scene.address)
    try page.evaluate(
      """
      const [real, link, next] = [window.fetch, document.querySelector('td .change'), '/v1/next'];
      const answers = [
        () => new Response('{"deltas": [], "more": true}', { headers: { Link: `<${next}>; rel="next"` } }),
        () => Promise.reject(new TypeError('the front is away')),
        () => new Response('{"deltas": [], "more": false}'),
      ];
      window.fetch = async (path, ...rest) =>
        [link.getAttribute('href'), next].includes(path) ? answers.shift()() : real(path, ...rest);
      link.click();
      """)
    let button =
      "[...document.querySelectorAll('.explorer button')].find((one) => one.textContent === 'Show the next changes')"
    try page.wait("there are more changes", button)
    try page.evaluate("\(button).click()")
    try page.wait("the failure is shown", "document.querySelector('.explorer .notice')")
    #expect(
      try page.text(".explorer .notice") == "The changes could not be fetched: the front is away")
    try page.evaluate("\(button).click()")
    try page.wait("the rest is shown", "!\(button)")
    #expect(try page.evaluate("document.querySelector('.explorer .notice')") == .null)
    // The response to an earlier choice arrives after the response to a later one.
    try page.evaluate(
      """
      answers.push(() => new Promise((answer) => { window.answerFirst = answer; }));
      answers.push(() => new Response('{"deltas": [], "more": false}'));
      link.click();
      link.click();
      """)
    try page.wait("the later is shown", "document.querySelector('.explorer button')")
    try page.evaluate(
      """
      // A stream that is made here is read before the next timer.
      const late = new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode('{"detail": "late"}'));
          stream.close();
        },
      });
      answerFirst(new Response(late, { status: 410 }));
      new Promise((done) => setTimeout(done));
      """)
    #expect(try page.evaluate("document.querySelector('.explorer .notice')") == .null)
    #expect(page.complaints == [])
  }

  @Test(.full) func `many rows are shown in portions, and hundreds of columns scroll in their table`()
    throws
  {
    let columns = (1...400).map { "c\($0) TEXT" }.joined(separator: ", ")
    let table = String(repeating: "wide", count: 50)
    let scene = try PageScene(
      "CREATE TABLE \(table)(id INTEGER PRIMARY KEY, \(columns));",
      versions: [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) INSERT INTO \(table)(id, c400) SELECT i, 'end' FROM n"
      ])
    let page = try BrowserPage(scene.address, width: 390)
    try explored(page, "my-1:1-2")
    let rows = "document.querySelectorAll('.explorer tbody tr').length"
    #expect(try page.evaluate(rows) == 20)
    #expect(try page.evaluate("document.querySelectorAll('.explorer thead th').length") == 401)
    let more =
      "[...document.querySelectorAll('.explorer button')].find((one) => one.textContent.startsWith('Show '))"
    #expect(try page.evaluate("\(more).textContent") == "Show 100 more of 130")
    try page.evaluate("\(more).click()")
    #expect(try page.evaluate(rows) == 120)
    try page.evaluate("\(more).click()")
    #expect(try page.evaluate(rows) == 150)
    #expect(try page.evaluate("\(more).hidden") == true)
    for width in [390, 1280] {
      try page.show(width: width)
      #expect(try page.evaluate("document.documentElement.scrollWidth").integer == width)
    }
  }

  private func expectStaysOpen(_ scene: PageScene) throws {
    let page = try BrowserPage(scene.address)
    try explored(page, "my-1:1-2")
    try scene.change("INSERT INTO shop(id) VALUES (2)")
    try page.wait("the next version is shown", "document.getElementById('my-1:2-3')")
    #expect(try page.text(".explorer h4") == "Version 1 to 2")
  }
}
