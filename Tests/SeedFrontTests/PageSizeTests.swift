import Foundation
import SeedDatabase
import SeedFormat
import SeedPublication
import SeedSystem
import SeedTrust
import Support
import Testing

@testable import SeedFront

/// The bytes of the page, with the frame of the package.
@Suite struct PageSizeTests {
  private static let now = FrontPublication.start.adding(seconds: 7200)
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Public")

  /// Snapshots in two encodings, and for `complete` series, older ones and a delta for each of the newest versions.
  private static func publication(_ names: [String], complete: [String]) throws -> FrontPublication {
    let all = try names.map { SeedSeries(try DatasetName($0), model: "2.1") }
    let publication = try FrontPublication(all)
    let metadata = try all.map { series in
      let isComplete = complete.contains(series.dataset.text)
      let objects = try (isComplete ? [92, 96, 100] : [100]).flatMap { version in
        try [publication.snapshot(series, version), publication.snapshot(series, version, .xz)]
      }
      let deltas = try (isComplete ? 92..<100 : 0..<0).map { try publication.delta(series, $0, $0 + 1) }
      return try publication.metadata(series, head: 100, floor: 92, objects + deltas)
    }
    try publication.publish(metadata)
    return publication
  }

  /// A hundred steps, and twelve tables of eight columns.
  private static func facts(of series: SeedSeries, isComplete: Bool) -> SeriesFacts {
    var facts = SeriesFacts(
      series, writtenAt: now, look: .init(good: now, newest: .unchanged, newestAt: now))
    (facts.nextSnapshot, facts.checkSeconds) = (now.adding(days: 1), 2)
    guard isComplete else { return facts }
    facts.steps = (0..<100).map { place in
      var step = StepRecord(
        .published, of: series.dataset, at: now.adding(seconds: -67 * place), milliseconds: 1000 + 37 * place)
      (step.from, step.to, step.rows, step.deltaBytes) = (
        99 - place, 100 - place, 120_000 - place, 4000 + place
      )
      step.foundBy = FoundBy(.comparison)
      var changes = TableChanges()
      (changes.inserted, changes.updated, changes.deleted) = (300 + place, 2000 + place, 40 + place)
      step.changes = ["stop": changes]
      return step
    }
    facts.tables = (0..<12).map { place in
      let columns = (0..<8).map { SeriesFacts.Column(name: "column_\($0)", type: "TEXT", isKey: $0 == 0) }
      return .init(name: "table_\(place)", rows: 1000 + place, columns: columns, sql: "")
    }
    return facts
  }

  private static func page(_ names: [String]) throws -> [UInt8] {
    try page(names, view(names, complete: names))
  }

  private static func view(_ names: [String], complete: [String]) throws -> CatalogView {
    var view = CatalogView(try publication(names, complete: complete).catalog())
    for series in (view.catalog?.allSeries ?? []).map(\.series) {
      view.facts[series] = facts(of: series, isComplete: complete.contains(series.dataset.text))
    }
    return view
  }

  private static func page(_ names: [String], _ view: CatalogView, of chosen: String? = nil) throws -> [UInt8]
  {
    let index = try DurableFile.read(folder.appending(path: "index.html").path, limit: 100_000)
    let page = try #require(LivePage(index: index, began: FrontPublication.start))
    let clients = names.map {
      ClientCounts.Requests(client: ClientModel(dataset: $0, model: "2.1"), count: 1234)
    }
    return page.document(view, of: chosen, { ClientCounts(requests: clients, since: $0) }, now: now).bytes
  }

  @Test func `the page of two series is at most 60 kB`() throws {
    let page = try Self.page(["transit", "weather"])
    #expect(page.count <= 60_000, "\(page.count)")
    #expect(String(decoding: page, as: UTF8.self).ranges(of: "<section class=\"series\"").count == 2)
  }

  @Test func `the page of one series with its style, script and icon is at most 60 kB`() throws {
    let files = try ["style.css", "app.js", "icon.svg"].map { name in
      try DurableFile.read(Self.folder.appending(path: name).path, limit: 100_000).count
    }
    let page = try Self.page(["transit"])
    #expect(page.count + files.reduce(0, +) <= 60_000, "\(page.count) and \(files)")
  }

  @Test func `the script shows a whole page of changes`() throws {
    let script = try DurableFile.read(Self.folder.appending(path: "app.js").path, limit: 100_000)
    let most = String(decoding: script, as: UTF8.self).firstMatch(of: /explorerBytes = ([0-9_]+);/)?.1
    let around = 64 * 1024
    #expect(most.flatMap { Int($0.replacing("_", with: "")) } ?? 0 >= Limits.changesPageBytes + around)
  }

  @Test func `the list of 200 series and the page of one of them are at most 60 kB compressed`() throws {
    let names = (1...200).map { "set-\($0)" }
    // The list shows nothing of a series' history.
    let view = try Self.view(names, complete: ["set-150"])
    let list = try Self.page(names, view)
    #expect(try Compression.gzip(list).count <= 60_000)
    let text = String(decoding: list, as: UTF8.self)
    #expect(text.ranges(of: "<tr id=\"list:").count == 200 && text.contains("id=\"filter\""))
    let one = try Self.page(names, view, of: "set-150-2")
    #expect(try Compression.gzip(one).count <= 60_000)
    #expect(String(decoding: one, as: UTF8.self).contains("<section class=\"series\" id=\"set-150-2\""))
  }
}
