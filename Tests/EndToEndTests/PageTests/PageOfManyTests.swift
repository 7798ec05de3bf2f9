import Foundation
import SeedFormat
import SeedFront
import SeedPublication
import SeedSigning
import SeedSystem
import SeedTrust
import Support
import Testing

@Suite struct PageOfManyTests {
  private static let datasets = 200

  private let folder: TemporaryFolder
  private let front: Front

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let names = try (1...Self.datasets).map { try DatasetName("set-\($0)") }
    let keys = KeyRing(Dictionary(uniqueKeysWithValues: KeyRole.allCases.map { ($0, [.generate()]) }))
    let signer = RepositorySigner(now: .now())
    let founding = try signer.create(delegating: names.map { SeedSeries($0, model: "1.0") }, keys: keys)
    let publication = PublicationDirectory(folder("publication"))
    try publication.write(founding.files)
    let metadata = names.map { name in
      SeriesMetadata(series: SeedSeries(name, model: "1.0"), state: Self.state, objects: [])
    }
    try publication.write(signer.publish(metadata, after: founding.published, keys: keys).files)
    front = try Front(FrontConfiguration(publication: publication.path, pages: PageScene.pages))
  }

  private static let state = SeriesState(
    epoch: .random(), head: .first, floor: .first, model: "1.0", models: ["1.0": SHA256Digest.of([])],
    publishedAt: .now(), pollSeconds: 60)

  /// Puts the second of four elements first, as a failing series, and returns the names of the moved ones. A moved
  /// element loses the focus.
  private static let movedNodes = """
    (() => {
      const [old, fresh] = [[1, 2, 3, 4], [2, 1, 3, 4]].map((order) => {
        const parent = document.createElement('div');
        parent.innerHTML = order.map((number) => `<p id="x${number}"></p>\\n`).join('');
        return parent;
      });
      const observer = new MutationObserver(() => {});
      observer.observe(old, { childList: true });
      morphChildren(old, fresh);
      return observer.takeRecords().flatMap((one) => [...one.addedNodes]).map((one) => one.id).filter(Boolean).join();
    })()
    """

  @Test func `each of 200 datasets is listed, can be filtered, and has a page that refreshes`() throws {
    let page = try BrowserPage("http://127.0.0.1:\(front.port)/", width: 390)
    #expect(try page.evaluate("document.querySelectorAll('#list tbody tr').length").integer == Self.datasets)
    try page.evaluate(
      """
      const input = document.querySelector('#filter input');
      input.value = 'Set-15';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      """)
    let shown = "[...document.querySelectorAll('#list tbody tr')].filter((one) => !one.hidden).length"
    #expect(try page.evaluate(shown) == 11)
    #expect(try page.evaluate("document.documentElement.scrollWidth") == 390)
    let link = "document.querySelector('#list a[href=\"/?series=set-150-1\"]').href"
    let one = try BrowserPage(#require(try page.evaluate(link).string), width: 390)
    try one.wait(
      "it is refreshed", "document.querySelector('#freshness').textContent === 'Refreshes automatically'")
    #expect(
      try one.evaluate("[...document.querySelectorAll('.series')].map((one) => one.id)") == ["set-150-1"])
    #expect(try one.evaluate(Self.movedNodes) == "x2")
    #expect(one.complaints == [])
    #expect(page.complaints == [])
  }
}
